// Calls through a context of the emitted library: real g++, real processes, the emulated device.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installLibrary } from '../../src/emit/install.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, toolEnvironment, toolFolders } from '../helpers/library.ts';

const naive = 'bsr_spmm.naive.b64.f16.f16';

let root: string;
let program: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tilewright-keyed-'));
  const { path } = await emitTestLibrary({
    out: join(root, 'out'),
    chosen: /\.naive\.b64\.f16|\.mma\.b64\.f16\.f16\.tn128\.tk64/,
    cuda: false,
  });
  const define = { CMAKE_CXX_FLAGS: '-O1', CMAKE_BUILD_TYPE: 'None' };
  const prefix = join(root, 'prefix');
  await installLibrary(path, prefix, localExecutor, { cuda: 'off', shared: false, define, toolFolders });
  program = join(root, 'keyed');
  const source = join(packageRoot, 'test', 'fixtures', 'c', 'keyed.cpp');
  const flags = ['-std=c++20', '-O1', '-Wall', '-Wextra', '-Werror', '-I', join(prefix, 'include')];
  const library = [join(prefix, 'lib', 'libtilewright_emulated.a'), '-lpthread', '-lm'];
  const built = await localExecutor.run(['g++', ...flags, source, '-o', program, ...library], {
    env: toolEnvironment,
    timeoutMs: 300_000,
  });
  expect(built.exitCode, built.stderr).toBe(0);
}, 900_000);
afterAll(() => rm(root, { recursive: true, force: true }));

interface Line {
  readonly what: string;
  readonly resolved: number;
  readonly tuned: number;
  readonly measured: number;
  readonly rejected: number;
  readonly explain: {
    readonly variant: string;
    readonly origin: string;
    readonly measured: [string, number][];
  };
}

/** What the program printed, line by line. */
async function keyed<T = Line>(...words: readonly string[]): Promise<T[]> {
  const { exitCode, stdout, stderr } = await localExecutor.run([program, ...words], { timeoutMs: 120_000 });
  expect(exitCode, stdout + stderr).toBe(0);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a scope measures once, right and in place; before and behind it nothing is measured', async () => {
  const lines = await keyed('policies');
  const [plain, accumulating] = [lines.slice(0, 3), lines.slice(3)];
  for (const own of [plain, accumulating]) {
    expect(own.map(({ what, tuned }) => [what, tuned])).toEqual([
      ['outside of a scope', 0],
      ['inside', 1],
      ['behind', 1],
    ]);
    expect(own.map(({ resolved }) => resolved)).toEqual([1, 2, 2]);
    const [outside, inside, behind] = own.map(({ explain }) => explain);
    expect(outside).toMatchObject({ origin: 'heuristic', measured: [] });
    expect(inside?.origin).toBe('tuned');
    expect(inside?.measured.map(([id]) => id)).toContain(naive);
    expect(behind).toEqual(inside);
  }
});

test.each([
  ['replay', 'heuristic', 0],
  ['on-miss', 'tuned', 1],
  ['force', 'tuned', 1],
])('the policy %s serves by %s', async (policy, origin, tuned) => {
  expect(await keyed(policy)).toMatchObject([{ resolved: 1, tuned, rejected: 0, explain: { origin } }]);
});

test('16 threads measure each key once and none waits for a wrong result', async () => {
  const lines = await keyed('threads');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatchObject({ tuned: 3, explain: { origin: 'tuned' } });
});

test('children of fork() call while the parent measures', async () => {
  expect(await keyed<{ failed: number }>('forks')).toEqual([{ failed: 0 }]);
});
