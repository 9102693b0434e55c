import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultArch } from '../../../src/arch/index.ts';
import { cuda, emulated } from '../../../src/backends/index.ts';
import type { DeviceSession } from '../../../src/device/session.ts';
import { gateVariant, possibleOn } from '../../../src/gate/gate.ts';
import type { Artifact } from '../../../src/model/artifact.ts';
import { type AnyFamily, defineFamily, defineParameters } from '../../../src/model/family.ts';
import { type Bench, buildBench, openBench } from '../../helpers/axpby.ts';
import { toyOperation } from '../../helpers/toy-operation.ts';

const space = defineParameters({
  kernel: { label: '', doc: 'Which.', values: ['good', 'race', 'ragged', 'trap'] },
});

/** The tests' family as the engine sees one. */
const family: AnyFamily = defineFamily({
  name: 'axpby',
  summary: 'C = alpha A + beta C',
  operation: toyOperation,
  serves: () => ({}),
  parameters: space.specs,
  activations: [],
  constraints: [],
  presets: {},
  templates: [],
  template: () => '',
  derive: () => ({ vector: 4, fraction: 0.5 }),
  budget: () => ({ threads: 32, sharedBytes: 256 }),
  notSupported: () => undefined,
  workloads: [],
  cases: (_, depth) => [
    { id: 'exact', tier: 'exact' as const, problem: { m: 3, n: 32 } },
    { id: 'unsupported', tier: 'edges' as const, problem: { m: 3, n: 33 }, refuses: 'multiple of 4' },
    { id: 'repeated', tier: 'repetition' as const, problem: { m: 3, n: 8, seed: 1 }, launches: 50 },
    ...(depth === 'full' ? [{ id: 'large', tier: 'structures' as const, problem: { m: 40, n: 36 } }] : []),
  ],
  priority: () => 0,
  deterministic: () => true,
});

let bench: Bench;
let session: DeviceSession;
beforeAll(async () => {
  bench = await buildBench();
  session = await openBench(bench);
}, 600_000);
afterAll(() => session?.close());

function artifact(kernel: string): Artifact {
  const id = `axpby.${kernel}`;
  const variant = {
    ...{
      family: 'axpby',
      id,
      symbol: `axpby_${kernel}`,
      parameters: { kernel },
      derived: family.derive({}, defaultArch),
    },
    ...{ budget: { threads: 32, sharedBytes: 256 }, template: '', deterministic: true },
  };
  const source = { variant, path: '', text: '', hash: '' };
  return {
    source,
    device: 'emulated',
    arch: process.arch,
    path: bench.kernels,
    key: '',
    cached: true,
    seconds: 0,
  };
}

describe('gateVariant', () => {
  it('passes a correct variant', async () => {
    const verdict = await gateVariant(session, artifact('good'), family);
    expect(verdict).toMatchObject({ variant: 'axpby.good', device: 'emulated', verdict: 'passed' });
    expect(verdict.evidence).toMatchObject({ cases: 3, maxErrorOverBound: 0 });
  });

  it('says in which case and under which seed a variant fails, which shows it again', async () => {
    const verdict = await gateVariant(session, artifact('trap'), family);
    expect(verdict.verdict).toBe('fault');
    expect(verdict.evidence).toMatchObject({ case: 'exact', seed: 1 });
    const again = await gateVariant(session, artifact('trap'), family, {
      depth: 'quick',
      case: 'exact',
      seed: 1,
    });
    expect(again.evidence.message).toBe(verdict.evidence.message);
  });

  it('finds what only the deeper cases show', async () => {
    expect((await gateVariant(session, artifact('ragged'), family)).verdict).toBe('out-of-bounds');
    const deep = await gateVariant(session, artifact('good'), family, { depth: 'full' });
    expect(deep.evidence.cases).toBe(4);
  });

  it('says so when a variant declines a problem for another reason than it should', async () => {
    const cases = () => [
      { id: 'beta', tier: 'edges' as const, problem: { m: 3, n: 33, beta: 1 }, refuses: 'beta' },
    ];
    const verdict = await gateVariant(session, artifact('good'), { ...family, cases });
    expect(verdict).toMatchObject({ verdict: 'wrong', evidence: { case: 'beta' } });
    expect(verdict.evidence.message).toMatch("does not name 'beta': n must be a multiple of 4");
  });

  it('refuses to pass a variant on operation values that no case tries', async () => {
    const bold = { ...family, serves: () => ({ input: ['f16', 'bf16'] }) };
    await expect(gateVariant(session, artifact('good'), bold)).rejects.toThrow(
      'axpby: axpby.good says that it serves input = bf16, and no case of the gate has that; add one to cases()',
    );
  });

  it('runs one case alone, also one of depth full', async () => {
    const verdict = await gateVariant(session, artifact('good'), family, { depth: 'quick', case: 'large' });
    expect(verdict.evidence.cases).toBe(1);
    const unknown = gateVariant(session, artifact('good'), family, { depth: 'quick', case: 'nonsense' });
    await expect(unknown).rejects.toThrow(
      "no gate case 'nonsense'; there are: exact, unsupported, repeated, large",
    );
  });
});

it('asks a device without reserved addresses no case that takes more of them than there is memory', () => {
  const problem = { m: 3, n: 8 };
  const near = { id: 'near', tier: 'exact', problem } as const;
  const far = { id: 'far', tier: 'edges', problem, reserved: true } as const;
  expect(possibleOn(emulated, [near, far])).toEqual([near, far]);
  expect(possibleOn(cuda, [near, far])).toEqual([near]);
});
