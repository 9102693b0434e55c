import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { archs } from '../../../src/arch/index.ts';
import { sm80 } from '../../../src/arch/sm80.ts';
import { sm90a } from '../../../src/arch/sm90a.ts';
import { compileEmulated } from '../../../src/compile/host.ts';
import { compileImported } from '../../../src/compile/imported.ts';
import { compileCuda, cudaKey } from '../../../src/compile/nvcc.ts';
import { EnvironmentError, UsageError } from '../../../src/errors.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import type { Toolchain } from '../../../src/toolchain/find.ts';
import { Slots } from '../../../src/util/limit.ts';
import { folderOf } from '../../helpers/folder.ts';
import { kernelText, sourceOf } from '../../helpers/source.ts';
import { testContext, testToolchain } from '../../helpers/toolchain.ts';

const slow = { timeout: 120_000 };

let toolchain: Toolchain;
beforeAll(async () => {
  toolchain = await testToolchain();
});

const good = sourceOf(kernelText('  if (threadIdx.x < args.count) args.y[threadIdx.x] = 1;'));
const bad = sourceOf(kernelText('  undefined_thing(args.count);'));

/** Several seconds of work for one process of nvcc: what the tests allow is one. */
const laborious = sourceOf(
  kernelText(`  float a[64];
  for (int i = 0; i < 64; i++) a[i] = args.y[i];
#pragma unroll
  for (int i = 0; i < 60; i++)
#pragma unroll
    for (int j = 0; j < 64; j++) a[j] = a[(j + 7) % 64] * a[(i * 13 + j) % 64] + args.y[(i * 64 + j) & 1023];
  for (int i = 0; i < 64; i++) args.y[i] = a[i];`),
);

describe('compileCuda', () => {
  test('gives a cubin with what ptxas says of it, then finds it', async () => {
    const context = testContext(folderOf());
    const artifact = await compileCuda(good, sm90a, toolchain, context);
    expect(artifact).toMatchObject({
      device: 'cuda',
      arch: 'sm_90a',
      cached: false,
      resources: { spillLoadBytes: 0 },
    });
    if (!('path' in artifact)) throw new Error('no artifact');
    expect(readFileSync(artifact.path).subarray(0, 4).toString('latin1')).toBe('\u007fELF');
    expect(await compileCuda(good, sm90a, toolchain, context)).toMatchObject({ cached: true, seconds: 0 });
    expect(await compileCuda(good, sm80, toolchain, context)).toMatchObject({ cached: false, arch: 'sm_80' });
  });

  test.each(archs)('makes a cubin for $name', async (arch) => {
    const artifact = await compileCuda(good, arch, toolchain, testContext());
    if (!('path' in artifact)) throw new Error(artifact.evidence.message);
    // The ELF header of a cubin has the compute capability among its flags.
    expect([...readFileSync(artifact.path).subarray(48, 52)]).toContain(arch.capability);
  });

  test('a bad kernel is a verdict with the first error, and is remembered', async () => {
    const context = testContext(folderOf());
    const verdict = await compileCuda(bad, sm90a, toolchain, context);
    expect(verdict).toMatchObject({ verdict: 'compile', device: 'none', evidence: { cached: false } });
    if (!('verdict' in verdict)) throw new Error('no verdict');
    expect(verdict.evidence.message).toBe(
      'scale.hand.cu(10): error: identifier "undefined_thing" is undefined',
    );
    expect(readFileSync(String(verdict.evidence.log), 'utf8')).toContain('undefined_thing');
    expect(await compileCuda(bad, sm90a, toolchain, context)).toMatchObject({ evidence: { cached: true } });
  });

  test('too much shared memory is `resources`', async () => {
    const big = sourceOf(
      'extern "C" __global__ void scale_hand(float* y) { __shared__ float s[100000]; s[threadIdx.x] = 1; __syncthreads(); *y = s[9]; }',
    );
    expect(await compileCuda(big, sm90a, toolchain, testContext(folderOf()))).toMatchObject({
      verdict: 'resources',
      evidence: { message: expect.stringContaining('uses too much shared data') },
    });
  });

  test(
    "a compiler that takes too long is the kernel's fault, and is asked again by the next sweep",
    slow,
    async () => {
      const context = { ...testContext(folderOf()), cpuSeconds: 1 };
      expect(await compileCuda(laborious, sm90a, toolchain, context)).toMatchObject({
        verdict: 'compile',
        device: 'none',
        evidence: { message: 'the compiler had not finished after 1 s of CPU time', cached: false },
      });
      const patient = { ...context, cpuSeconds: 60 };
      expect(await compileCuda(laborious, sm90a, toolchain, patient)).toMatchObject({ cached: false });
    },
  );

  test('time in which the compiler gets no CPU does not count', slow, async () => {
    const folder = folderOf();
    const nvcc = script(folder, `sleep 3; exec ${toolchain.nvcc} "$@"`);
    const context = { ...testContext(folder), cpuSeconds: 2 };
    expect(await compileCuda(good, sm90a, { ...toolchain, nvcc }, context)).toMatchObject({ cached: false });
  });

  test('a compiler that never gets on is no fault of the kernel', slow, async () => {
    const folder = folderOf();
    const context = { ...testContext(folder), wallSeconds: 0.5 };
    const nvcc = script(folder, 'sleep 100');
    expect(await compileCuda(good, sm90a, { ...toolchain, nvcc }, context)).toMatchObject({
      verdict: 'machine',
      evidence: { message: expect.stringMatching(/had not finished after \d+ s .* less busy/) },
    });
  });

  test('a compiler that is killed once is asked again, with no other beside it', slow, async () => {
    const folder = folderOf();
    const nvcc = script(
      folder,
      `[ -e ${folder}/once ] || { touch ${folder}/once; kill -KILL $$; }; sleep 0.2; date +%s%N >${folder}/alone; exec ${toolchain.nvcc} "$@"`,
    );
    const context = { ...testContext(folder), slots: new Slots(2) };
    const beside = context.slots.run(() =>
      localExecutor.run(['sh', '-c', `sleep 1; date +%s%N >${folder}/beside`]),
    );
    expect(await compileCuda(good, sm90a, { ...toolchain, nvcc }, context)).toMatchObject({
      cached: false,
    });
    await beside;
    const [alone, other] = ['alone', 'beside'].map((name) =>
      BigInt(readFileSync(join(folder, name), 'utf8')),
    );
    expect(alone).toBeGreaterThan(other ?? 0n);
  });

  test.each([
    ['itself', 'kill -KILL $$', /was killed, also when no other ran beside it; free memory/],
    ['one of its parts', 'echo Killed >&2; exit 137', /was killed, .*: Killed; free memory or lower --jobs/],
    ['by g++', 'echo "g++: fatal error: Killed signal terminated program cc1plus" >&2; exit 1', /was killed/],
    [
      'as nvcc asks for the version of its g++',
      'echo "g++: fatal error: Killed signal terminated program cc1plus\nnvcc fatal   : Failed to preprocess host compiler properties." >&2; exit 1',
      /was killed/,
    ],
    [
      'for want of memory',
      'echo "cc1plus: out of memory allocating 65536 bytes" >&2; exit 1',
      /ran out of memory/,
    ],
    [
      'or refused a process',
      `case "$*" in *empty.cu) exit 0 ;; esac; echo "g++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable" >&2; exit 1`,
      /was refused .*, also when no other ran beside it: .*cannot execute 'cc1plus'.*; raise `ulimit -u` or lower --jobs/,
    ],
  ])(
    "a compiler that is killed, %s: the machine's fault, and nothing is remembered",
    async (_, body, message) => {
      const folder = folderOf();
      const context = testContext(folder);
      const nvcc = script(folder, body);
      expect(await compileCuda(good, sm90a, { ...toolchain, nvcc }, context)).toMatchObject({
        verdict: 'machine',
        device: 'none',
        evidence: { message: expect.stringMatching(message) },
      });
      expect(readdirSync(folder).filter((name) => name.startsWith('tmp'))).toEqual([]);
      expect(await compileCuda(good, sm90a, toolchain, context)).toMatchObject({ cached: false });
    },
  );

  test('a compiler that crashes on one source and not on others does not take it', async () => {
    const folder = folderOf();
    const nvcc = script(folder, `case "$*" in *empty.cu) exit 0 ;; esac; kill -SEGV $$`);
    expect(await compileCuda(good, sm90a, { ...toolchain, nvcc }, testContext(folder))).toMatchObject({
      verdict: 'compile',
      evidence: { message: 'the compiler crashes on this source', cached: false },
    });
  });

  test.each<[string, (folder: string) => Partial<Toolchain>, RegExp]>([
    ['no nvcc', () => ({ nvcc: '/nowhere/nvcc' }), /cannot start \/nowhere\/nvcc: there is no such program/],
    ['no g++', () => ({ cxx: '/nowhere/g++' }), /nvcc finds no usable g\+\+/],
    ['an nvcc that crashes', (folder) => ({ nvcc: script(folder, 'kill -SEGV $$') }), /was ended by SIGSEGV/],
    [
      'an nvcc that always fails',
      (folder) => ({ nvcc: script(folder, 'echo broken >&2; exit 3') }),
      /ended with code 3: broken/,
    ],
    [
      'a full disk',
      (folder) => ({ nvcc: script(folder, 'echo "ptxas fatal: No space left on device" >&2; exit 1') }),
      /no space left on the disk/,
    ],
    [
      'a disk that is full for an empty kernel too',
      (folder) => ({
        nvcc: script(
          folder,
          'case "$*" in *empty.cu) echo "as: x.o: No space left on device" >&2 ;; esac; exit 1',
        ),
      }),
      /^cannot compile: there is no space left on the disk; free some/,
    ],
  ])("%s is the machine's fault, and nothing is remembered", async (_, broken, message) => {
    const folder = folderOf();
    const context = testContext(folder);
    const compile = () => compileCuda(good, sm90a, { ...toolchain, ...broken(folder) }, context);
    await expect(compile()).rejects.toThrow(EnvironmentError);
    await expect(compile()).rejects.toThrow(message);
    expect(await compileCuda(good, sm90a, toolchain, context)).toMatchObject({ cached: false });
  });

  test.each(['"', '$', '`'])(
    'a folder with %s, which nvcc would give to a shell, is refused',
    async (one) => {
      const context = testContext(join(folderOf(), `a${one}HOME`));
      const compile = () => compileCuda(good, sm90a, toolchain, context);
      await expect(compile()).rejects.toThrow(UsageError);
      await expect(compile()).rejects.toThrow(
        `nvcc takes no path with the character ${one}, which its shell reads: ${context.cacheRoot}; name another folder with --out`,
      );
      const source = sourceOf(`TW_IMPORTED(scale_hand, "x")\n`);
      await expect(compileImported(source, sm90a, toolchain, context)).rejects.toThrow(
        `the character ${one}`,
      );
    },
  );

  test('the key follows source, arch, compiler and nothing else', () => {
    const context = testContext();
    const key = cudaKey(good, sm90a, toolchain, context);
    expect(cudaKey({ ...good, path: '/elsewhere/x.cu' }, sm90a, toolchain, context)).toBe(key);
    expect(cudaKey(bad, sm90a, toolchain, context)).not.toBe(key);
    expect(cudaKey(good, sm80, toolchain, context)).not.toBe(key);
    expect(cudaKey(good, sm90a, { ...toolchain, nvccVersion: '13.0.1' }, context)).not.toBe(key);
  });
});

describe('compileEmulated', () => {
  test("gives a shared object with the kernel's entry, then finds it", async () => {
    const context = testContext();
    const artifact = await compileEmulated(good, toolchain, context);
    if (!('path' in artifact)) throw new Error('no artifact');
    expect(readFileSync(artifact.path).includes('scale_hand_emulated')).toBe(true);
    expect(await compileEmulated(good, toolchain, context)).toMatchObject({
      cached: true,
      device: 'emulated',
    });
  });

  test('a bad kernel is a verdict with the first error', async () => {
    expect(await compileEmulated(bad, toolchain, testContext())).toMatchObject({
      verdict: 'compile',
      device: 'emulated',
      evidence: {
        message: expect.stringMatching(/^scale\.hand\.cu:10:3: error: 'undefined_thing' was not declared/),
      },
    });
  });

  test("no g++ is the machine's fault", async () => {
    const compile = compileEmulated(good, { ...toolchain, cxx: '/nowhere/g++' }, testContext(folderOf()));
    await expect(compile).rejects.toThrow(/cannot start \/nowhere\/g\+\+/);
  });
});

function script(folder: string, body: string): string {
  const path = join(folder, 'nvcc');
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}
