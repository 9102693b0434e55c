// What every kernel family must be. Runs over whatever is found under templates/kernels; nobody edits it for a new one.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFamilies } from '../../src/discover.ts';
import { type AnyFamily, type Constraint, isCandidate } from '../../src/model/family.ts';
import type { Variant } from '../../src/model/variant.ts';
import { describeFinding } from '../../src/render/finding.ts';
import { renderVariant } from '../../src/render/render.ts';
import { enumerate } from '../../src/space/enumerate.ts';
import { pointOfId } from '../../src/space/id.ts';
import { checkFamily } from '../helpers/check-family.ts';

const arch = 'sm_90a';

/** The part of the space that a constraint can see: its parameters, and those that decide whether they matter. */
function seenBy(family: AnyFamily, constraint: Constraint): AnyFamily {
  const names = new Set(constraint.on);
  for (const name of names) {
    const activation = family.activations.find(({ parameter }) => parameter === name);
    for (const read of activation?.on ?? []) names.add(read);
  }
  const parameters = Object.entries(family.parameters).filter(([name]) => names.has(name));
  return {
    ...family,
    parameters: Object.fromEntries(parameters),
    activations: family.activations.filter(({ parameter }) => names.has(parameter)),
    constraints: [constraint],
  };
}

/** The text without its comments, and the same for variants that differ in nothing but their name. */
function bodyOf(text: string, { id, symbol }: Variant): string {
  return text
    .replaceAll(id, 'ID')
    .replaceAll(symbol, 'SYMBOL')
    .replaceAll(/\/\/[^\n]*/g, '');
}

/** The values of the parameters that only the launch code reads. */
function launchValues(family: AnyFamily, { parameters }: Variant): string {
  const names = Object.keys(parameters).filter((name) => family.parameters[name]?.readBy === 'launch');
  return names.map((name) => parameters[name]).join();
}

describe.each((await loadFamilies()).map((found) => ({ name: found.family.name, ...found })))(
  '$name',
  ({ family, folder }) => {
    const presets = Object.keys(family.presets);
    const enumerated = new Map(
      presets.map((preset) => [preset, enumerate(family, { arch, preset }).variants]),
    );
    const variantsOf = (preset: string) => enumerated.get(preset) ?? [];
    const quick = variantsOf('quick');

    it('bears the name of its folder and has a README', () => {
      expect(family.name).toBe(basename(folder));
      expect(existsSync(join(folder, 'README.md'))).toBe(true);
    });

    it('has the presets quick, of about a dozen variants, default and full', () => {
      expect(presets).toEqual(expect.arrayContaining(['quick', 'default', 'full']));
      expect(quick.length).toBeGreaterThanOrEqual(4);
      expect(quick.length).toBeLessThanOrEqual(24);
    });

    it.each(family.constraints.map((constraint) => [constraint.name, constraint] as const))(
      'constraint %s rejects something, and not everything',
      (_, constraint) => {
        const { points, legal } = enumerate(seenBy(family, constraint), { limit: 0 });
        expect(legal).toBeGreaterThan(0);
        expect(legal).toBeLessThan(points);
      },
    );

    it('has templates that lint clean', () => {
      expect(checkFamily({ family, folder }).map(describeFinding)).toEqual([]);
    });

    it.each(presets)(
      'preset %s has variants whose ids are unique and lead back to their points',
      (preset) => {
        const variants = variantsOf(preset);
        expect(variants.length).toBeGreaterThan(0);
        expect(new Set(variants.map(({ symbol }) => symbol)).size).toBe(variants.length);
        for (const { id, parameters } of variants) expect(pointOfId(family, id)).toEqual(parameters);
      },
    );

    it.each(presets)('every workload of preset %s suits one of its variants', (preset) => {
      const variants = variantsOf(preset);
      const wanted = family.workloads.filter(({ id }) => family.presets[preset]?.workloads.includes(id));
      const idle = wanted.filter(
        (workload) => !variants.some(({ parameters }) => isCandidate(family, parameters, workload)),
      );
      expect(idle.map(({ id }) => id)).toEqual([]);
    });

    it('renders every variant of quick to a text of its own', () => {
      const texts = quick.map((variant) => ({ variant, text: renderVariant(family, folder, variant).text }));
      const bodies = texts.map(({ variant, text }) => bodyOf(text, variant) + launchValues(family, variant));
      expect(new Set(bodies).size).toBe(quick.length);
      for (const { text } of texts) expect(text).not.toMatch(/undefined|NaN|\[object/);
    });

    it('puts every variant through cases with ids of their own, more of them at full depth', () => {
      for (const { parameters } of quick) {
        const ids = family.cases(parameters, 'quick').map(({ id }) => id);
        const full = family.cases(parameters, 'full').map(({ id }) => id);
        expect(ids.length).toBeGreaterThan(0);
        expect(new Set(ids).size).toBe(ids.length);
        expect(new Set(full).size).toBe(full.length);
        expect(full.length).toBeGreaterThanOrEqual(ids.length);
      }
    });

    it('matches its goldens', async () => {
      const ids = quick.map(({ id }) => `${id}\n`).join('');
      await expect(ids).toMatchFileSnapshot(join(folder, 'golden/variant-ids.txt'));
      for (const [file, variant] of [
        ['first.cu', quick[0]],
        ['last.cu', quick.at(-1)],
      ] as const) {
        if (!variant) throw new Error('quick is empty');
        await expect(renderVariant(family, folder, variant).text).toMatchFileSnapshot(
          join(folder, 'golden', file),
        );
      }
    });
  },
);
