import { describe, expect, it } from 'vitest';
import { archNamed, defaultArch } from '../../../../src/arch/index.ts';
import { tiers } from '../../../../src/model/workload.ts';
import { enumerate } from '../../../../src/space/enumerate.ts';
import { pointOfId } from '../../../../src/space/id.ts';
import { obstacle } from '../../../../src/space/support.ts';
import { casesOf, rowCounts } from '../../../../templates/kernels/bsr-spmm/cases.ts';
import family from '../../../../templates/kernels/bsr-spmm/family.ts';
import type { Point } from '../../../../templates/kernels/bsr-spmm/parameters.ts';
import { mmaSizes, simtSizes } from '../../../../templates/kernels/bsr-spmm/sizes.ts';
import { wgmmaConstraints } from '../../../../templates/kernels/bsr-spmm/wgmma-constraints.ts';
import { deriveWgmma, wgmmaSizes } from '../../../../templates/kernels/bsr-spmm/wgmma-sizes.ts';
import { problemOf, workloads } from '../../../../templates/kernels/bsr-spmm/workloads.ts';

const pointOf = (id: string) => pointOfId(family, id) as unknown as Point;
const enumerated = new Map(
  ['quick', 'default', 'full'].map((preset) => [
    preset,
    enumerate(family, { arch: defaultArch, preset }).variants,
  ]),
);
const variants = (preset: string) => [...(enumerated.get(preset) ?? [])];
const matching = (preset: string, values: Partial<Point>) =>
  variants(preset).filter(({ parameters }) =>
    Object.entries(values).every(([name, value]) => parameters[name] === value),
  );

describe('presets', () => {
  it('quick has every path and every block size', () => {
    expect(matching('quick', { path: 'naive' })).not.toHaveLength(0);
    for (const path of ['simt', 'mma', 'wgmma'] as const) {
      for (const block of [32, 64, 128] as const)
        expect(matching('quick', { path, block })).not.toHaveLength(0);
    }
  });

  it('quick shows each speciality once', () => {
    const quick = variants('quick').map(({ parameters }) => parameters);
    expect(quick.some(({ producers }) => Number(producers) > 0)).toBe(true);
    expect(quick.some(({ transposed }) => transposed === true)).toBe(true);
    expect(quick.some(({ path, prefetch }) => path === 'mma' && prefetch === true)).toBe(true);
    expect(quick.some(({ tilesPerCta }) => Number(tilesPerCta) > 1)).toBe(true);
    expect(quick.some(({ ilp }) => ilp === 4)).toBe(true);
    expect(quick.some(({ input }) => input === 'bf16')).toBe(true);
    expect(quick.some(({ epilogue }) => epilogue === 'overlap')).toBe(true);
  });

  it('default has over a hundred mma variants of f16', () => {
    expect(matching('default', { path: 'mma', input: 'f16', output: 'f16' }).length).toBeGreaterThanOrEqual(
      100,
    );
  });

  it('full has over five hundred variants of all types', () => {
    expect(variants('full').length).toBeGreaterThanOrEqual(500);
    for (const input of ['f16', 'bf16'] as const) {
      for (const output of [input, 'f32'] as const)
        expect(matching('full', { input, output }).length).toBeGreaterThan(50);
    }
  });
});

describe('sizes', () => {
  const base = { block: 128, output: 'f16', tileN: 256, tileK: 64, warpsM: 2, warpsN: 4, stages: 3 } as const;

  it('lays the staging of C over the ring where all warps copy', () => {
    const sizes = mmaSizes({ ...base, producers: 0, epilogue: 'staged' });
    expect(sizes).toMatchObject({
      threads: 256,
      copyThreads: 256,
      warpRows: 64,
      warpColumns: 64,
      accumulators: 128,
    });
    expect(sizes.sharedBytes).toBe(3 * 2 * 64 * (128 + 256));
    expect(sizes.stagingOffset).toBe(0);
  });

  it('keeps staging and barriers behind the ring where producers run ahead', () => {
    const ring = 3 * 2 * 64 * (128 + 256);
    const staging = 8 * 16 * (64 + 8) * 2;
    const sizes = mmaSizes({ ...base, producers: 2, epilogue: 'staged' });
    expect(sizes).toMatchObject({ threads: 320, copyThreads: 64, stagingOffset: ring });
    expect(sizes.barrierOffset).toBe(ring + staging);
    expect(sizes.sharedBytes).toBe(ring + staging + 2 * 8 * 3);
  });

  it('pads rows of the simt path by what its template pads them', () => {
    const point = { block: 64, tileN: 64, tileK: 32, simtWarps: 8, columnsPerThread: 4, ilp: 2 } as const;
    expect(simtSizes({ ...point, transposed: false })).toMatchObject({
      threads: 256,
      rowsPerThread: 4,
      accumulators: 32,
      sharedBytes: 2 * (64 * 40 + 32 * 72),
    });
    expect(simtSizes({ ...point, transposed: true }).sharedBytes).toBe(2 * (64 * 40 + 64 * 34));
  });
});

describe('the path wgmma', () => {
  const wgmma = (text: string) => pointOf(`bsr_spmm.wgmma.${text}.none.pdl0`);
  const tma = wgmma('b128.f16.f16.tn256.tk64.st4.pw1.tma.pn1.longest.coopM.wg2.bps1.cl1.wd0.cs64.static.sp0');
  const overlap = { ...tma, epilogue: 'overlap' } as const;
  const single = wgmma(
    'b64.f16.f16.tn128.tk64.st4.pw1.tma.pn1.longest.coopN.wg1.bps1.cl1.wd0.cs64.static.sp0',
  );
  const three = wgmma(
    'b32.f16.f16.tn512.tk32.st5.pw2.tma.pn1.longest.rows.wg3.bps1.cl1.wd0.cs64.static.sp0.similar',
  );

  it('has a whole warpgroup for the producer where registers are allocated unequally', () => {
    expect(
      [overlap, tma, { ...single, epilogue: 'overlap' } as const, three].map(
        (point) => wgmmaSizes(point).threads,
      ),
    ).toEqual([384, 288, 160, 512]);
    for (const point of [overlap, three]) {
      const { equalRegisters, producerRegisters, consumerRegisters } = deriveWgmma(point, defaultArch);
      const allocated = Number(producerRegisters) + point.consumers * Number(consumerRegisters);
      expect(allocated).toBeLessThanOrEqual((point.consumers + 1) * Number(equalRegisters));
    }
  });

  it('has a warp for each producer, or a warpgroup for all', () => {
    expect(wgmmaSizes({ ...tma, producers: 2 }).threads).toBe(320);
    expect(wgmmaSizes({ ...three, producers: 4 }).threads).toBe(512);
  });

  it.each([
    ['none', { producers: 0 }],
    ['more than stages', { producers: 4, stages: 3 }],
    ['two producers and a work queue', { producers: 2, schedule: 'atomic' }],
  ] as const)('has producers, but not %s', (_, change) => {
    const broken = wgmmaConstraints.filter(
      ({ holds }) => !holds({ ...tma, ...change } as never, defaultArch),
    );
    expect(broken.map((rule) => rule.name)).toEqual(['wgmma-producers']);
  });

  const floats = wgmma(
    'b64.f32.f32.tn256.tk32.st4.pw1.direct.pn4.longest.rows.wg2.bps1.cl1.wd0.static.sp0.similar',
  );

  it.each([
    ['warpgroups that share a block', { role: 'coopN' }],
    ['two blocks to a stage', { blocksPerStage: 2 }],
    ['products under way', { wgmmaDepth: 1 }],
    ['clusters', { cluster: 2 }],
    ['parts of tiles', { split: 8 }],
    ['a work queue', { schedule: 'atomic', role: 'coopN' }],
  ] as const)('rounds blocks of f32 in shared memory, but not with %s', (_, change) => {
    const broken = (point: object) =>
      wgmmaConstraints.filter(({ holds }) => !holds(point as never, defaultArch)).map(({ name }) => name);
    expect(broken(floats)).toEqual([]);
    expect(broken({ ...floats, ...change })).toContain('wgmma-tf32');
  });

  it('writes a tile in as many passes as its share has boxes, by what is staged at once', () => {
    expect(deriveWgmma(overlap, defaultArch).passes).toBe(4); // 64 x 256 of C, 64 columns at a time
    expect(deriveWgmma({ ...overlap, stagingN: 256 }, defaultArch).passes).toBe(1);
    expect(deriveWgmma({ ...overlap, role: 'coopN' }, defaultArch).passes).toBe(4); // 128 x 128, 64 rows of them at a time
    expect(deriveWgmma(three, defaultArch).passes).toBe(8);
  });

  it.each([
    ['pingpong', { role: 'pingpong' }, 'wgmma-overlap'],
    ['parts', { split: 8 }, 'wgmma-overlap'],
    ['rows whose products do not stay under way', { role: 'rows' }, 'wgmma-overlap'],
    ['f32 out', { output: 'f32' }, 'wgmma-epilogue'],
    [
      'three warpgroups with 128 accumulators',
      { role: 'coopN', consumers: 3, tileN: 384 },
      'wgmma-registers',
    ],
  ] as const)('epilogue overlap is not for %s', (_, change, name) => {
    const point = { ...overlap, ...change };
    const broken = wgmmaConstraints
      .filter(({ holds }) => !holds(point as never, defaultArch))
      .map((rule) => rule.name);
    expect(broken).toContain(name);
  });
});

describe('the peak of a workload', () => {
  const of = (problem: object) => family.arithmetic({ id: 'w', problem: { ...problem } });
  it('is that of CUDA cores for f32, unless it may be rounded to TF32', () => {
    const f32 = { input: 'f32', output: 'f32' };
    expect([of({ input: 'bf16' }), of(f32), of({ ...f32, tf32: 'yes' })]).toEqual(['f16', 'f32', 'tf32']);
  });
});

describe('gate cases', () => {
  const quick = variants('quick').map(({ id, parameters }) => ({
    id,
    point: parameters as unknown as Point,
  }));

  it.each(quick)('$id: every tier, problems that fit its types', ({ point }) => {
    const cases = casesOf(point, 'quick');
    const used = new Set(cases.map(({ tier }) => tier));
    const operation = Object.values(family.serves(point)).some((values) => values.length > 1);
    expect([...used].sort()).toEqual(tiers.filter((tier) => operation || tier !== 'operation').sort());
    for (const { problem } of cases) {
      expect(problem).toMatchObject({ block: point.block, input: point.input, output: point.output });
    }
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  it.each(quick)('$id: row lengths around the depth of its pipeline', ({ point }) => {
    const full = rowCounts(point, 'full');
    expect(full).toContain(0);
    expect(full).toContain(1);
    const stepsPerBlock = point.path === 'naive' ? 1 : point.block / point.tileK / point.blocksPerStage;
    const stages = point.path === 'simt' || point.path === 'naive' ? 1 : point.stages;
    expect(Math.max(...full) * stepsPerBlock).toBeGreaterThan(3 * stages);
    expect(rowCounts(point, 'quick').every((count) => full.includes(count))).toBe(true);
  });

  it('ask a variant with vector loads to refuse odd strides, and one without to take them', () => {
    const refusals = (id: string) =>
      casesOf(pointOf(id), 'quick')
        .filter(({ id }) => ['odd-stride', 'odd-base', 'odd-values'].includes(id))
        .map(({ refuses }) => refuses);
    expect(refusals('bsr_spmm.mma.b128.tn256.tk64.st3.mb1.natural')).toEqual([
      'ldb must be a multiple',
      'values and B must be aligned',
      'values and B must be aligned',
    ]);
    expect(refusals('bsr_spmm.naive.b64-2fac')).toEqual([undefined, undefined, undefined]);
  });

  it('cost little enough to be emulated', () => {
    for (const { point } of quick) {
      const millions = casesOf(point, 'quick').map(({ problem, launches = 1 }) => {
        const { pattern, n, block } = problemOf({ id: '', problem });
        const blocks = pattern.kind === 'rows' ? pattern.counts.reduce((sum, count) => sum + count, 0) : 2;
        return (launches * 2 * blocks * block ** 2 * n) / 1e6;
      });
      expect(millions.reduce((sum, cost) => sum + cost, 0)).toBeLessThan(400);
    }
  });
});

describe('workloads', () => {
  it('have ids of their own and sizes that are multiples of the block', () => {
    expect(new Set(workloads.map(({ id }) => id)).size).toBe(workloads.length);
    for (const workload of workloads) {
      const { m, k, block } = problemOf(workload);
      expect([m % block, k % block]).toEqual([0, 0]);
    }
  });

  it('tell dispatch how uneven their rows are, as oracle_test.cpp finds the patterns', () => {
    const unevenness = (id: string) =>
      workloads
        .filter((workload) => workload.id === id)
        .map((workload) => family.features?.(workload).unevenness)[0];
    expect(unevenness('4096.d12.equal.b128')).toBe(1);
    expect(unevenness('4096.d12.b128')).toBeCloseTo(1.22, 2);
    expect(unevenness('4096.power-law.b128')).toBeCloseTo(3.14, 2);
    expect(unevenness('4096.power-law.b32')).toBeCloseTo(3.3, 2);
  });

  it('rank tensor cores above the reference, and fitting tiles above wide ones', () => {
    const workload = workloads.find(({ id }) => id === '4096.d12.b128');
    if (!workload) throw new Error('no such workload');
    const [best] = variants('default')
      .filter(({ parameters }) => parameters.block === 128)
      .sort((a, b) => merit(b.parameters) - merit(a.parameters));
    function merit(parameters: object): number {
      return family.priority(parameters as Point, workload as NonNullable<typeof workload>);
    }
    expect(best?.parameters.path).toBe('mma');
    expect(merit(pointOf('bsr_spmm.naive.b128-0c9e'))).toBeLessThan(2);
  });
});

describe('support', () => {
  it('names what an old architecture lacks, and how much shared memory one has', () => {
    const [variant] = matching('default', { path: 'mma', block: 128, tileN: 256, tileK: 64, stages: 4 });
    const point = variant?.parameters as unknown as Point;
    expect(obstacle(family, point, { ...defaultArch, name: 'sm_75', features: [] })).toBe(
      'needs cp.async, mma.bf16, which sm_75 does not have',
    );
    expect(obstacle(family, point, archNamed('sm_89'))).toMatch(/a block of sm_89 has at most 101376/);
    expect(obstacle(family, point, defaultArch)).toBeUndefined();
  });
});
