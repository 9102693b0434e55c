import { z } from 'zod';

export const parameterValueSchema = z.union([z.number(), z.string(), z.boolean()]);
/** A value that a parameter may take. */
export type ParameterValue = z.infer<typeof parameterValueSchema>;

/** One tunable choice of a kernel family. */
export interface Parameter<V extends ParameterValue = ParameterValue> {
  /** Prefix in variant ids: `tn` makes `tn128`; an empty label prints the value alone. */
  readonly label: string;
  /** Description in one or two sentences; shown by `gen show` and in the typed manifest. */
  readonly doc: string;
  /** Legal values, in the order they are enumerated. The first is the one an inactive parameter takes. */
  readonly values: readonly V[];
  /**
   * The value that ids leave out, by the value of the family's first parameter (its path). Where it names none, ids always
   * say the value. Absent: the first value, whatever the path.
   */
  readonly usual?: Readonly<Record<string, V>>;
  /** Reader of the value: the rendered source, or only the launch code (`launch.hpp`). Default `source`. */
  readonly readBy?: 'source' | 'launch';
}

export type ParameterSpecs = Readonly<Record<string, Parameter>>;

/** A point of the space: one value for every parameter. `Point<typeof parameters>` is exact. */
export type Point<P extends ParameterSpecs = ParameterSpecs> = {
  readonly [K in keyof P]: P[K]['values'][number];
};
