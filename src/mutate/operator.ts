import type { Code, Edit } from './code.ts';

/** One kind of defect, and the places of a text where it can be put. */
export interface Operator {
  readonly name: string;
  /** The defect, in a few words. */
  readonly doc: string;
  /** The check that sees it: advice where one survives. */
  readonly killer: string;
  find(code: Code): readonly Edit[];
}
