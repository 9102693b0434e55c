import { UsageError } from '../errors.ts';
import type { AnyFamily } from '../model/family.ts';
import type { GateCase } from '../model/workload.ts';
import type { PlannedArgument } from './arguments.ts';
import { isSize, withDerived } from './derived.ts';
import type { ValuesDescription } from './description.ts';
import type { Expression } from './expression.ts';
import { evaluate, isKnown, productOf, type Sizes } from './expression.ts';
import { type Plan, yardsticksOf } from './plan.ts';
import { hasLines, type Lines, linesOf } from './strides.ts';
import { layoutName } from './structs.ts';
import { isEncodable, mapJson } from './tensor-map.ts';
import { toleranceJson } from './tolerance.ts';

/** Source of a problem's right answer, as `harness/check/reference.hpp` reads it. */
export type ReferenceJson = Readonly<Record<string, unknown>> & { readonly kind: string };

const seed = 1;
const mostCases = 12;
/** Threads of a launch that takes a few tenths of a second on the emulated device. */
const manyThreads = 2 ** 15;

/**
 * The cases of a plan: its sizes, and ragged ones beside them. The first is launched again; so is, on other inputs too, the first
 * whose launch is quick.
 */
export function casesFor(plan: Plan, library: string, reference: ReferenceJson): GateCase[] {
  const fixed = reference.kind === 'files';
  const given = plan.sizes.filter((sizes) => fits(plan, sizes));
  const fitting = fixed ? given.slice(0, 1) : unique([...given, ...(plan.ragged ? raggedSizes(plan) : [])]);
  if (fitting.length === 0)
    throw new UsageError(
      plan.where === undefined
        ? `${plan.kernel} has a grid or block of no threads with ${nameOf(plan.sizes[0] ?? {})}: grid ${plan.grid.join(', ')}, block ${plan.block.join(', ')}; say others above the kernel: /* tilewright { grid: 4, block: 256 } */`
        : `no sizes fulfil the condition '${plan.where}' of ${plan.kernel}; change sizes or where`,
    );
  const chosen = fitting.slice(0, mostCases);
  const isSlow = (sizes: Sizes) => threadsOf(plan, sizes) >= manyThreads;
  const repeated = Math.max(
    0,
    chosen.findIndex((sizes) => !isSlow(sizes)),
  );
  const problem = (sizes: Sizes) => problemFor(plan, sizes, library, reference);
  return chosen.map((sizes, index) => ({
    id: nameOf(sizes),
    tier: index === repeated ? ('repetition' as const) : ('structures' as const),
    launches: index === 0 || index === repeated ? 2 : 1,
    ...(isSlow(sizes) && { slow: true as const }),
    problem: problem(sizes),
    // Files hold the answer for one input.
    ...(index === repeated && !fixed && { alternate: { ...problem(sizes), seed: seed + 1 } }),
  }));
}

/** Nobody calls it through a library. */
const noOperation = {
  ...{ name: 'check', doc: 'A kernel of somebody else.' },
  ...{ sizes: {}, choices: {}, operands: {}, scalars: {}, hints: {}, features: {} },
};

/** A family of one variant, which is what the gate judges. */
export function familyOf(plan: Plan, cases: readonly GateCase[]): AnyFamily {
  return {
    name: 'check',
    summary: plan.kernel,
    operation: { ...noOperation, formula: plan.kernel },
    serves: () => ({}),
    parameters: {},
    activations: [],
    constraints: [],
    presets: {},
    templates: [],
    template: () => '',
    derive: () => ({}),
    budget: () => ({ threads: 0, sharedBytes: 0 }),
    notSupported: () => undefined,
    workloads: [],
    cases: () => cases,
    priority: () => 0,
    tensorCores: () => false,
    arithmetic: () => 'f16',
    deterministic: () => plan.deterministic,
  };
}

function nameOf(sizes: Sizes): string {
  const text = Object.entries(sizes).map(([name, value]) => `${name}=${value}`);
  return text.join(',') || 'only';
}

function unique(all: readonly Sizes[]): Sizes[] {
  return [...new Map(all.map((sizes) => [nameOf(sizes), sizes])).values()];
}

function fits({ where, grid, block }: Plan, sizes: Sizes): boolean {
  if (where !== undefined && evaluate(where, sizes) === 0) return false;
  return [...grid, ...block].every((one) => evaluate(one, sizes) > 0);
}

/** Whether a launch is not refused: the grid consists of whole clusters, the driver takes the tensor maps, and strides leave room. */
function isLaunchable({ grid, cluster = [], arguments: given }: Plan, sizes: Sizes): boolean {
  if (given.some((one) => 'map' in one && one.map && !isEncodable(one.map, sizes))) return false;
  if (given.some((one) => one.kind === 'tensor' && !hasLines(one, sizes))) return false;
  const [blocks, size] = [three(grid, sizes), three(cluster, sizes)];
  return blocks.every((one, i) => one % (size[i] ?? 1) === 0);
}

/** Largest distance from a wanted size at which a size that the kernel takes is searched. */
const reach = 64;

/**
 * The next sizes above and below the given ones, the least, and those next to the width of a block. Where the kernel does not take
 * all sizes one greater, each grows alone too: a size that has to be a multiple would hold the others to its steps.
 */
function raggedSizes(plan: Plan): Sizes[] {
  const [given = {}] = plan.sizes;
  const [width = 1] = plan.block;
  const threads = isKnown(String(width), given) ? evaluate(width, given) : 32;
  const free = Object.keys(given).filter((name) => !(name in plan.derived));
  const last = free.at(-1);
  // Those that follow from others come out anew.
  const whole = (some: Sizes) => withDerived({ ...given, ...some }, plan.derived);
  const each = (change: (value: number) => number) =>
    whole(Object.fromEntries(free.map((name) => [name, change(given[name] ?? 1)])));
  const lastIs = (value: number) => (last === undefined ? given : whole({ [last]: value }));
  const wanted: readonly ((step: number) => Sizes)[] = [
    (step) => each((value) => value + step),
    (step) => each((value) => value - step),
    (step) => each(() => step),
    (step) => lastIs(threads - step),
    (step) => lastIs(threads + step),
    ...(fits(
      plan,
      each((value) => value + 1),
    )
      ? []
      : free.map((name) => (step: number) => whole({ [name]: (given[name] ?? 1) + step }))),
  ];
  return wanted.map((sizes) => firstFitting(plan, sizes)).filter((sizes) => sizes !== undefined);
}

function firstFitting(plan: Plan, sizes: (step: number) => Sizes): Sizes | undefined {
  for (let step = 1; step <= reach; step++) {
    const tried = sizes(step);
    if (Object.values(tried).every(isSize) && fits(plan, tried) && isLaunchable(plan, tried)) return tried;
  }
  return undefined;
}

function problemFor(
  plan: Plan,
  sizes: Sizes,
  library: string,
  reference: ReferenceJson,
): GateCase['problem'] {
  mustBeFeasible(plan, sizes);
  const tensors = plan.arguments.filter((one) => one.kind === 'tensor');
  return {
    seed,
    sizes,
    arguments: plan.arguments.map((argument) => argumentJson(argument, plan, sizes, library)),
    ...(plan.symbols.length > 0 && { symbols: symbolsJson(plan, sizes, library) }),
    shapes: Object.fromEntries(tensors.map(({ name, shape }) => [name, numbers(shape, sizes)])),
    axes: Object.fromEntries(
      tensors.flatMap((one) => (one.strides ? [[one.name, linesIn(one, plan, sizes).axes]] : [])),
    ),
    grid: three(plan.grid, sizes),
    block: three(plan.block, sizes),
    ...(plan.cluster && { cluster: three(plan.cluster, sizes) }),
    shared: evaluate(plan.shared, sizes),
    ...(plan.prints && { prints: true }),
    reference,
  };
}

function numbers(shape: readonly Expression[], sizes: Sizes): number[] {
  return shape.map((one) => evaluate(one, sizes));
}

function three(given: readonly Expression[], sizes: Sizes): number[] {
  return [0, 1, 2].map((i) => evaluate(given[i] ?? 1, sizes));
}

function argumentJson(argument: PlannedArgument, plan: Plan, sizes: Sizes, library: string): object {
  const { name, kind } = argument;
  // The entry knows the function; its slot stays empty.
  if (kind === 'function') return { name, kind: 'scalar', type: 'i64', value: 0 };
  if (kind === 'map') return { name, kind, tensor: argument.tensor, map: mapJson(argument.map, sizes) };
  if (kind === 'structs') {
    const { parameter, role, shape } = argument;
    const rows = productOf(shape, sizes);
    // Addresses are put in before each launch.
    const isRead = role === 'in' && argument.pointers.length === 0;
    const onDevice = role === 'in' && !isRead ? 'inout' : role;
    return { name, kind: 'struct', rows, role: onDevice, library, layout: layoutName(parameter) };
  }
  const { type } = argument;
  if (kind === 'scalar') {
    // The compiler converts what a field of a struct gets.
    const own = argument.path === undefined ? type : 'f64';
    return { name, kind, type: own, value: evaluate(argument.value, sizes) };
  }
  const { rows, cols, stride } = linesIn(argument, plan, sizes);
  if (kind === 'workspace') {
    const values = argument.values && { values: valuesJson(argument.values, sizes) };
    return { name, kind: 'tensor', type, role: kind, rows, cols, ...values };
  }
  return {
    ...{ name, kind: argument.field ? 'field' : kind, type, role: argument.role },
    ...(argument.field && { part: argument.field.part }),
    ...{ rows, cols, stride, values: valuesJson(argument.values, sizes) },
    ...(argument.unspecified && { unspecified: true }),
    ...toleranceJson(argument.tolerance ?? plan.tolerance, type, sizes, yardsticksOf(plan)),
    ...(argument.map && { map: mapJson(argument.map, sizes) }),
  };
}

type Shaped = Extract<PlannedArgument, { kind: 'tensor' | 'workspace' }>;

function linesIn(argument: Shaped, { kernel }: Plan, sizes: Sizes): Lines {
  return linesOf(argument, sizes, `argument '${argument.name}' of ${kernel}`);
}

/** Elements of a tensor, with the gaps between its lines. */
function elementsOf(argument: Shaped, plan: Plan, sizes: Sizes): number {
  const { rows, stride } = linesIn(argument, plan, sizes);
  return rows * stride;
}

/** Elements of all arrays of a case, of which each takes 16 bytes and more beside the array. */
const mostElements = 2 ** 28;
/** Threads of a launch, of which the emulated device runs one or two millions a second. */
const mostThreads = 2 ** 24;

function threadsOf(plan: Plan, sizes: Sizes): number {
  return [...three(plan.grid, sizes), ...three(plan.block, sizes)].reduce((a, b) => a * b, 1);
}

/** Throws a UsageError for a case that would end without a verdict, for want of memory or time. */
function mustBeFeasible(plan: Plan, sizes: Sizes): void {
  const arrays = plan.arguments.flatMap((one) =>
    one.kind === 'tensor' || one.kind === 'workspace'
      ? [{ name: one.name, count: elementsOf(one, plan, sizes) }]
      : [],
  );
  const { name = '', count = 0 } = arrays.toSorted((a, b) => b.count - a.count)[0] ?? {};
  const elements = arrays.reduce((sum, one) => sum + one.count, 0);
  const smaller = 'a defect that shows with large sizes shows with small ones that leave the same remainders';
  if (arrays.some((one) => one.count < 0) || !(elements <= mostElements))
    throw new UsageError(
      `the arrays of ${plan.kernel} would have ${elements} elements with ${nameOf(sizes)}, '${name}' ${count} of them; a case has at most ${mostElements}: say smaller sizes, ${smaller}, or another shape`,
    );
  const threads = threadsOf(plan, sizes);
  if (threads > mostThreads)
    throw new UsageError(
      `a launch of ${plan.kernel} would have ${threads} threads with ${nameOf(sizes)}; the emulated device takes at most ${mostThreads}: say smaller sizes, ${smaller}`,
    );
}

/** The library says what type and how many elements each has. */
function symbolsJson({ symbols }: Plan, sizes: Sizes, library: string): object {
  const given = symbols.map(({ name, values }) => {
    if (typeof values !== 'object' || !('all' in values)) return { name, values: valuesJson(values, sizes) };
    const value = evaluate(values.all, sizes);
    return { name, values: { kind: 'uniform', low: value, high: value } };
  });
  return { library, given };
}

function valuesJson(values: ValuesDescription, sizes: Sizes): object {
  if (values === 'zeros' || values === 'ones')
    return { kind: 'integers', low: Number(values === 'ones'), high: Number(values === 'ones') };
  if (values === 'normal') return { kind: 'normal', low: 0, high: 1 };
  if (typeof values === 'string') return { kind: values };
  if (Array.isArray(values)) return { kind: 'list', elements: values };
  if ('file' in values) return { kind: 'file', file: values.file };
  if ('normal' in values) return { kind: 'normal', low: values.normal[0], high: values.normal[1] };
  if ('uniform' in values) return { kind: 'uniform', low: values.uniform[0], high: values.uniform[1] };
  return {
    kind: 'integers',
    low: evaluate(values.integers[0], sizes),
    high: evaluate(values.integers[1], sizes),
  };
}
