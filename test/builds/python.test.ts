import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestWheel, pythonTests } from '../helpers/wheel.ts';

describe('gen emit --python', () => {
  let root: string;
  let wheel: string;
  const place = (...parts: string[]) => join(root, ...parts);
  const python = () => place('venv', 'bin', 'python');

  const run = async (argv: readonly string[], env: Record<string, string> = {}) => {
    const { exitCode, stdout, stderr } = await localExecutor.run(argv, {
      cwd: root,
      env,
      timeoutMs: 300_000,
    });
    return { code: exitCode, text: stdout + stderr };
  };
  const pip = (...args: string[]) =>
    run([python(), '-m', 'pip', 'install', '--disable-pip-version-check', '--quiet', ...args]);

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tilewright-python-'));
    wheel = await emitTestWheel(place('out'));
    const made = await run(['python3', '-m', 'venv', place('venv')]);
    expect(made.code, made.text).toBe(0);
  }, 600_000);
  afterAll(() => rm(root, { recursive: true, force: true }));

  test('a fresh environment takes the wheel, and needs nothing else for it', {
    timeout: 120_000,
  }, async () => {
    expect(basename(wheel)).toMatch(/^tilewright-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl$/);
    const installed = await pip('--no-index', wheel);
    expect(installed.code, installed.text).toBe(0);
    const asked = 'import tilewright; print(tilewright.devices()[-1].target)';
    expect(await run([python(), '-c', asked])).toEqual({ code: 0, text: 'emulated\n' });
  });

  test('NumPy arrays, with neither Node nor a CUDA compiler', { timeout: 300_000 }, async ({ skip }) => {
    const numpy = await pip('numpy');
    if (numpy.code !== 0) skip(`NumPy could not be installed: ${numpy.text.trim().split('\n').at(-1)}`);
    const tests = [python(), '-m', 'unittest', 'discover', '-s', pythonTests, '-p', 'test_numpy.py'];
    const env = { PATH: place('venv', 'bin'), PYTHONDONTWRITEBYTECODE: '1', XDG_CACHE_HOME: place('cache') };
    const { code, text } = await run(tests, env);
    expect(code, text).toBe(0);
  });

  test('the quick start of docs/python.md runs as it stands there', { timeout: 300_000 }, async ({
    skip,
  }) => {
    if ((await run([python(), '-c', 'import numpy'])).code !== 0) skip('NumPy is not installed');
    const page = readFileSync(join(packageRoot, 'docs/python.md'), 'utf8');
    const [, script = expect.fail('docs/python.md has no Python')] = /```python\n(.*?)```/s.exec(page) ?? [];
    const { code, text } = await run([python(), '-c', script], { XDG_CACHE_HOME: place('cache') });
    expect(code, text).toBe(0);
    expect(text).toMatch(/^BsrMatrix\(4096 x 4096, blocks of 64, .* bsr_spmm\./);
  });

  test('type annotations pass mypy, and a caller sees them', { timeout: 300_000 }, async ({ skip }) => {
    const mypy = await pip('mypy', 'numpy');
    if (mypy.code !== 0) skip(`mypy could not be installed: ${mypy.text.trim().split('\n').at(-1)}`);
    const check = (...args: string[]) => run([python(), '-m', 'mypy', '--strict', ...args]);
    const success = { code: 0, text: expect.stringContaining('Success: no issues found') };
    expect(await check(join(pythonTests, 'typed_caller.py'))).toEqual(success);
    // PyTorch, and with it the bases of some classes, is not there.
    const own = ['-p', 'tilewright', '-p', 'sparse_autotune'];
    expect(await check('--ignore-missing-imports', '--allow-subclassing-any', ...own)).toEqual(success);
  });

  test('a source in a string goes through the gate, where `validate` is installed', {
    timeout: 300_000,
  }, async () => {
    const command = [process.execPath, join(packageRoot, 'dist', 'validate.js')].join(' ');
    const tests = [python(), '-m', 'unittest', 'discover', '-s', pythonTests, '-p', 'test_validate.py'];
    const { code, text } = await run(tests, { TILEWRIGHT_VALIDATE: command, PYTHONDONTWRITEBYTECODE: '1' });
    expect(code, text).toBe(0);
  });
});
