import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulated } from '../../../src/backends/index.ts';
import { mustSuitOwnSource } from '../../../src/cli/kernel-file-options.ts';
import type { Options } from '../../../src/cli/options.ts';
import { folderOf } from '../../helpers/folder.ts';

const check = (flags: Partial<Options>) => () => mustSuitOwnSource({ install: true, ...flags });

describe('options for a .cu', () => {
  it.each([
    [{ preset: 'quick' }, '--preset is for the kernels of families, not for a .cu; name one kernel'],
    [{ where: 'C == 4' }, '--where is for the kernels of families, not for a .cu; say the condition'],
    [{ limit: 2 }, '--limit is for the kernels of families'],
    [{ arch: 'sm_90a' }, '--arch is for the kernels of families'],
    [{ config: 'gen.config.ts' }, '--config is for the kernels of families'],
    [{ matrix: 'a.mtx' }, '--matrix is for the kernels of families, not for a .cu; give an argument'],
    [{ sanitize: 'memcheck' as const }, '--sanitize memcheck watches the kernel on a GPU: add --device cuda'],
    [
      {
        sanitize: 'memcheck' as const,
        device: { text: emulated.name, devices: [emulated.name], gpuOptional: false },
      },
      'add --device cuda',
    ],
  ])('refuse %o, which would be ignored', (flags, message) => {
    expect(check(flags)).toThrow(message);
  });

  it('are those that mean something there', () => {
    expect(check({ depth: 'full', case: 'a', seed: 1, jobs: 2, watchdog: 3, quiet: true })).not.toThrow();
  });

  it('name folders of headers that are there', () => {
    const folder = folderOf({ 'x.h': '' });
    expect(check({ include: [folder] })).not.toThrow();
    expect(check({ include: [folder, '/nonexistent'] })).toThrow(
      '--include /nonexistent: there is no such folder',
    );
    expect(check({ include: [join(folder, 'x.h')] })).toThrow('it is a file, not a folder');
  });
});
