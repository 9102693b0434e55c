import { UsageError } from '../errors.ts';
import type { AnyFamily } from '../model/family.ts';
import type { OperationValues } from '../model/operation.ts';
import type { ParameterValue } from '../model/parameter.ts';
import type { Variant } from '../model/variant.ts';
import { activeLevels, idOf, symbolOf } from './id.ts';
import { guard, levelsOf, type Values } from './plan.ts';
import { reservedNames } from './reserved.ts';
import { findServedProblems } from './validate-operation.ts';

/** The variant of a point that has a value for every parameter. Does not ask whether the point is legal. */
export function variantOf(family: AnyFamily, point: Readonly<Values>): Variant {
  const active = activeLevels(family, point);
  const id = idOf(family, point, active);
  const parameters: Values = {};
  const view = viewOf(family);
  for (const { name } of levelsOf(family)) {
    parameters[name] = view[name] = point[name] as ParameterValue;
  }
  const template = family.template(view);
  if (!family.templates.includes(template)) {
    throw new UsageError(
      `${family.name}: template() gave '${template}' for ${id}; templates lists ${family.templates.join(', ')}`,
    );
  }
  checkServed(family, id, family.serves(view));
  const derived = family.derive(view);
  checkDerived(family, id, derived);
  return {
    family: family.name,
    id,
    symbol: symbolOf(id),
    parameters,
    active: active.map(({ name }) => name),
    derived,
    budget: family.budget(view),
    template,
    deterministic: family.deterministic(view),
  };
}

const views = new WeakMap<AnyFamily, Values>();

/** One guarded object per family, filled anew for every variant: making it is the dear part. */
function viewOf(family: AnyFamily): Values {
  const view = views.get(family) ?? guard(Object.keys(family.parameters), family.name)();
  views.set(family, view);
  return view;
}

function checkServed({ name, operation }: AnyFamily, id: string, served: OperationValues): void {
  const [problem] = findServedProblems(operation, served);
  if (problem !== undefined) throw new UsageError(`${name}: serves() of ${id} gives ${problem}`);
}

function checkDerived(family: AnyFamily, id: string, derived: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(derived)) {
    const usable = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
    if (!usable) {
      throw new UsageError(
        `${family.name}: derive() gave ${name} = ${value} for ${id}; a number, text or boolean is needed`,
      );
    }
    const taken =
      (Object.hasOwn(family.parameters, name) && 'a parameter') ||
      (reservedNames.includes(name) && 'a word of templates');
    if (taken) throw new UsageError(`${family.name}: derive() gives '${name}', which is ${taken}; rename it`);
  }
}
