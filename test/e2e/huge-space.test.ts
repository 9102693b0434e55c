// A space of billions of points that no rule prunes: it takes many minutes to look through, and is given up at a word.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { edit, genArgv, processesOf, type Workspace, workspace } from '../helpers/gen.ts';

const slow = { timeout: 60_000 };

const letters = 'abcdfghij';

/** The family with so many further parameters that its points are 36 * 10^9. */
function hugeSpace(): Workspace {
  const place = workspace();
  const digits = Array.from(
    { length: 9 },
    (_, i) =>
      `d${i}: { label: '${letters[i]}', doc: 'A digit.', readBy: 'launch', values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },`,
  );
  edit(join(place.family, 'family.ts'), (text) =>
    text.replace('defineParameters({', `defineParameters({ ${digits.join(' ')}`),
  );
  return place;
}

function start({ path }: Workspace, args: readonly string[]) {
  const [node = '', ...words] = genArgv;
  const child = spawn(node, [...words, ...args], { cwd: path });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const exited = new Promise<{ code: number | null; signal: string | null; at: number }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, at: performance.now() })),
  );
  return { child, exited, stderr: () => stderr };
}

describe('a huge space', () => {
  test('says how far it is, and answers Ctrl-C at once', slow, async () => {
    const place = hugeSpace();
    const { child, exited, stderr } = start(place, [
      'sweep',
      'scale',
      '--where',
      'threads == 64',
      '--limit',
      '9',
      '--device',
      'emulated',
    ]);
    while (!stderr().includes('points looked at') && child.exitCode === null) await sleep(50);
    expect(stderr()).toMatch(/^[\d,]+ of 36,000,000,000 points looked at$/m);
    const asked = performance.now();
    child.kill('SIGINT');
    const { code, at } = await exited;
    expect(stderr()).toMatch(/stopped; go on with: .*sweep scale --resume scale-/);
    expect(code).toBe(130);
    expect(at - asked).toBeLessThan(5000); // 0.2 s on a machine that does nothing else
    expect(processesOf(place.path)).toEqual([]);
  });

  test('is listed with the same words', slow, async () => {
    const { child, exited, stderr } = start(hugeSpace(), ['list', 'scale', '--limit', '9']);
    while (!stderr().includes('points looked at') && child.exitCode === null) await sleep(50);
    child.kill('SIGINT');
    expect((await exited).signal).toBe('SIGINT');
  });
});
