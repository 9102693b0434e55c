import { describe, expect, test } from 'vitest';
import { archNamed } from '../../../src/arch/index.ts';
import { chooseGpus } from '../../../src/backends/gpus.ts';
import { parseDevices } from '../../../src/backends/index.ts';
import { usableGpus } from '../../../src/toolchain/gpu.ts';

const twoAlike = `NVIDIA H100 80GB HBM3, GPU-aaaa-1, 580.159, 9.0
NVIDIA H100 80GB HBM3, GPU-bbbb-2, 580.159, 9.0
`;
const mixed = `NVIDIA A10, GPU-cccc-0, 580.159, 8.6
NVIDIA H200, GPU-aaaa-1, 580.159, 9.0
NVIDIA A100-SXM4-80GB, GPU-aabb-2, 580.159, 8.0
NVIDIA H200, GPU-dddd-3, 580.159, 9.0
`;

describe('the GPUs that a process may use', () => {
  const seen = (list: string, visible?: string) => usableGpus(list, visible).map(({ uuid }) => uuid);

  test('are numbered in the order of the list', () => {
    expect(usableGpus(twoAlike)).toEqual([
      {
        id: 'cuda:0',
        name: 'NVIDIA H100 80GB HBM3',
        uuid: 'GPU-aaaa-1',
        driver: '580.159',
        computeCapability: 90,
      },
      {
        id: 'cuda:1',
        name: 'NVIDIA H100 80GB HBM3',
        uuid: 'GPU-bbbb-2',
        driver: '580.159',
        computeCapability: 90,
      },
    ]);
  });

  test.each([
    [undefined, ['GPU-cccc-0', 'GPU-aaaa-1', 'GPU-aabb-2', 'GPU-dddd-3']],
    ['', []],
    ['-1', []],
    ['3,0', ['GPU-dddd-3', 'GPU-cccc-0']],
    [' 1 , 2', ['GPU-aaaa-1', 'GPU-aabb-2']],
    ['1,9,2', ['GPU-aaaa-1']], // ends at the first that there is not
    ['GPU-dd,GPU-aaaa-1', ['GPU-dddd-3', 'GPU-aaaa-1']],
    ['GPU-aa', []], // two begin so
    ['1,1', []],
    ['NoDevFiles', []],
    ['MIG-1234', []], // of which of these?
  ])('with CUDA_VISIBLE_DEVICES=%s are %j', (visible, uuids) => {
    expect(seen(mixed, visible)).toEqual(uuids);
  });

  test('have new numbers where some are hidden', () => {
    expect(usableGpus(mixed, '3,1').map(({ id, uuid }) => `${id} ${uuid}`)).toEqual([
      'cuda:0 GPU-dddd-3',
      'cuda:1 GPU-aaaa-1',
    ]);
  });

  test('may be parts of GPUs of one kind', () => {
    expect(usableGpus(twoAlike, 'MIG-1234')).toMatchObject([{ uuid: 'MIG-1234', computeCapability: 90 }]);
  });

  test('are none where the driver tells of none that makes sense', () => {
    expect(seen('No devices were found\n')).toEqual([]);
    expect(seen('NVIDIA A10, GPU-cccc-0, 580.159, [N/A]\n')).toEqual([]);
  });
});

describe('the GPUs of a run', () => {
  const choose = (list: string, device: string, arch = 'sm_90a', visible?: string) => {
    const all = usableGpus(list, visible);
    const { gpus, ...rest } = chooseGpus(all, parseDevices(device), archNamed(arch), () => 'no GPU');
    return { ids: gpus.map(({ id }) => id), ...rest };
  };

  test.each([
    ['cuda', ['cuda:0', 'cuda:1']],
    ['auto', ['cuda:0', 'cuda:1']],
    ['cuda:1', ['cuda:1']],
    ['cuda:0,1', ['cuda:0', 'cuda:1']],
  ])('by --device %s are %j of two', (device, ids) => {
    expect(choose(twoAlike, device)).toEqual({ ids, leftOut: [] });
  });

  test('are those that run the code; the others are left out with the reason', () => {
    expect(choose(mixed, 'cuda')).toEqual({
      ids: ['cuda:1', 'cuda:3'],
      leftOut: [
        'not used: code for sm_90a does not run on cuda:0, this NVIDIA A10; use --arch sm_86',
        'not used: code for sm_90a does not run on cuda:2, this NVIDIA A100-SXM4-80GB; use --arch sm_80',
      ],
    });
    expect(choose(mixed, 'cuda', 'sm_86').ids).toEqual(['cuda:0']);
  });

  test('are none where one that was named does not run the code', () => {
    expect(choose(mixed, 'cuda:0,1')).toEqual({
      ids: [],
      leftOut: [],
      obstacle: 'code for sm_90a does not run on cuda:0, this NVIDIA A10; use --arch sm_86',
    });
  });

  test('are none where all are of other architectures', () => {
    expect(choose(twoAlike, 'cuda', 'sm_120').obstacle).toMatch(/^code for sm_120 does not run on cuda:0/);
  });

  test('are of one model', () => {
    const models = `${twoAlike}NVIDIA H200, GPU-dddd-3, 580.159, 9.0\n`;
    const why =
      'cuda:2 is an NVIDIA H200, and cuda:0 an NVIDIA H100 80GB HBM3: a run times on GPUs of one model; begin one with --device cuda:2';
    expect(choose(models, 'cuda')).toEqual({ ids: ['cuda:0', 'cuda:1'], leftOut: [`not used: ${why}`] });
    expect(choose(models, 'cuda:0,2').obstacle).toBe(why);
    expect(choose(models, 'cuda:2').ids).toEqual(['cuda:2']);
    expect(choose(mixed, 'cuda', 'sm_80').ids).toEqual(['cuda:0']); // an A10 runs it, an A100 is another model
  });

  test('are none where a number is not there', () => {
    expect(choose(twoAlike, 'cuda:1,4').obstacle).toBe(
      'there is no GPU 4: this process may use cuda:0, cuda:1 (nvidia-smi, CUDA_VISIBLE_DEVICES)',
    );
    expect(choose(twoAlike, 'cuda:1', 'sm_90a', '1').obstacle).toContain('there is no GPU 1');
  });

  test('are none where there is none', () => {
    expect(choose('', 'cuda')).toEqual({ ids: [], leftOut: [], obstacle: 'no GPU' });
  });
});
