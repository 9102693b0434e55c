// Calls through a context of the emitted library: real g++, real processes, the emulated device.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fastGlob from 'fast-glob';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadFamily } from '../../src/discover.ts';
import { installLibrary } from '../../src/emit/install.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { cacheFiles } from '../../src/tuned/cache.ts';
import { digestOf } from '../../src/tuned/record.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, toolEnvironment, toolFolders } from '../helpers/library.ts';

const naive = 'bsr_spmm.naive.b64-2fac';

let root: string;
let library: string;
let program: string;

const source = join(packageRoot, 'test', 'fixtures', 'c', 'keyed.cpp');

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tilewright-keyed-'));
  ({ path: library } = await emitTestLibrary({
    out: join(root, 'out'),
    where: `block == 64 && input == "f16" && output == "f16" && (path == "naive" || path == "mma" && tileN == 128 && tileK == 64)`,
    cuda: false,
  }));
  await emitTestLibrary({
    out: join(root, 'out'),
    of: await loadFamily('bsr-sddmm'),
    where: `block == 64 && input == "f16" && output == "f16" && (path == "naive" || path == "mma" && layoutY == "column")`,
    cuda: false,
  });
  const define = { CMAKE_CXX_FLAGS: '-O1', CMAKE_BUILD_TYPE: 'None', TILEWRIGHT_EMULATE_ALL: 'ON' };
  const prefix = join(root, 'prefix');
  await installLibrary(library, prefix, localExecutor, { cuda: 'off', shared: false, define, toolFolders });
  program = join(root, 'keyed');
  await compile(program, [source]);
}, 900_000);
afterAll(() => rm(root, { recursive: true, force: true }));

/** Compiles C++ and links what the emulated library has beside it. */
async function compile(to: string, sources: readonly string[], flags: readonly string[] = []): Promise<void> {
  const strict = ['-std=c++20', '-O1', '-Wall', '-Wextra', '-Werror', '-I', join(root, 'prefix', 'include')];
  const archive = [join(root, 'prefix', 'lib', 'libtilewright_emulated.a'), '-lpthread', '-lm'];
  const argv = ['g++', ...strict, ...flags, ...sources, '-o', to, ...archive];
  const built = await localExecutor.run(argv, { env: toolEnvironment, timeoutMs: 600_000 });
  expect(built.exitCode, built.stderr).toBe(0);
}

interface Line {
  readonly what: string;
  readonly resolved: number;
  readonly tuned: number;
  readonly measured: number;
  readonly rejected: number;
  readonly fromCache: number;
  readonly damaged: number;
  readonly explain: {
    readonly variant: string;
    readonly origin: string;
    readonly measured: [string, number][];
  };
}

/** The program's output, line by line. */
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

describe('who is measured, of 81 keys with the times of all kernels', () => {
  /** Knowledge of a kernel, and its time. */
  type Kernel = readonly [speed: number, merit: number, us: number];
  const keysOf = (file: string): Kernel[][] =>
    readFileSync(join(packageRoot, 'test/fixtures', file), 'utf8')
      .split('\n')
      .filter((line) => line.includes('|'))
      .map((line) => line.split('|').slice(1))
      .map((kernels) => kernels.map((one) => one.trim().split(' ').map(Number) as unknown as Kernel));
  let promise: string;
  beforeAll(async () => {
    promise = join(root, 'promise');
    const folders = ['src', 'device'].flatMap((folder) => ['-I', join(library, folder)]);
    await compile(promise, [join(packageRoot, 'test/fixtures/c/promise.cpp')], folders);
  }, 120_000);

  interface Measured {
    /** Share of keys of which a kernel within 2 % of the fastest is sampled. */
    readonly found: number;
    /** How many times fewer kernels are run at all, and sampled beyond that, than serve. */
    readonly fewerRun: number;
    readonly fewerSampled: number;
  }

  async function measure(file: string, known: (kernel: Kernel) => number): Promise<Measured> {
    const keys = keysOf(file);
    const lines = keys.map((of) => of.map((one) => `${known(one)} ${one[1]} ${one[2]}`).join(' '));
    writeFileSync(join(root, 'keys.txt'), lines.join('\n'));
    const { stdout } = await localExecutor.run([promise, join(root, 'keys.txt')], { timeoutMs: 60_000 });
    const chosen = stdout
      .trimEnd()
      .split('\n')
      .map((line) => [0, ...line.split(' ').filter(Boolean).map(Number)]);
    expect(chosen).toHaveLength(keys.length);
    const sampled = chosen.map((of) => of.filter((index) => index >= 0));
    const least = (us: readonly number[]) => Math.min(...us);
    const isFound = (of: readonly Kernel[], at: number) =>
      least((sampled[at] ?? []).map((index) => of[index]?.[2] ?? NaN)) <=
      1.02 * least(of.map(([, , us]) => us));
    return {
      found: keys.filter(isFound).length / keys.length,
      fewerRun: keys.flat().length / chosen.flat().length,
      fewerSampled: keys.flat().length / sampled.flat().length,
    };
  }

  test.each<[string, string, (kernel: Kernel) => number, number]>([
    ['some were timed, as in that run', 'measured-keys.txt', ([speed]) => speed, 1.9],
    ['none was timed', 'measured-keys.txt', () => 0, 2.1],
    ['all were timed, for these very keys', 'measured-keys.txt', ([, , us]) => 1 / us, 2.5],
    ['none was timed, of more kernels on wgmma', 'measured-keys-tuner.txt', () => 0, 1.45],
    ['none was timed, of fewer kernels', 'measured-keys-tuner-dense.txt', () => 0, 1.6],
  ])('%s: kernels are sampled at most half as often as if all were', async (_, file, known, least) => {
    const { found, fewerRun, fewerSampled } = await measure(file, known);
    expect(found).toBeGreaterThanOrEqual(0.95);
    expect(fewerRun).toBeGreaterThanOrEqual(least);
    expect(fewerSampled).toBeGreaterThanOrEqual(2);
  });
});

test('a fallback that alone serves the nearest workload comes behind what else serves a call; so do fallbacks without a workload', async () => {
  const rank = join(root, 'rank');
  const folders = ['src', 'device'].flatMap((folder) => ['-I', join(library, folder)]);
  await compile(rank, [join(packageRoot, 'test/fixtures/c/rank.cpp')], folders);
  const { stdout } = await localExecutor.run([rank], { timeoutMs: 60_000 });
  expect(stdout.trim().split('\n')).toEqual([
    'naive: naive made simt',
    'naive alone: made naive simt',
    'made: made naive simt',
    'by cost, n = 1000: simt made naive',
    'by cost, n = 1000, simt serves 7 alone: made naive simt',
    'by cost, n = 64: made simt naive',
    'by cost, n = 72: simt made naive',
  ]);
});

test('products sampled at blocks: the pattern is in the key, and shared with other operations', async () => {
  const sampled = join(root, 'sampled');
  await compile(sampled, [join(packageRoot, 'test', 'fixtures', 'c', 'keyed_sampled.cpp')]);
  const { exitCode, stdout, stderr } = await localExecutor.run([sampled], { timeoutMs: 120_000 });
  expect(exitCode, stdout + stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  // Each of the three patterns is resolved once for each of the two operations.
  expect(lines.map(({ resolved, rejected }) => [resolved, rejected])).toEqual([
    [2, 0],
    [4, 0],
    [6, 0],
  ]);
  const keys = lines.map(({ explain }) => explain.key);
  const ofPattern = keys.map((key) => /density=(\S+) unevenness=(\S+)/.exec(key)?.slice(1));
  expect(ofPattern).toEqual([
    ['2^-4/2', '2^0/2'],
    ['2^-4/2', '2^2/2'],
    ['2^-2/2', '2^0/2'],
  ]);
  expect(keys[0]).toMatch(/^bsr_sddmm m=256 n=512 k=64 block=64 blocks=8 /);
  // Kernels that compute several blocks of a row together know the rows, and are measured.
  for (const { explain } of lines)
    expect(explain.measured.map(([id]: [string]) => id.split('.')[1]).toSorted()).toEqual(['mma', 'naive']);
});

test('a pattern keeps 1,024 calls: others are served anew each time, and nothing more is measured', async () => {
  const [line] = await keyed<object>('many', '');
  expect(line).toEqual({
    first: 1100,
    again: 0,
    beyond: 76,
    error: 'nothing more is measured: as many calls or workspaces as there may be are kept',
  });
});

test('products of several patterns are one call, of which all run or none', async () => {
  expect(await keyed<object>('grouped', '')).toEqual([{ resolved: 3, error: 'call 2: b is null' }]);
});

test('a pattern takes other indices in place: what was measured for a key serves the next pattern of that key', async () => {
  const lines = await keyed<Partial<Line> & { error?: string }>('replanned', '');
  expect(lines.slice(0, 4).map(({ resolved, tuned }) => [resolved, tuned])).toEqual([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
  ]);
  expect(lines.slice(4)).toEqual([
    { error: 'row_ptr does not run from 0 to blocks' },
    { error: 'col_idx[1] = 5 is not between 0 and 4' },
  ]);
});

test('calls of a pattern that is replaced keep their kernel and device memory; what has outgrown it is allocated once more', async () => {
  interface Counted extends Line {
    readonly allocated: number;
    readonly released: number;
  }
  const lines = await keyed<Counted>('in-place');
  expect(lines.map(({ allocated, released, resolved }) => [allocated, released, resolved])).toEqual([
    [2, 0, 2],
    [2, 0, 4],
    [4, 2, 6],
    [4, 2, 8],
    [4, 4, undefined],
  ]);
  expect(new Set(lines.slice(0, 4).map(({ explain }) => explain.variant)).size).toBe(1);
});

test('16 threads measure each key once and none waits for a wrong result', async () => {
  const lines = await keyed('threads');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatchObject({ tuned: 3, explain: { origin: 'tuned' } });
});

test('contexts beside each other share the cache, and each has its own patterns', async () => {
  const lines = await keyed('contexts', join(root, 'contexts'));
  expect(lines).toHaveLength(4);
  for (const { resolved, tuned, fromCache, explain } of lines) {
    expect(['tuned', 'cache']).toContain(explain.origin);
    expect({ resolved: resolved > 0, settled: tuned + fromCache > 0 }).toEqual({
      resolved: true,
      settled: true,
    });
  }
});

test('ThreadSanitizer finds nothing in the library while 16 threads measure', {
  timeout: 900_000,
}, async () => {
  // The emulator switches stacks, which the sanitizer does not follow: its sources and the kernels are not instrumented.
  const sources = fastGlob.sync(
    ['*.cpp', 'tuner/*.cpp', 'emulated/{device,kernels,tuning}.cpp'].map((part) =>
      join(library, 'src', part),
    ),
  );
  expect(sources.length).toBeGreaterThan(12);
  const folders = ['', 'include', 'src', 'device', 'simt/include', 'simt/src'];
  const includes = folders.flatMap((folder) => ['-I', join(library, folder)]);
  const sanitized = join(root, 'sanitized');
  const flags = ['-fsanitize=thread', '-DTW_EMULATED', '-Wno-restrict', ...includes];
  for (const operation of fastGlob.sync(join(library, 'src/operations/*/operation.cpp'))) {
    const object = `${operation}.o`;
    await compile(object, [operation], [...flags, '-I', dirname(operation), '-c']);
    sources.push(object);
  }
  await compile(sanitized, [source, ...sources], flags);
  for (const what of ['threads', 'contexts', 'in-place', 'replanned-threads']) {
    const argv = [sanitized, what, join(root, `sanitized-${what}`)];
    const { exitCode, stderr } = await localExecutor.run(argv, { timeoutMs: 300_000 });
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
  }
});

/** Defects of the faster kernel, as replacements in its source. */
const defects: Readonly<Record<string, readonly [RegExp, string]>> = {
  'leaves out the last step of a row': [
    /const int steps = (row\.count \* Copy::kStepsPerBlock);/,
    'const int steps = $1 - (row.count > 0);',
  ],
  'leaves a row of blocks unwritten': [/const Row row = row_of\(args\);/, '$& if (row.index == 1) return;'],
  'writes before the matrix': [
    /const Row row = row_of\(args\);/,
    '$& if (row.index == 0 && threadIdx.x == 0) reinterpret_cast<unsigned short*>(args.c)[-1] = 0;',
  ],
  'gives other bits every second time': [
    /store\(sums, n0\);/,
    `$& __syncthreads();
    static int turn = 0;
    if (row.index == 0 && threadIdx.x == 0) reinterpret_cast<unsigned short*>(args.c)[0] ^= ++turn & 1;`,
  ],
};

test.each(Object.keys(defects))(
  'a kernel that %s never wins, and the next process knows',
  async (defect) => {
    const folder = join(library, 'kernels/bsr_spmm');
    const name = readdirSync(folder).find((file) => file.includes('.mma.') && file.endsWith('.cu')) ?? '';
    const text = readFileSync(join(folder, name), 'utf8');
    const [pattern, replacement] = defects[defect] ?? expect.fail('no such defect');
    const wrong = text.replace(pattern, replacement);
    expect(wrong).not.toBe(text);
    const [object, faulty, cache] = ['kernel.o', 'faulty', 'faulty-cache'].map((file) =>
      join(root, `${file} ${defect}`),
    );
    const kernel = join(root, 'kernel.cu');
    writeFileSync(kernel, wrong);
    const folders = ['src/emulated/types', 'simt/include', 'simt/src', 'src/operations/bsr_spmm', 'device'];
    const flags = ['-std=c++20', '-O1', '-fno-strict-aliasing', '-w', '-DTW_EMULATED'];
    const includes = folders.flatMap((one) => ['-I', join(library, one)]);
    const argv = ['g++', ...flags, ...includes, '-x', 'c++', '-c', kernel, '-o', object ?? ''];
    const built = await localExecutor.run(argv, { env: toolEnvironment, timeoutMs: 300_000 });
    expect(built.exitCode, built.stderr).toBe(0);
    await compile(faulty ?? '', [source, object ?? '']);
    const run = (...words: string[]) => localExecutor.run([faulty ?? '', ...words], { timeoutMs: 120_000 });
    const [sound] = await keyed('on-miss');
    expect(sound?.explain.variant, 'without the defect it wins').toContain('.mma.');
    const first = JSON.parse((await run('on-miss', cache ?? '')).stdout);
    expect(first).toMatchObject({ tuned: 1, rejected: 1, explain: { origin: 'tuned', variant: naive } });
    const next = JSON.parse((await run('replay', cache ?? '')).stdout);
    expect(next).toMatchObject({ tuned: 0, fromCache: 1, explain: { variant: naive } });
    const refusals = cacheFiles(cache ?? '').flatMap(({ record }) => record?.refused ?? []);
    expect(refusals).toEqual(['wrong']);
  },
  300_000,
);

test('children of fork() call while the parent measures', async () => {
  expect(await keyed<{ failed: number }>('forks')).toEqual([{ failed: 0 }]);
});

test('a call that was served while another thread measured is found like any other when nobody measures any more', async () => {
  expect(await keyed<object>('served-meanwhile')).toEqual([{ moreAllocations: 0 }]);
});

test('sizes whose elements 64 bits do not count are refused', async () => {
  const invalid = 1;
  const said = (text: RegExp) => ({ status: invalid, text: expect.stringMatching(text) });
  expect(await keyed<object>('uncountable')).toEqual([
    said(/_stride = 9223372036854775807 is too large: \w+ has too many elements to count in 2 products/),
    ...Array.from({ length: 3 }, () => said(/^row_ptr has too many elements to count: \d+ bytes$/)),
  ]);
});

describe('records on disk', () => {
  const only = (cache: string) => {
    const [first, ...others] = cacheFiles(cache).filter(({ path }) => path.includes('/k/'));
    expect(others).toEqual([]);
    return first ?? expect.fail('there is no record');
  };

  test('what one process measured serves the next, whatever its policy but force', async () => {
    const cache = join(root, 'one');
    expect(await keyed('on-miss', cache)).toMatchObject([{ tuned: 1, fromCache: 0 }]);
    const { record, environment } = only(cache);
    expect(environment).toBe('target: emulated\n');
    expect(record?.key).toMatch(
      /^bsr_spmm m=128 n=64 k=256 block=64 .* c\.align=4 alpha\.zero=0 beta\.zero=1 /,
    );
    for (const policy of ['on-miss', 'replay']) {
      const [line] = await keyed(policy, cache);
      expect(line).toMatchObject({
        tuned: 0,
        fromCache: 1,
        explain: { origin: 'cache', variant: record?.variant },
      });
      expect(line?.explain.measured).toEqual(record?.measured);
    }
    expect(await keyed('force', cache)).toMatchObject([{ tuned: 1, fromCache: 0 }]);
    expect(only(cache).record).toBeDefined();
  });

  /** Damage to a file of the cache. */
  const damages: Readonly<Record<string, (path: string) => void>> = {
    empty: (path) => truncateSync(path, 0),
    'cut in the middle': (path) => truncateSync(path, 300),
    'without its last byte': (path) => writeFileSync(path, readFileSync(path).subarray(0, -1)),
    'one bit flipped': (path) => {
      const bytes = readFileSync(path);
      bytes[400] = (bytes[400] ?? 0) ^ 1;
      writeFileSync(path, bytes);
    },
    'of another schema': (path) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace('"schema":1', '"schema":2')),
    'another text': (path) => writeFileSync(path, 'hello\n'),
    'far too long': (path) => writeFileSync(path, 'x'.repeat(1 << 20)),
    'a link to itself': (path) => {
      rmSync(path);
      symlinkSync(path, path);
    },
  };
  test.each(Object.keys(damages))('a file that is %s is measured over', async (name) => {
    const cache = join(root, `damaged ${name}`);
    await keyed('on-miss', cache);
    const { path } = only(cache);
    damages[name]?.(path);
    expect(cacheFiles(cache)).toMatchObject([{ damage: expect.any(String) }]);
    expect(await keyed('on-miss', cache)).toMatchObject([{ tuned: 1, fromCache: 0, damaged: 1 }]);
    expect(only(cache).damage).toBeUndefined();
    expect(await keyed('on-miss', cache)).toMatchObject([{ tuned: 0, fromCache: 1, damaged: 0 }]);
  });

  test('a record under the name of another key is not believed', async () => {
    const cache = join(root, 'foreign');
    await keyed<object>('keys', cache, '2');
    const [first, second] = cacheFiles(cache).map(({ path }) => path);
    copyFileSync(first ?? '', second ?? '');
    expect(cacheFiles(cache).filter(({ damage }) => damage)).toMatchObject([
      { damage: 'has the name of another key' },
    ]);
    expect(await keyed<object>('keys', cache, '2')).toEqual([{ tuned: 1, fromCache: 1, damaged: 1 }]);
  });

  /** Writes a record in the place of another, or beside it, as the library does. */
  const write = (path: string, body: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${body},"sum":"${digestOf(body)}"}\n`);
  };
  const bodyOf = (path: string) => readFileSync(path, 'utf8').replace(/,"sum":"[^"]*"\}\n$/, '');

  test('times have three decimals, in whatever language', async () => {
    const cache = join(root, 'decimals');
    await keyed('on-miss', cache);
    expect(bodyOf(only(cache).path)).toMatch(/"measured":\[(\["[^"]+",\d+\.\d{3}\],?)+\]/);
  });

  test('a record of another source does not hold, and that of the next process takes its place', async () => {
    const cache = join(root, 'stale');
    const [first] = await keyed('on-miss', cache);
    const { path } = only(cache);
    write(path, bodyOf(path).replace(/"hash":"[0-9a-f]{8}/, '"hash":"00000000'));
    expect(cacheFiles(cache).filter(({ damage }) => damage)).toEqual([]);
    const { variant } = first?.explain ?? {};
    expect(await keyed('on-miss', cache)).toMatchObject([
      { tuned: 1, fromCache: 0, explain: { origin: 'tuned' } },
    ]);
    expect(await keyed('on-miss', cache)).toMatchObject([
      { tuned: 0, fromCache: 1, explain: { origin: 'cache' } },
    ]);
    expect(variant).toBeDefined();
  });

  test('a kernel that was found wrong is not taken from a record that names it', async () => {
    const cache = join(root, 'refused');
    const [first] = await keyed('on-miss', cache);
    const { path, record } = only(cache);
    const { key, variant, hash, time } = record ?? expect.fail('no record');
    expect(first?.explain.variant, 'another kernel has to be left').not.toBe(naive);
    const refusal = { schema: 1, key, variant, hash, refused: 'wrong', measured: [], time };
    const place = join(dirname(dirname(path)), 'r', `${digestOf(`${key} ${variant}`)}.json`);
    write(place, JSON.stringify(refusal).slice(0, -1));
    expect(cacheFiles(cache).filter(({ damage }) => damage)).toEqual([]);
    const [next] = await keyed('on-miss', cache);
    expect(next).toMatchObject({ tuned: 1, fromCache: 0, explain: { origin: 'tuned' } });
    expect(next?.explain.variant).not.toBe(variant);
    expect(await keyed('on-miss', cache)).toMatchObject([
      { tuned: 0, fromCache: 1, explain: { variant: next?.explain.variant } },
    ]);
  });

  test('what a library measured becomes times that its family ships, and those of a GPU alone', async () => {
    const cache = join(root, 'shipped');
    const [line] = await keyed('on-miss', cache);
    // The family's folder is that of the package, which is not to be changed.
    const own = join(root, 'package');
    for (const part of ['dist', 'src', 'templates', 'kit', 'package.json'])
      cpSync(join(packageRoot, part), join(own, part), { recursive: true });
    symlinkSync(join(packageRoot, 'node_modules'), join(own, 'node_modules'));
    const file = join(own, 'templates/kernels/bsr-spmm/wisdom/timings/sm_89.json');
    const words = ['cache', 'export', '--wisdom', 'bsr-spmm', '--folder', cache];
    const gen = () =>
      localExecutor.run([process.execPath, join(own, 'dist/cli.js'), ...words], { cwd: root });
    const none = await gen();
    expect([none.exitCode, none.stderr]).toEqual([
      2,
      expect.stringContaining(`${cache} has no records of bsr-spmm on a GPU`),
    ]);
    expect(existsSync(file)).toBe(false);
    const { path, record } = only(cache);
    const gpu = 'target: cuda\ngpu: NVIDIA L40S\ncompute capability: 8.9\ndriver: 13000\n';
    const folder = join(cache, 'v1', digestOf(gpu));
    cpSync(dirname(path), join(folder, 'k'), { recursive: true });
    writeFileSync(join(folder, 'environment.txt'), gpu);
    const timing = {
      name: record?.key,
      features: { m: 128, n: 64, k: 256, block: 64 },
      source: 'NVIDIA L40S, driver 13000',
      times: Object.fromEntries(
        (line?.explain.measured ?? []).map(([id, us]) => [id, Number(us.toPrecision(4))]),
      ),
    };
    for (let turn = 0; turn < 2; turn++) {
      const { exitCode, stdout, stderr } = await gen();
      expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 0, stdout: '' });
      expect(stderr).toContain(`${file}: 1 keys`);
      const { timings, ...of } = JSON.parse(readFileSync(file, 'utf8'));
      expect(of).toMatchObject({ family: 'bsr-spmm', arch: 'sm_89' });
      expect(timings).toEqual([{ ...timing, features: expect.objectContaining(timing.features) }]);
    }
  });

  test('where nothing can be written, one warning says so and results are right', async () => {
    const file = join(root, 'a file');
    writeFileSync(file, '');
    const { exitCode, stderr } = await localExecutor.run([program, 'keys', join(file, 'cache'), '3']);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^tilewright: cannot write .*: what is measured is kept in memory only\n$/);
  });

  test('a record that comes while it is looked for is found or not, and never taken for a damaged one', async () => {
    const races = join(root, 'racing_records');
    const folders = ['-I', join(library, 'src')];
    await compile(races, [join(packageRoot, 'test/fixtures/c/racing_records.cpp')], folders);
    const cache = join(root, 'coming and going');
    const { stdout } = await localExecutor.run([races, cache], { timeoutMs: 120_000 });
    const { found, damaged } = JSON.parse(stdout);
    expect(found).toBeGreaterThan(0);
    expect(damaged).toBe(0);
  });

  test('32 processes, some of them killed: no invalid record, and nobody notices', {
    timeout: 600_000,
  }, async () => {
    const cache = join(root, 'raced');
    mkdirSync(cache);
    const racers = Array.from({ length: 32 }, () =>
      spawn(program, ['keys', cache, '10'], { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    const ends = racers.map(end);
    // The last to begin are the first to be killed: whoever began earlier may be at its end.
    for (const [place, racer] of racers.slice(-8).toReversed().entries())
      setTimeout(() => racer.kill('SIGKILL'), 20 * place);
    const lines = (await Promise.all(ends)).filter((text) => text !== undefined);
    expect(lines.length).toBeGreaterThanOrEqual(24);
    expect(lines.length, 'some were killed before their end').toBeLessThan(32);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ damaged: 0 });
    const files = cacheFiles(cache);
    expect(files.filter(({ damage }) => damage)).toEqual([]);
    expect(files.filter(({ record }) => record)).toHaveLength(10);
    expect(await keyed<object>('keys', cache, '10')).toEqual([{ tuned: 0, fromCache: 10, damaged: 0 }]);
  });
});

/** A process's output; undefined if it was killed before its end. */
async function end(child: ChildProcess): Promise<string | undefined> {
  let text = '';
  child.stdout?.on('data', (part) => {
    text += part;
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (code === 0) resolve(text);
      else if (signal === 'SIGKILL') resolve(undefined);
      else reject(new Error(`a racing process ended with ${code ?? signal}`));
    });
  });
}
