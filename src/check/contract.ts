import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { defaultArch } from '../arch/index.ts';
import { type AnyFamily, type Constraint, isCandidate, namedWorkloads } from '../model/family.ts';
import type { Variant } from '../model/variant.ts';
import { renderVariant } from '../render/render.ts';
import { enumerate, hasLegal } from '../space/enumerate.ts';
import { pointOfId } from '../space/id.ts';

/** A family and the folder it is in. */
export interface Subject {
  readonly family: AnyFamily;
  readonly folder: string;
}

/** A requirement on every family, beyond those checked when it is loaded. */
export interface Rule {
  readonly name: string;
  /** Violations, a sentence each. */
  readonly problems: (subject: Subject) => string[];
}

/** About a dozen: `quick` is for a first look. */
const quickSize = { least: 4, most: 24 };
const neededPresets = ['quick', 'default', 'full'];

export const contract: readonly Rule[] = [
  { name: 'bears the name of its folder and has a README', problems: nameProblems },
  { name: 'has the presets quick, of about a dozen variants, default and full', problems: presetProblems },
  { name: 'has constraints that each reject something, and not everything', problems: constraintProblems },
  { name: 'has presets whose ids are unique and lead back to their points', problems: idProblems },
  { name: 'has a variant for every workload of a preset', problems: workloadProblems },
  { name: 'renders every variant of quick to a text of its own', problems: textProblems },
  {
    name: 'puts every variant of quick through all cases of depth quick at full depth too',
    problems: caseProblems,
  },
];

/** The variants of a preset; of `quick` where it is not said. */
export function variantsOf(family: AnyFamily, preset = 'quick'): readonly Variant[] {
  if (!Object.hasOwn(family.presets, preset)) return [];
  return known(family, preset, () => enumerate(family, { arch: defaultArch, preset }).variants);
}

const enumerated = new WeakMap<AnyFamily, Map<string, readonly Variant[]>>();

function known(family: AnyFamily, preset: string, make: () => readonly Variant[]): readonly Variant[] {
  const own = enumerated.get(family) ?? new Map<string, readonly Variant[]>();
  enumerated.set(family, own);
  const variants = own.get(preset) ?? make();
  own.set(preset, variants);
  return variants;
}

function nameProblems({ family, folder }: Subject): string[] {
  return [
    ...(family.name === basename(folder) ? [] : [`the family is called ${family.name}, its folder is not`]),
    ...(existsSync(join(folder, 'README.md')) ? [] : ['there is no README.md']),
  ];
}

function presetProblems({ family }: Subject): string[] {
  const missing = neededPresets.filter((name) => !Object.hasOwn(family.presets, name));
  const count = variantsOf(family).length;
  const { least, most } = quickSize;
  const odd = !missing.includes('quick') && (count < least || count > most);
  return [
    ...missing.map((name) => `there is no preset '${name}'`),
    ...(odd ? [`preset 'quick' has ${count} variants; ${least} to ${most} are wanted`] : []),
  ];
}

function constraintProblems({ family }: Subject): string[] {
  return family.constraints.flatMap((constraint) => {
    const legal = hasLegal(seenBy(family, constraint));
    if (!legal.some) return [`constraint '${constraint.name}' rejects every point`];
    return legal.all ? [`constraint '${constraint.name}' rejects no point`] : [];
  });
}

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

function idProblems({ family }: Subject): string[] {
  return Object.keys(family.presets).flatMap((preset) => {
    const variants = variantsOf(family, preset);
    if (variants.length === 0) return [`preset '${preset}' has no variant`];
    const symbols = new Map<string, string>();
    return variants.flatMap(({ id, symbol, parameters }) => {
      const other = symbols.get(symbol);
      symbols.set(symbol, id);
      if (other !== undefined) return [`${id} and ${other} have the same symbol ${symbol}`];
      const back = pointOfId(family, id);
      const same = Object.keys(parameters).every((name) => back[name] === parameters[name]);
      return same ? [] : [`${id} does not lead back to its point`];
    });
  });
}

function workloadProblems({ family }: Subject): string[] {
  return Object.entries(family.presets).flatMap(([name, { workloads }]) =>
    namedWorkloads(family, workloads)
      .filter(
        (one) => !variantsOf(family, name).some(({ parameters }) => isCandidate(family, parameters, one)),
      )
      .map(({ id }) => `no variant of preset '${name}' runs its workload '${id}'`),
  );
}

function textProblems({ family, folder }: Subject): string[] {
  const owners = new Map<string, string>();
  return variantsOf(family).flatMap((variant) => {
    const { text } = renderVariant(family, folder, variant);
    const body = bodyOf(text, variant) + launchValues(family, variant);
    const other = owners.get(body);
    owners.set(body, variant.id);
    const stray = /undefined|NaN|\[object/.exec(text)?.[0];
    return [
      ...(other === undefined ? [] : [`${variant.id} has the text of ${other}`]),
      ...(stray === undefined ? [] : [`the text of ${variant.id} has '${stray}' in it`]),
    ];
  });
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

/** Problems of a family's cases. Whoever asks a family for cases sees that there are some, and that their ids differ. */
function caseProblems({ family }: Subject): string[] {
  return variantsOf(family).flatMap(({ id, parameters }) => {
    const full = new Map(family.cases(parameters, 'full').map((item) => [item.id, item]));
    return family.cases(parameters, 'quick').flatMap((item) => {
      const same = full.get(item.id);
      if (isDeepStrictEqual(item, same)) return [];
      const what = same ? 'a different case under that id' : 'none of that id';
      return [
        `${id} has the case '${item.id}' at depth quick and ${what} at full: what passes at full must have passed all of quick`,
      ];
    });
  });
}
