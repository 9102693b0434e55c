import { expect, test } from 'vitest';
import { enumerate } from '../../../src/space/enumerate.ts';
import { exhaustive } from '../../../src/strategy/exhaustive.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

const { variants } = enumerate(toyFamily, {});

test('all variants come at once where there is room for them, in their order', () => {
  const strategy = exhaustive(variants);
  expect(strategy.ask(Number.POSITIVE_INFINITY)).toEqual(variants);
  strategy.tell(variants.map((variant) => ({ variant, passed: true, measurements: [] })));
  expect(strategy.ask(1)).toEqual([]);
});

test('each variant comes once where there is less room, whatever came of the others', () => {
  const strategy = exhaustive(variants);
  const seen = [];
  for (let asked = strategy.ask(7); asked.length > 0; asked = strategy.ask(7)) {
    expect(asked.length).toBeLessThanOrEqual(7);
    seen.push(...asked);
    strategy.tell(asked.map((variant) => ({ variant, passed: false, measurements: [] })));
  }
  expect(seen).toEqual(variants);
});
