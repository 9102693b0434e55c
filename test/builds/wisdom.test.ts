import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildWorker } from '../../src/compile/worker.ts';
import { manifestSchema } from '../../src/model/manifest.ts';
import { sha256 } from '../../src/util/hash.ts';
import { edit, gen, genHere, type Workspace, workspace } from '../helpers/gen.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';

const winner = 'scale.t64-e3b0'; // the family's own priority would take 256 threads

beforeAll(async () => {
  await buildWorker('emulated', await testToolchain(), testContext());
}, 300_000);

/** As if the winner had been timed as it is rendered now. */
async function remember({ path, out, family }: Workspace): Promise<void> {
  await genHere(path, ['render', 'scale', winner]);
  const source = sha256(readFileSync(join(out, 'sources/scale', `${winner}.cu`), 'utf8'));
  const run = { id: 'gpu-1', date: '2026-11-21T00:00:00Z', command: 'gen sweep scale', gpu: 'H200' };
  const record = { workload: 'small', variant: winner, source, run: 'gpu-1', median: 2e-6, mad: 1e-9 };
  mkdirSync(join(family, 'wisdom'));
  writeFileSync(
    join(family, 'wisdom/sm_90a.json'),
    JSON.stringify({
      ...{ version: 1, family: 'scale', arch: 'sm_90a' },
      runs: [{ ...run, driver: '580', runtime: '13.0' }],
      records: [{ ...record, tflops: 1, l2: 'hot', parameters: {} }],
    }),
  );
}

const operationOf = ({ out }: Workspace) =>
  manifestSchema.parse(JSON.parse(readFileSync(join(out, 'library/manifest.json'), 'utf8'))).operations.scale;

describe('a sweep without a GPU', { timeout: 300_000 }, () => {
  const sweep = ['sweep', 'scale', '--device', 'emulated', '--arch', 'sm_90a'];

  test('ships what wisdom says, and by itself looks at nothing else', async () => {
    const place = workspace();
    await remember(place);
    const alone = await genHere(place.path, sweep);
    expect(alone.code).toBe(0);
    expect(alone.stderr).toContain('1 choice follows times of H200, 2026-11-21, gpu-1');
    expect(alone.stdout).toContain('1 selected and legal -> 1 rendered');
    const shown = await genHere(place.path, ['show', winner]);
    expect(shown.stdout).toMatch(/^wisdom +fastest on small: 2\.0 us, .* on H200, 2026-11-21/m);
    const among = await genHere(place.path, [...sweep, '--preset', 'sound']);
    expect(among.code).toBe(0);
    const operation = operationOf(place);
    expect(operation).toMatchObject({ untimed: false, wisdom: [{ id: 'gpu-1', gpu: 'H200' }] });
    expect(operation?.policy).toMatchObject([{ variant: winner, median: 2e-6, measured: 'gpu-1' }]);
    expect(readFileSync(join(place.out, 'library/README.md'), 'utf8')).toContain(
      'H200 (driver 580, 2026-11-21',
    );
  });

  test('does not follow a record of another source, and says so', async () => {
    const place = workspace();
    await remember(place);
    edit(join(place.family, 'scale.cu.hbs'), (text) => `${text}// changed since\n`);
    const { code, stderr } = await gen(place.path, [...sweep, '--preset', 'sound']);
    expect(code).toBe(0);
    expect(stderr).toContain(`not used, the source of ${winner} has changed since gpu-1 timed it`);
    const operation = operationOf(place);
    expect(operation?.untimed).toBe(true);
    expect(operation).not.toHaveProperty('wisdom');
    expect(operation?.policy[0]?.variant).toContain('t256');
  });
});
