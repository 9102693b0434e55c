// Choices of `--device cuda` from the driver's list. There is no GPU behind it: the real runner says so of each.
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf } from '../helpers/folder.ts';
import { gen, verdictsOf, workspace } from '../helpers/gen.ts';

const hasGpu = ['/dev/nvidiactl', '/dev/dxg'].some(existsSync);
const list = `NVIDIA H100 80GB HBM3, GPU-aaaa, 580.159, 9.0
NVIDIA A10, GPU-bbbb, 580.159, 8.6
NVIDIA H100 80GB HBM3, GPU-cccc, 580.159, 9.0`;

async function withList(env: Readonly<Record<string, string>> = {}) {
  const tools = folderOf({ 'nvidia-smi': `#!/bin/sh\necho "${list}"\n` });
  await chmod(join(tools, 'nvidia-smi'), 0o755);
  return { PATH: `${tools}:${process.env.PATH}`, ...env };
}

describe.skipIf(hasGpu)('a list of GPUs', () => {
  const validate = async (device: string, env?: Readonly<Record<string, string>>) => {
    const args = ['validate', 'scale', '--preset', 'broken', '--device', device, '--json'];
    return gen(workspace().path, args, await withList(env));
  };

  test('is opened GPU by GPU, as far as they run the code', { timeout: 300_000 }, async () => {
    const { code, events, stdout } = await validate('cuda');
    expect(code).toBe(2);
    expect(stdout).toContain(
      'not used: code for sm_90a does not run on cuda:1, this NVIDIA A10; use --arch sm_86',
    );
    const last = events.at(-1);
    expect(last).toMatchObject({ event: 'error', kind: 'environment' });
    expect(last?.event === 'error' && last.message).toMatch(/^cuda:0: .+; cuda:2: .+/);
  });

  test.each([
    ['cuda:2', undefined, /^cuda:2: [^;]+$/],
    ['cuda:0', '2,0', /^cuda:0: [^;]+$/],
    ['cuda:1', undefined, /^cuda:1: [^;]+$/],
    ['cuda:3', undefined, /--device cuda:3: there is no GPU 3: this process may use cuda:0, cuda:1, cuda:2/],
    ['cuda', '', /--device cuda: .*; --device emulated gates without one/],
  ])(
    'with --device %s and CUDA_VISIBLE_DEVICES=%s is used so',
    { timeout: 300_000 },
    async (device, visible, message) => {
      const { code, events } = await validate(
        device,
        visible === undefined ? {} : { CUDA_VISIBLE_DEVICES: visible },
      );
      expect(code).toBe(2);
      const last = events.at(-1);
      expect(last?.event === 'error' && last.message).toMatch(message);
    },
  );

  test('does not keep `auto` from gating on the emulated device', { timeout: 300_000 }, async () => {
    const { events, code } = await validate('auto');
    expect(code).toBe(1);
    expect(Object.values(verdictsOf(events)).toSorted()).toEqual(['compile', 'wrong']);
  });

  test('is not understood where the device is misspelt', async () => {
    const { code, stdout } = await validate('cuda:a');
    expect(code).toBe(2);
    expect(stdout).toContain("there is no device 'cuda:a': choose auto, emulated, cuda, or numbered GPUs");
  });
});
