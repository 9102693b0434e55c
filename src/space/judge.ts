import { bind, type Level, type Rule, type Values } from './plan.ts';

/** A rule's answer at the walk's present place: its values, and for each level the index of its value. */
export type Judge = (values: Values, indices: readonly number[]) => boolean;

/** A rule whose parameters have no more combinations than this is asked once for each of them. */
const largestTable = 1 << 18;

const unknown = 0;
const no = 1;
const yes = 2;

/**
 * The fastest way to ask a rule again and again while walking over `levels`: a table of its answers where that is small.
 * The walk's own values are guarded already, so a rule that reads them all needs no copy of them.
 */
export function judgeOf(rule: Rule, levels: readonly Level[]): Judge {
  const ask = rule.on.length === levels.length ? rule.holds : bind(rule);
  const reads = rule.on.map((name) => levels.findIndex((level) => level.name === name));
  const sizes = reads.map((depth) => levels[depth]?.values.length ?? 1);
  const combinations = sizes.reduce((product, size) => product * size, 1);
  if (combinations > largestTable) return ask;
  const answers = new Uint8Array(combinations);
  return (values, indices) => {
    let place = 0;
    for (let i = 0; i < reads.length; i++) {
      place = place * (sizes[i] as number) + (indices[reads[i] as number] as number);
    }
    if (answers[place] === unknown) answers[place] = ask(values) ? yes : no;
    return answers[place] === yes;
  };
}
