import { defaultArch } from '../arch/index.ts';
import type { Arch } from '../model/arch.ts';
import type { AnyFamily } from '../model/family.ts';
import type { ParameterValue } from '../model/parameter.ts';
import type { Variant } from '../model/variant.ts';
import { activeLevels, idOf, symbolOf } from './id.ts';
import { guard, levelsOf, type Values } from './plan.ts';

/** The variant of a point that has a value for every parameter, as it is for an architecture. Does not ask whether it is legal. */
export function variantOf(family: AnyFamily, point: Readonly<Values>, arch: Arch = defaultArch): Variant {
  const active = activeLevels(family, point);
  const id = idOf(family, point, active);
  const parameters: Values = {};
  const view = viewOf(family);
  for (const { name } of levelsOf(family)) {
    parameters[name] = view[name] = point[name] as ParameterValue;
  }
  return {
    family: family.name,
    id,
    symbol: symbolOf(id),
    parameters: Object.freeze(parameters),
    active: active.map(({ name }) => name),
    derived: family.derive(view, arch),
    budget: family.budget(view, arch),
    template: family.template(view),
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
