import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadFamily } from '../../src/discover.ts';
import { bindingNames, loadBinding, loadPackageBinding, packageNames } from '../../src/emit/binding.ts';
import type { Library } from '../../src/emit/emit.ts';
import { installLibrary } from '../../src/emit/install.ts';
import { buildManifest, describeOperation } from '../../src/emit/manifest.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { manifestSchema } from '../../src/model/manifest.ts';
import type { Choice } from '../../src/model/selection.ts';
import { newKernel } from '../../src/scaffold.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, hasTool, toolEnvironment, toolFolders } from '../helpers/library.ts';
import { testToolchain } from '../helpers/toolchain.ts';
import { toyRequest, toyShipped } from '../helpers/toy-library.ts';

const all = [
  ...bindingNames().map((name) => [name, loadBinding] as const),
  ...packageNames().map((name) => [name, loadPackageBinding] as const),
];

test.each(all)('binding %s is named as its folder and says what it makes', async (name, load) => {
  const binding = await load(name);
  expect(binding.name).toBe(name);
  expect(binding.summary).not.toBe('');
});

test('the C policy says on what evidence, and which devices an image is for', async () => {
  const { context, operation } = await loadBinding('c');
  const request = toyRequest();
  const [untimed] = request.selection.choices;
  const choice = {
    ...(untimed as Choice),
    winner: 'cusparse-bsr',
    median: 41.8e-6,
    l2: 'hot' as const,
    slowdown: 1.0123,
    variantMedian: 55e-6,
  };
  const timed = { ...choice, baseline: { name: 'cusparse-bsr', median: 41.8e-6 } };
  const selection = { ...request.selection, timed: true, choices: [timed, timed] };
  const toy = describeOperation({ ...request, selection }, toyShipped(), '1.2.3');
  const rendered = operation.context(toy);
  expect(rendered.variants).toMatchObject([{ images: ['{"kernels/x.fatbin", 90, Reach::this_chip}'] }]);
  const whole = context(buildManifest({ a: toy, b: toy }, '1.2.3'));
  expect(whole.images).toMatchObject([{ index: 0 }, { index: 1 }]);
  // The second workload has the features of the first: dispatch could not tell them apart.
  expect(rendered.choices).toMatchObject([
    {
      evidence: '55.0 us hot, 1.012x the best of ours; cusparse-bsr 41.8 us, which is faster',
      variant: 0,
    },
  ]);
});

test('an unknown binding is refused with the ones there are', async () => {
  await expect(loadBinding('cobol')).rejects.toThrow(/no binding 'cobol'; there are: c/);
});

/** Fails with the command's own words unless it exits with `code`. */
async function run(
  argv: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
  code = 0,
): Promise<string> {
  const { exitCode, stdout, stderr } = await localExecutor.run(argv, {
    cwd,
    env: { ...toolEnvironment, ...env },
    timeoutMs: 300_000,
  });
  expect(exitCode, `${argv.join(' ')}\n${stdout}${stderr}`).toBe(code);
  return stdout + stderr;
}

/** The variant of `quick` that is to serve uneven rows. */
const uneven = 'bsr_spmm.mma.b64.pw4-fef2';

describe('the C library of a run', { timeout: 300_000 }, () => {
  let root: string;
  let library: Library;
  let hasCuda: boolean;
  const place = (...parts: string[]) => join(root, ...parts);

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tilewright-library-'));
    const where =
      'input == "f16" && output == "f16" && (path == "naive" && block == 64 || path == "mma" && block in [32, 64])';
    const won = { workload: '4096.power-law.b64', variant: uneven, source: '', run: 'gpu-1', parameters: {} };
    const winners = [{ ...won, median: 1e-4, mad: 1e-6, tflops: 100, l2: 'hot' as const }];
    await emitTestLibrary({ out: place('out'), where, winners });
    newKernel('my-op', root);
    const of = await loadFamily('my-op', { root });
    library = await emitTestLibrary({
      out: place('out'),
      of,
      where: 'threads == 64 && vector in [1, 4] && unroll == 1',
    });
    hasCuda = Object.values(library.manifest.operations).every(({ variants }) =>
      variants.every(({ images }) => images.length > 0),
    );
    const define = {
      CMAKE_CXX_FLAGS: '-Wall -Wextra -Werror -O1',
      CMAKE_BUILD_TYPE: 'None',
      TILEWRIGHT_EMULATE_ALL: 'ON', // calls.c knows which kernel a GPU would run
    };
    const common = { define, toolFolders, buildFolder: place('library-build') };
    for (const kind of ['shared', 'static'] as const)
      await installLibrary(library.path, place(kind), localExecutor, {
        ...common,
        shared: kind === 'shared',
      });
    await installLibrary(library.path, place('plain'), localExecutor, {
      ...common,
      shared: false,
      cuda: 'off',
    });
    // The consumer is all that is left: the library's sources are out of its reach.
    cpSync(join(packageRoot, 'examples', 'c-consumer'), place('consumer'), { recursive: true });
    await rm(place('out', 'library', 'src'), { recursive: true });
  }, 600_000);
  afterAll(() => rm(root, { recursive: true, force: true }));

  test('carries a manifest that its schema accepts, in the package and installed', () => {
    const text = readFileSync(place('shared', 'share', 'tilewright', 'manifest.json'), 'utf8');
    expect(manifestSchema.parse(JSON.parse(text))).toEqual(library.manifest);
    expect(library.manifest.operations).toMatchObject({
      bsr_spmm: { family: 'bsr-spmm', untimed: false, wisdom: [] },
      my_op: { family: 'my-op' },
    });
    expect(library.manifest.licence).toEqual({ spdx: 'MIT', file: 'LICENSE' });
    expect(existsSync(place('shared', 'share', 'tilewright', 'LICENSE'))).toBe(true);
  });

  // `plain`: built where there is no CUDA toolkit, not even its headers.
  test.each(['shared', 'static', 'plain'])(
    'find_package: a C project multiplies with the %s emulated library',
    async (kind) => {
      const build = place(`build-${kind}`);
      await run(['cmake', '-S', 'consumer', '-B', build, `-DCMAKE_PREFIX_PATH=${place(kind)}`], root);
      await run(['cmake', '--build', build], root);
      expect(await run([join(build, 'consumer')], root)).toMatch(/^PASS: emulated by bsr_spmm\.mma\.b64/);
      writeFileSync(
        place('own.mtx'),
        '%%MatrixMarket matrix coordinate real symmetric\n% of 2 x 2 blocks\n100 100 3\n1 1 2.5\n100 3 -0.3\n70 70 1e-6\n',
      );
      const ofFile = await run([join(build, 'consumer'), '--matrix', `${place('own.mtx')}@64`], root);
      expect(ofFile).toMatch(/^PASS: emulated by bsr_spmm\.mma\.b64/);
    },
  );

  test.each(['shared', 'static'])(
    'find_package: without a driver the %s CUDA library says so',
    async (kind) => {
      if (!hasCuda)
        return expect(existsSync(place(kind, 'lib', 'cmake', 'tilewright', 'tilewrightTargets.cmake'))).toBe(
          false,
        );
      const build = place(`build-cuda-${kind}`);
      const { cudaHome } = await testToolchain();
      await run(
        [
          'cmake',
          '-S',
          'consumer',
          '-B',
          build,
          `-DCMAKE_PREFIX_PATH=${place(kind)}`,
          '-DLIBRARY=tilewright',
        ],
        root,
        { CUDA_HOME: cudaHome },
      );
      await run(['cmake', '--build', build], root);
      const { exitCode, stdout, stderr } = await localExecutor.run([join(build, 'consumer')], {});
      if (exitCode === 0) expect(stdout).toMatch(/^PASS: cuda/);
      else {
        expect(exitCode).toBe(77);
        expect(stderr).toMatch(
          /no device: no usable GPU or driver \(no usable NVIDIA GPU or driver .*link tilewright::emulated/,
        );
      }
    },
  );

  const pkgConfig = test.skipIf(!hasTool('pkg-config'));
  pkgConfig.each(['shared', 'static'])(
    'pkg-config: the %s emulated library links without CMake',
    async (kind) => {
      const env = { PKG_CONFIG_PATH: place(kind, 'lib', 'pkgconfig') };
      const flags = (await run(['pkg-config', '--cflags', '--libs', 'tilewright_emulated'], root, env))
        .trim()
        .split(/\s+/);
      const program = place(`plain-${kind}`);
      await run(['gcc', '-std=c11', 'consumer/main.c', '-o', program, ...flags, '-lm'], root);
      const output = await run([program], root, { LD_LIBRARY_PATH: place(kind, 'lib') });
      expect(output).toMatch(/^PASS/);
    },
  );

  test('answers careless calls with a code and a text, and dispatches by the policy', async () => {
    const source = join(packageRoot, 'test', 'fixtures', 'c', 'calls.c');
    const flags = ['-I', place('shared', 'include'), '-L', place('shared', 'lib'), '-ltilewright_emulated'];
    await run(
      ['gcc', '-std=c11', '-Wall', '-Wextra', '-Werror', source, '-o', place('calls'), ...flags, '-lpthread'],
      root,
    );
    const env = { LD_LIBRARY_PATH: place('shared', 'lib') };
    expect(await run([place('calls')], root, env)).toBe('OK\n');
  });

  test('one program calls two operations, each with kernels of its own', async () => {
    const source = join(packageRoot, 'test', 'fixtures', 'c', 'two_operations.c');
    const flags = ['-I', place('shared', 'include'), '-L', place('shared', 'lib'), '-ltilewright_emulated'];
    await run(['gcc', '-std=c11', '-Wall', '-Wextra', '-Werror', source, '-o', place('two'), ...flags], root);
    const env = { LD_LIBRARY_PATH: place('shared', 'lib') };
    expect(await run([place('two')], root, env)).toMatch(/^bsr_spmm\.\S+\nmy_op\.t64\.v4-[0-9a-f]{4}\n$/);
  });

  test.each(['tilewright.h', 'bsr_spmm.h', 'my_op.h'])('%s is clean C99 and C++11', async (header) => {
    const strict = [
      '-pedantic',
      '-Wall',
      '-Wextra',
      '-Werror',
      '-fsyntax-only',
      '-I',
      place('shared', 'include'),
    ];
    writeFileSync(
      place('header.c'),
      `#include <tilewright/${header}>\nint main(void) { return (int)tw_version() * 0; }\n`,
    );
    await run(['gcc', '-std=c99', ...strict, 'header.c'], root);
    await run(['g++', '-std=c++11', ...strict, '-x', 'c++', 'header.c'], root);
  });

  test('the shared libraries export the C interface and nothing else', async () => {
    const names = ['libtilewright_emulated.so', ...(hasCuda ? ['libtilewright.so'] : [])];
    for (const name of names) {
      const symbols = await run(
        ['nm', '-D', '--defined-only', '--format=posix', place('shared', 'lib', name)],
        root,
      );
      const foreign = symbols.split('\n').filter((line) => line !== '' && !line.startsWith('tw_'));
      expect(foreign).toEqual([]);
    }
  });

  test('another major version is refused', async () => {
    writeFileSync(
      place('consumer', 'CMakeLists.txt'),
      'cmake_minimum_required(VERSION 3.21)\nproject(p LANGUAGES C)\nfind_package(tilewright 7 REQUIRED)\n',
    );
    const text = await run(
      ['cmake', '-S', 'consumer', '-B', 'b7', `-DCMAKE_PREFIX_PATH=${place('shared')}`],
      root,
      {},
      1,
    );
    expect(text).toContain('compatible with requested');
  });
});
