import type { Family, FamilyDefinition } from './family.ts';
import { allowedValues, askedValue, type Operation } from './operation.ts';
import type { ParameterSpecs, Point } from './parameter.ts';
import { valueName } from './signature.ts';
import type { Workload } from './workload.ts';

/** Element types as kernels spell them. */
export const cudaTypes = { f16: '__half', bf16: '__nv_bfloat16', f32: 'float' } as const;

type Names = Pick<FamilyDefinition, 'operation' | 'parameters'>;

/** Values at a point of the choices for which there is a parameter of the same name. */
function chosen({ operation, parameters }: Names, point: Point): [name: string, value: string][] {
  return Object.entries(operation.choices).flatMap(([name, choice]) => {
    if (!Object.hasOwn(parameters, name)) return [];
    const value = allowedValues(choice).find((allowed) => allowed === point[name]);
    return value === undefined ? [] : [[name, value]];
  });
}

/** These values as C++ has them: element types, and functions. */
function spelled(names: Names, point: Point): Point {
  const words = chosen(names, point).flatMap(([name, value]) => {
    const kind = names.operation.choices[name]?.kind;
    if (kind === 'type') return [[`${name}Type`, cudaTypes[value as keyof typeof cudaTypes]]];
    return kind === 'activation' ? [[`${name}Name`, valueName(value)]] : [];
  });
  return Object.fromEntries(words);
}

/** Whether a problem asks for f32 in every choice of a type, of which there is one. */
function isF32(operation: Operation, problem: Workload['problem']): boolean {
  const types = Object.entries(operation.choices).filter(([, { kind }]) => kind === 'type');
  return types.length > 0 && types.every(([name]) => askedValue(operation, name, problem) === 'f32');
}

/** An answer of a family's function beside what is known without it. What is no answer, e.g. a promise, stays for whoever asks to refuse. */
function beside<A extends object>(known: A, answer: A): A {
  const plain =
    typeof answer === 'object' && answer !== null && !('then' in answer) && !Array.isArray(answer);
  return plain ? { ...known, ...answer } : answer;
}

/** The family of a definition: what this leaves out is there by default. */
export function defineFamily<const P extends ParameterSpecs>(definition: FamilyDefinition<P>): Family<P> {
  const { serves, derive } = definition;
  const served = (point: Point) =>
    Object.fromEntries(chosen(definition, point).map(([name, value]) => [name, [value]]));
  const paths = definition.parameters.path?.values ?? [];
  return {
    activations: [],
    templates: paths.length > 0 ? paths.map((path) => `${path}.cu.hbs`) : ['kernel.cu.hbs'],
    template: paths.length > 0 ? ({ path }: Point) => `${path}.cu.hbs` : () => 'kernel.cu.hbs',
    tensorCores: (point) =>
      (definition.needs?.(point) ?? []).some((feature) => feature === 'mma.bf16' || feature === 'wgmma'),
    arithmetic: ({ problem }) => (isF32(definition.operation, problem) ? 'tf32' : 'f16'),
    // The derive() of whichever family it is asked through: a watched one names itself when it throws.
    budget(this: Pick<Family<P>, 'derive'>, point, arch) {
      const { threads, sharedBytes = 0 }: Point = { ...point, ...this.derive(point, arch) };
      return { threads: Number(threads), sharedBytes: Number(sharedBytes) };
    },
    deterministic: () => true,
    ...definition,
    // A definition without them is told so by its validation.
    serves: serves && ((point) => beside(served(point), serves.call(definition, point))),
    derive:
      derive && ((point, arch) => beside(spelled(definition, point), derive.call(definition, point, arch))),
  };
}
