// Families whose TypeScript does what no sweep can wait for: it loops, ends the process, or throws when nobody listens.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { edit, gen, genArgv, processesOf, type Workspace, workspace } from '../helpers/gen.ts';

const slow = { timeout: 120_000 };
const sweep = ['sweep', 'scale', '--preset', 'sound', '--limit', '2', '--device', 'emulated'];

/** The family with a change in family.ts. */
function changed(from: string | RegExp, to: string): Workspace {
  const place = workspace();
  edit(join(place.family, 'family.ts'), (text) => {
    const made = text.replace(from, to);
    if (made === text) throw new Error(`family.ts has no ${from}`);
    return made;
  });
  return place;
}

const endless = '(() => { console.error("in the loop"); for (;;); })()';

describe('Ctrl-C ends an endless loop', () => {
  test.each([
    ['in a constraint', '=> defect ===', `=> ${endless} as never || defect ===`],
    ['in derive()', 'tile: threads * perThread', `tile: ${endless} as never`],
    ['in cases()', 'cases: () => [', `cases: () => ${endless} as never || [`],
    ['in priority()', '=> threads,', `=> ${endless} as never,`],
    ['of the file itself', 'export default', `${endless};\nexport default`],
  ])('%s', slow, async (_, from, to) => {
    const { path } = changed(from, to);
    const [node = '', ...words] = genArgv;
    const child = spawn(node, [...words, ...sweep], { cwd: path });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
    while (!stderr.includes('in the loop') && child.exitCode === null) await sleep(50);
    child.kill('SIGINT');
    const end = await Promise.race([ended, sleep(20_000, 'goes on')]);
    expect(end, stderr).toBe(to.includes('export default') ? 'SIGINT' : 130);
    await expect.poll(() => processesOf(path), { timeout: 10_000 }).toEqual([]);
  });
});

describe('a family that', () => {
  test.each([
    ['ends the process', 'export default', 'process.exit(0);\nexport default', /it calls process\.exit\(\)/],
    ['ends it later', 'cases: () => [', 'cases: () => process.exit(3) as never || [', /process\.exit\(\)/],
    [
      'rejects when nobody waits',
      'export default',
      "void Promise.reject(new Error('later'));\nexport default",
      /it threw while nobody waited for it: later/,
    ],
    [
      'throws when nobody waits',
      'export default',
      "setTimeout(() => { throw new Error('later'); }, 1);\nexport default",
      /it threw while nobody waited for it: later/,
    ],
  ])('%s is named', slow, async (_, from, to, says) => {
    const { path } = changed(from, to);
    const { code, stderr } = await gen(path, sweep);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^error: \S+\/family\.ts:\d+: /m);
    expect(stderr).not.toMatch(/this is a bug|^ +at /m);
    expect(code).toBe(2);
  });
});
