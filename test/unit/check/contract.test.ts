import { describe, expect, it } from 'vitest';
import { contract } from '../../../src/check/contract.ts';
import { loadFamilies } from '../../../src/discover.ts';
import type { AnyFamily, GateCase } from '../../../src/model/family.ts';
import { enumerate } from '../../../src/space/enumerate.ts';
import family from '../../../templates/_new/kernels/family.ts';

const rule = contract.find(({ name }) => name.includes('all cases of depth quick'));
const problems = (of: AnyFamily) => rule?.problems({ family: of, folder: '' });

/** The family with other cases at depth full. */
function withFull(change: (cases: readonly GateCase[]) => readonly GateCase[]): AnyFamily {
  const plain = family as unknown as AnyFamily;
  return {
    ...plain,
    cases: (point, depth) => {
      const cases = plain.cases(point, depth);
      return depth === 'full' ? change(cases) : cases;
    },
  };
}

const families = await loadFamilies();

describe('depth full has all cases of depth quick', () => {
  it('and may have others, in any order', () => {
    const further: GateCase = { id: 'further', tier: 'edges', problem: { count: 7 } };
    expect(problems(withFull((cases) => [...cases, further].toReversed()))).toEqual([]);
  });

  it('without one it is told of each variant that lacks it', () => {
    const without = problems(withFull((cases) => cases.filter(({ id }) => id !== 'nan')));
    expect(without).toHaveLength(
      enumerate(
        withFull((cases) => cases),
        { preset: 'quick' },
      ).variants.length,
    );
    expect(without?.[0]).toMatch(
      /^new_kernel\.t64\S* has the case 'nan' at depth quick and none of that id at full/,
    );
  });

  it('a scalar that is another, and one launch less, make a case another one', () => {
    const other = withFull((cases) =>
      cases.map((item) => (item.id === 'nan' ? { ...item, problem: { ...item.problem, alpha: 1 } } : item)),
    );
    expect(problems(other)?.[0]).toMatch(
      /the case 'nan' at depth quick and a different case under that id at full/,
    );
    const once = withFull((cases) => cases.map(({ launches, ...item }) => item));
    expect(problems(once)?.[0]).toMatch(/the case 'repeated' at depth quick and a different case/);
  });

  // The contract of a family asks only variants of its preset quick; a preset of kinds has one of each kind of kernel.
  it.each(families.map((found) => ({ name: found.family.name, ...found })))(
    '$name: of its kinds',
    ({ family: of }) => {
      const kinds = Object.entries(of.presets).filter(([name]) => /kinds|quick/.test(name));
      const wanting = kinds.flatMap(([, quick]) => problems({ ...of, presets: { ...of.presets, quick } }));
      expect(wanting).toEqual([]);
    },
  );
});
