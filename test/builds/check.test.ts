import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { gen, genArgv } from '../helpers/gen.ts';
import { breakFile, newFamily } from '../helpers/malformed.ts';

const slow = { timeout: 240_000 };

function workspace(): { readonly root: string; readonly folder: string } {
  const made = newFamily();
  writeFileSync(join(made.root, 'gen.config.ts'), "export default { families: ['templates/kernels/*'] };\n");
  return made;
}

async function check(root: string, ...flags: string[]) {
  const argv = [...genArgv, 'check', 'my-op', ...flags];
  const { exitCode: code, stdout } = await localExecutor.run(argv, { cwd: root, env: { NO_COLOR: '1' } });
  return { code, stdout };
}

/** State by check, and what is wrong. */
async function results(root: string) {
  const { code, stdout } = await check(root, '--json');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const states = Object.fromEntries(lines.map((one) => [one.check, one.state]));
  const problems: string[] = lines.flatMap((one) => one.problems);
  return { code, states, problems: problems.join('\n') };
}

const all = ['types', 'contract', 'lint', 'oracle', 'vendor', 'api'];

describe('gen check', () => {
  test(
    'says what it looked at, keeps goldens that are asked for, and sees what is not as they have it',
    slow,
    async () => {
      const { root, folder } = workspace();
      const first = await check(root, '--update');
      expect(first.code).toBe(0);
      for (const name of [...all, 'goldens']) expect(first.stdout).toMatch(new RegExp(`^OK +${name} `, 'm'));
      expect(existsSync(join(folder, 'golden/first.cu'))).toBe(true);
      breakFile(folder, 'kernel.cu.hbs', 'take neighbouring vectors.', 'take neighbouring vectors');
      const { code, states, problems } = await results(root);
      expect({ code, goldens: states.goldens }).toEqual({ code: 1, goldens: 'failed' });
      expect(problems).toMatch(/golden\/first\.cu:\d+: has `.* take neighbouring vectors\.`, rendered is/);
    },
  );

  test('finds what is wrong in every part at once', slow, async () => {
    const { root, folder } = workspace();
    const broken = (file: string, from: string, to: string) => breakFile(folder, file, from, to);
    rmSync(join(folder, 'README.md'));
    broken('family.ts', 'export default', "export const size: number = 'large';\nexport default");
    broken('kernel.cu.hbs', '#pragma unroll', 'asm volatile("");\n#pragma unroll');
    broken('oracle.hpp', 'shape().count > 2', 'shape().cuont > 2');
    broken('launch.hpp', '#include "operation.hpp"', '#include "operation.hpp"\nint y = nothing;');
    writeFileSync(join(folder, 'vendor.hpp'), 'int x = nothing;\n');
    const { code, states, problems } = await results(root);
    expect(code).toBe(1);
    expect(states).toEqual({
      family: 'passed',
      goldens: 'skipped',
      ...Object.fromEntries(all.map((name) => [name, 'failed'])),
    });
    for (const place of [
      /family\.ts:\d+:14: Type 'string'/,
      /no README\.md/,
      /kernel\.cu\.hbs:\d+:\d+: .*no-asm/,
    ])
      expect(problems).toMatch(place);
    for (const file of ['oracle.hpp', 'vendor.hpp'])
      expect(problems).toMatch(new RegExp(`${join(folder, file)}:\\d+:\\d+: error: `));
  });

  test('a family that cannot be loaded is an answer, an unknown one is not', slow, async () => {
    const { root, folder } = workspace();
    breakFile(folder, 'family.ts', 'parameters: specs', 'parameters: specss');
    const { code, states, problems } = await results(root);
    expect({ code, states }).toEqual({ code: 1, states: { family: 'failed' } });
    expect(problems).toMatch(/family\.ts:\d+: specss is not defined/);
    expect((await gen(root, ['check', 'my-opp'])).code).toBe(2);
    breakFile(folder, 'family.ts', 'parameters: specss', 'parameters: specs');
    breakFile(folder, 'family.ts', '({ tile: threads', '({ tile: Number.NaN * threads');
    const derived = await results(root);
    expect(derived.code).toBe(1);
    expect(derived.states).toMatchObject({ family: 'passed', contract: 'failed', lint: 'failed' });
    expect(derived.problems).toMatch(/family\.ts:\d+: derive\(\) for my_op\S+ must give/);
  });
});
