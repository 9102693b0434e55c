// Families whose TypeScript does what no sweep can wait for: it loops, ends the process, or throws when nobody listens.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

/** Starts a sweep of the family in a temporary folder of its own, and waits until it is in the loop. */
async function inTheLoop({ path }: Workspace) {
  const [node = '', ...words] = genArgv;
  const temporary = mkdtempSync(join(tmpdir(), 'tilewright-e2e-'));
  const child = spawn(node, [...words, ...sweep], { cwd: path, env: { ...process.env, TMPDIR: temporary } });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(temporary, { recursive: true, force: true });
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
  while (!stderr.includes('in the loop') && child.exitCode === null) await sleep(50);
  return {
    child,
    stderr: () => stderr,
    end: () => Promise.race([ended, sleep(20_000, 'goes on')]),
    /** Processes and temporary files. */
    left: () => [...processesOf(path), ...readdirSync(temporary)],
  };
}

describe('a signal ends an endless loop', () => {
  const places = {
    constraint: ['=> defect ===', `=> ${endless} as never || defect ===`],
    'derive()': ['tile: threads * perThread', `tile: ${endless} as never`],
    'cases()': ['cases: () => [', `cases: () => ${endless} as never || [`],
    'priority()': ['=> threads,', `=> ${endless} as never,`],
    file: ['export default', `${endless};\nexport default`],
  } as const;
  const looping = (place: keyof typeof places) => changed(places[place][0], places[place][1]);
  test.each([
    ['SIGINT', 'constraint', 130],
    ['SIGINT', 'derive()', 130],
    ['SIGINT', 'cases()', 130],
    ['SIGINT', 'priority()', 130],
    ['SIGINT', 'file', 'SIGINT'],
    ['SIGTERM', 'constraint', 'SIGTERM'],
    ['SIGHUP', 'constraint', 'SIGHUP'],
    ['SIGTERM', 'cases()', 'SIGTERM'], // a runner waits for work meanwhile
    ['SIGHUP', 'cases()', 'SIGHUP'],
  ] as const)('%s, %s', slow, async (signal, place, expected) => {
    const { child, stderr, end, left } = await inTheLoop(looping(place));
    if (place === 'cases()') expect(left().length).toBeGreaterThan(1);
    child.kill(signal);
    expect(await end(), stderr()).toBe(expected);
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
  });

  test('and the sweep goes on with --resume', slow, async () => {
    const place = looping('priority()');
    const { child, stderr, end } = await inTheLoop(place);
    child.kill('SIGTERM');
    expect(await end(), stderr()).toBe('SIGTERM');
    edit(join(place.family, 'family.ts'), (text) =>
      text.replace(places['priority()'][1], places['priority()'][0]),
    );
    const { code, events, stdout } = await gen(place.path, ['sweep', '--resume', '--json']);
    expect(code, stdout).toBe(0);
    expect(events).toContainEqual(expect.objectContaining({ event: 'start', resumed: true }));
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
