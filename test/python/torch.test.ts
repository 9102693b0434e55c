import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestWheel, pythonTests } from '../helpers/wheel.ts';

/** A Python that has PyTorch. */
const python = process.env.TILEWRIGHT_TORCH_PYTHON ?? 'python3';
let root: string;
let missing: string | undefined;
let hasVllm: boolean;

const run = async (argv: readonly string[], env: Record<string, string> = {}) => {
  const { exitCode, stdout, stderr } = await localExecutor.run(argv, { cwd: root, env, timeoutMs: 600_000 });
  return { code: exitCode, text: stdout + stderr };
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tilewright-torch-'));
  const { code, text } = await run([python, '-c', 'import torch, numpy']);
  const find = 'import importlib.util as all; assert all.find_spec("vllm")';
  hasVllm = (await run([python, '-c', find])).code === 0;
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

/** The stand-in for vLLM only where that is not installed: it would come before it. */
const modules = () =>
  [
    ...[join(root, 'site'), join(packageRoot, 'integrations/vllm')],
    ...(hasVllm ? [] : [join(pythonTests, 'vllm_stand_in')]),
  ].join(':');
const env = () => ({
  ...{ PYTHONPATH: modules(), PYTHONDONTWRITEBYTECODE: '1' },
  XDG_CACHE_HOME: join(root, 'cache'),
});

test.each(['test_torch.py', 'test_checkpoint.py', 'test_vllm.py'])('%s', async (file) => {
  // No reporter shows why a test was skipped.
  if (missing !== undefined) return console.warn(missing);
  const tests = [python, '-m', 'unittest', 'discover', '-s', pythonTests, '-p', file];
  const { code, text } = await run(tests, env());
  expect(code, text).toBe(0);
});

test("PyTorch's own kind of tests, with and without the drop-in: what differs is listed", async () => {
  const harness = await run([python, '-c', 'import torch.testing._internal.common_utils']);
  if (missing !== undefined || harness.code !== 0)
    return console.warn(missing ?? `PyTorch's test harness: ${harness.text.trim().split('\n').at(-1)}`);
  const command = [python, join(packageRoot, 'bench/pytorch_tests.py'), join(pythonTests, 'products_bsr.py')];
  const { code, text } = await run(command, env());
  expect(code, text).toBe(1);
  expect(text).toContain('3 calls taken'); // blocks of 64: F.linear in both types, and the product of halves
  expect(text).toMatch(/of_halves_is_refused_cpu\n {2}PyTorch: passed\n {2}drop-in: AssertionError/);
});

test("type annotations pass mypy beside PyTorch's, whose own functions are not all annotated", async () => {
  const mypy = [python, '-m', 'mypy'];
  const there = await run([...mypy, '--version']);
  if (missing !== undefined || there.code !== 0)
    return console.warn(missing ?? `${python} has no mypy: its types are not checked beside PyTorch's`);
  const flags = ['--strict', '--allow-untyped-calls', '--ignore-missing-imports'];
  const { code, text } = await run([...mypy, ...flags, '-p', 'tilewright', '-p', 'sparse_autotune'], {
    MYPYPATH: join(root, 'site'),
  });
  expect(code, text).toBe(0);
});

test.each(['linear.py'])('the example %s', async (file) => {
  if (missing !== undefined) return console.warn(missing);
  const { code, text } = await run([python, join(packageRoot, 'examples/python', file)], env());
  expect(code, text).toBe(0);
  expect(text).toMatch(/F\.linear .*\nPASS$/m);
});

test('the example density.py, with its plot where matplotlib is', async () => {
  if (missing !== undefined) return console.warn(missing);
  const plot = join(root, 'density.png');
  const command = [python, join(packageRoot, 'examples/python/density.py'), plot];
  const { code, text } = await run(command, { ...env(), MPLCONFIGDIR: root });
  expect(text).toMatch(/^density 0\.\d+:$/m);
  expect(text).toMatch(/^ {2}tilewright +[\d.]+ us/m); // the faster of the systems comes first
  if (text.includes('matplotlib is not installed')) expect(code).toBe(1);
  else expect({ code, plotted: existsSync(plot) }, text).toEqual({ code: 0, plotted: true });
});
