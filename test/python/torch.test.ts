import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { emitTestWheel, pythonTests } from '../helpers/wheel.ts';

/** A Python that has PyTorch. */
const python = process.env.TILEWRIGHT_TORCH_PYTHON ?? 'python3';
let root: string;
let missing: string | undefined;

const run = async (argv: readonly string[], env: Record<string, string> = {}) => {
  const { exitCode, stdout, stderr } = await localExecutor.run(argv, { cwd: root, env, timeoutMs: 600_000 });
  return { code: exitCode, text: stdout + stderr };
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tilewright-torch-'));
  const { code, text } = await run([python, '-c', 'import torch, numpy']);
  if (code !== 0)
    missing = `${python} has no PyTorch (${text.trim().split('\n').at(-1)}): name another in TILEWRIGHT_TORCH_PYTHON`;
  else {
    const wheel = await emitTestWheel(join(root, 'out'));
    const pip = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-index',
      '--no-deps',
      '--target',
      join(root, 'site'),
    ];
    const installed = await run([python, ...pip, wheel]);
    expect(installed.code, installed.text).toBe(0);
  }
}, 900_000);
afterAll(() => rm(root, { recursive: true, force: true }));

test.each(['test_torch.py', 'test_checkpoint.py'])('%s', { timeout: 600_000 }, async (file) => {
  // No reporter shows why a test was skipped.
  if (missing !== undefined) return console.warn(missing);
  const tests = [python, '-m', 'unittest', 'discover', '-s', pythonTests, '-p', file];
  const env = {
    ...{ PYTHONPATH: join(root, 'site'), PYTHONDONTWRITEBYTECODE: '1' },
    XDG_CACHE_HOME: join(root, 'cache'),
  };
  const { code, text } = await run(tests, env);
  expect(code, text).toBe(0);
});
