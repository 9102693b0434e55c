import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseDevices } from '../../../src/backends/index.ts';
import type { Options } from '../../../src/cli/options.ts';
import { archFor, configOf } from '../../../src/cli/prepare.ts';
import { folderOf } from '../../helpers/folder.ts';

afterEach(() => vi.unstubAllEnvs());

/** The architecture where the driver's tool says that there is an A100, by the config and the flags given. */
async function archWith(config: string, flags: Partial<Options> = {}): Promise<string> {
  const folder = folderOf({
    'nvidia-smi': '#!/bin/sh\necho "NVIDIA A100, GPU-0, 580.159, 8.0"\n',
    'my.config.ts': `export default ${config};`,
  });
  chmodSync(join(folder, 'nvidia-smi'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  const all = { install: false, config: join(folder, 'my.config.ts'), ...flags };
  return (await archFor(all, await configOf(all))).name;
}

describe('the architecture', () => {
  it.each([
    ["is the GPU's", '{}', {}, 'sm_80'],
    ['is the default where the config asks for the emulated device', "{ device: 'emulated' }", {}, 'sm_90a'],
    ['is the default where a flag asks for it', '{}', { device: parseDevices('emulated') }, 'sm_90a'],
    [
      "is the GPU's where a flag asks for one all the same",
      "{ device: 'emulated' }",
      { device: parseDevices('cuda') },
      'sm_80',
    ],
    ["is the config's before the GPU's", "{ arch: 'sm_90a' }", {}, 'sm_90a'],
    ["is the flag's before the config's", "{ arch: 'sm_90a' }", { arch: 'sm_80' }, 'sm_80'],
  ] as const)('%s', async (_, config, flags, name) => {
    expect(await archWith(config, flags)).toBe(name);
  });
});
