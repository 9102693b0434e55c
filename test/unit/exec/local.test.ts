import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../../src/errors.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import { packageRoot } from '../../../src/util/package-root.ts';
import { folderOf } from '../../helpers/folder.ts';

/** Not one that has ended and that nobody has asked for its exit code yet. */
const alive = (pid: number) => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};
const gone = async (pid: number) => {
  for (let i = 0; i < 500 && alive(pid); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  return !alive(pid);
};

describe('run', () => {
  test('gives code, stdout and stderr', async () => {
    const result = await localExecutor.run(['sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(result).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n', timedOut: false });
  });

  test('runs many at a time without a warning of Node', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    await Promise.all(Array.from({ length: 12 }, () => localExecutor.run(['sleep', '0.1'])));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('passes input, folder and environment', async () => {
    const result = await localExecutor.run(['sh', '-c', 'cat; pwd; echo $WORD'], {
      input: 'in\n',
      cwd: '/',
      env: { WORD: 'w' },
    });
    expect(result.stdout).toBe('in\n/\nw\n');
  });

  test('names the signal that ended a command', async () => {
    const result = await localExecutor.run(['sh', '-c', 'kill -SEGV $$']);
    expect(result.exitCode).toBeUndefined();
    expect(result.endedBy).toBe('SIGSEGV');
  });

  test.each([
    ['a missing program', '/nowhere/nvcc', /cannot start \/nowhere\/nvcc: there is no such program/],
    ['a folder', '/etc', /cannot start \/etc: it may not be executed/],
  ])("%s is the machine's fault", async (_, file, message) => {
    await expect(localExecutor.run([file])).rejects.toThrow(message);
    await expect(localExecutor.run([file])).rejects.toBeInstanceOf(EnvironmentError);
    expect(() => localExecutor.open([file])).toThrow(EnvironmentError);
  });

  test('a time limit kills grandchildren too', async () => {
    const result = await localExecutor.run(['sh', '-c', 'sleep 100 & echo $!; wait'], { timeoutMs: 500 });
    expect(result.timedOut).toBe(true);
    expect(result.stdout).toMatch(/^\d+\n$/);
    expect(await gone(Number(result.stdout))).toBe(true);
  });

  test('a time limit kills what is in a process group of its own too, as compilers under ninja are', async () => {
    const argv = ['bash', '-c', 'set -m; sleep 100 & echo $!; wait'];
    const result = await localExecutor.run(argv, { timeoutMs: 500 });
    expect(await gone(Number(result.stdout))).toBe(true);
  });

  test('a limit on CPU time does not count time that passes', async () => {
    const [busy, patient] = await Promise.all(
      ['while :; do :; done', 'sleep 1.5; echo done'].map((script) =>
        localExecutor.run(['sh', '-c', script], { cpuSeconds: 1 }),
      ),
    );
    expect(busy).toMatchObject({ endedBy: 'SIGXCPU', timedOut: false });
    expect(patient).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  });

  test('aborting kills the tree and rejects', async () => {
    const controller = new AbortController();
    const running = localExecutor.run(['sh', '-c', 'sleep 100'], { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  test('takes a lot of output and hands it on by the line', async () => {
    const lines: string[] = [];
    let count = 0;
    const result = await localExecutor.run(
      ['sh', '-c', 'yes abcdefg | head -c 4000000; echo a >&2; echo b >&2'],
      {
        onStdout: () => count++,
        onStderr: (line) => lines.push(line),
      },
    );
    expect(count).toBe(500_000);
    expect(result.stdout).toHaveLength(4_000_000);
    expect(lines).toEqual(['a', 'b']);
  });
});

test('what this process has started dies with it, also when it is killed', async () => {
  const script = `import { localExecutor } from '${packageRoot}/src/exec/local.ts';
    void localExecutor.run(['sh', '-c', 'sleep 100 & echo $!; sleep 100'], { onStdout: console.log });
    void localExecutor.run(['bash', '-c', 'set -m; sleep 100 & echo $!; wait'], { onStdout: console.log });
    const { pid } = localExecutor.open(['sleep', '100']);
    console.log(pid);`;
  const file = join(folderOf({ 'starts.mts': script }), 'starts.mts');
  const parent = spawn(process.execPath, ['--import', 'jiti/register', file], { cwd: packageRoot });
  let said = '';
  parent.stdout.on('data', (chunk) => (said += String(chunk)));
  while (said.trim().split('\n').length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  const pids = said.trim().split('\n').map(Number);
  expect(pids.map(alive)).toEqual([true, true, true]);
  parent.kill('SIGKILL');
  expect(await Promise.all(pids.map(gone))).toEqual([true, true, true]);
});

describe('open', () => {
  test('speaks in lines and tells how it ended', async () => {
    const process = localExecutor.open([
      'sh',
      '-c',
      'while read word; do echo "<$word>"; done; echo bye >&2; exit 4',
    ]);
    const lines = process.lines[Symbol.asyncIterator]();
    process.send('one');
    expect((await lines.next()).value).toBe('<one>');
    process.send('two');
    expect((await lines.next()).value).toBe('<two>');
    process.kill();
    expect(await process.exited).toEqual({ code: undefined, signal: 'SIGKILL' });
  });

  test('keeps the end of stderr', async () => {
    const process = localExecutor.open(['sh', '-c', 'echo broken >&2; exit 4']);
    expect(await process.exited).toEqual({ code: 4, signal: undefined });
    expect(process.stderrTail()).toBe('broken\n');
  });
});
