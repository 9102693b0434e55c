import type { Arch } from './arch.ts';
import type { Activation, Constraint, Part } from './family.ts';
import { allowedValues, type ChoiceValue, type OperationChoice } from './operation.ts';
import type { Parameter, ParameterSpecs, Point } from './parameter.ts';

/** Values of a family's parameter `path`, if it has one. */
type PathOf<P extends ParameterSpecs> = P extends { readonly path: { readonly values: readonly (infer V)[] } }
  ? V
  : never;

/** Names the parameters of a family and gives typed makers for the rules that read them. */
export function defineParameters<const P extends ParameterSpecs>(specs: P) {
  type Names = keyof P & string;
  return {
    specs,
    /** A constraint over the named parameters; its function sees these and no others, and the architecture. */
    constraint: <const N extends readonly Names[]>(
      name: string,
      on: N,
      doc: string,
      holds: (point: Pick<Point<P>, N[number]>, arch: Arch) => boolean,
    ): Constraint => ({ name, on, doc, holds: holds as Constraint['holds'] }),
    /** The same for the points of one path, which is not named. */
    constraintOn: <const N extends readonly Names[]>(
      only: PathOf<P>,
      name: string,
      on: N,
      doc: string,
      holds: (point: Pick<Point<P>, N[number]>, arch: Arch) => boolean,
    ): Constraint => ({
      ...{ name, on: ['path', ...on], doc },
      holds: (point: Pick<Point<P>, N[number]> & { readonly path: PathOf<P> }, arch) =>
        point.path !== only || holds(point, arch),
    }),
    /** Says when `parameter` matters, judged by the named parameters, which must be declared before it. */
    activeWhen: <const N extends readonly Names[]>(
      parameter: Names,
      on: N,
      active: (point: Pick<Point<P>, N[number]>) => boolean,
    ): Activation => ({ parameter, on, active: active as Activation['active'] }),
    /** Says that `parameters` matter on these paths alone: values of the parameter `path`. */
    onPaths: (parameters: readonly Names[], ...paths: readonly PathOf<P>[]): readonly Activation[] =>
      parameters.map((parameter) => ({
        parameter,
        on: ['path'],
        active: ({ path }: { readonly path: PathOf<P> }) => paths.includes(path),
      })),
    /** The part of the space with this path and the usual values there, of every parameter that has one. */
    usualOn: (path: PathOf<P> & string): Part<P> => {
      const usual = Object.entries<Parameter>(specs).flatMap(([name, { values, usual }]) => {
        const value = name === 'path' ? path : usual ? usual[path] : values[0];
        return value === undefined ? [] : [[name, [value]] as const];
      });
      return Object.fromEntries<unknown>(usual) as Part<P>;
    },
  };
}

/** The parameter of variants that are each made for one value of a choice of the operation, with the choice's values and words. */
export function madeFor<const C extends OperationChoice>(choice: C) {
  const [first = '', ...rest] = choice.doc;
  const doc = `${first.toUpperCase()}${rest.join('')}.`;
  return { label: '', doc, values: allowedValues(choice) as readonly ChoiceValue<C>[] };
}
