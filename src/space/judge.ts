import { bind, type Level, type Rule, type Values, viewer } from './plan.ts';

/** A rule's answer at the walk's present place: its values, and for each level the index of its value. */
export type Judge = (values: Values, indices: readonly number[]) => boolean;

/** Answers that are kept of one rule. A rule whose parameters have no more combinations is asked once for each of them. */
const largestTable = 1 << 18;

const unknown = 0;
const no = 1;
const yes = 2;

/**
 * The fastest way to ask a rule again and again while walking over `levels`: a table of its answers where that is small, else
 * a tree of them.
 */
export function judgeOf(rule: Rule, levels: readonly Level[]): Judge {
  const reads = rule.on.map((name) => levels.findIndex((level) => level.name === name));
  const sizes = reads.map((depth) => levels[depth]?.values.length ?? 1);
  const combinations = sizes.reduce((product, size) => product * size, 1);
  if (combinations > largestTable) return rememberingReads(rule, levels);
  const ask = bind(rule);
  const answers = new Uint8Array(combinations);
  const answerAt = (place: number, values: Values) => {
    if (answers[place] === unknown) answers[place] = ask(values) ? yes : no;
    return answers[place] === yes;
  };
  const [first = 0] = reads;
  if (reads.length === 1) return (values, indices) => answerAt(indices[first] ?? 0, values);
  return (values, indices) => {
    let place = 0;
    for (let i = 0; i < reads.length; i++) {
      place = place * (sizes[i] as number) + (indices[reads[i] as number] as number);
    }
    return answerAt(place, values);
  };
}

/** Place of the tree: the parameter that a rule reads next, with a branch for each of its values; or the rule's answer. */
interface Branch {
  depth: number;
  readonly next: (Branch | undefined)[];
  answer: boolean | undefined;
}

const newBranch = (): Branch => ({ depth: -1, next: [], answer: undefined });

/**
 * A rule that is asked once for each combination of the values that it does read: few of all that it may, as a rule, since one
 * value says which others matter.
 */
function rememberingReads({ name, on, holds }: Rule, levels: readonly Level[]): Judge {
  const depths = new Map(levels.map((level, depth) => [level.name, depth]));
  const read = new Set<number>();
  const sees = viewer(on, name, (parameter) => read.add(depths.get(parameter) ?? 0));
  const root = newBranch();
  let room = largestTable;
  return (values, indices) => {
    let branch: Branch | undefined = root;
    while (branch && branch.answer === undefined) branch = branch.next[indices[branch.depth] ?? 0];
    if (branch?.answer !== undefined) return branch.answer;
    read.clear();
    const answer = holds(sees(values));
    if (room > 0) room -= grow(root, read, indices, answer);
    return answer;
  };
}

/** Adds an answer to the tree; the number of new branches. */
function grow(root: Branch, read: Iterable<number>, indices: readonly number[], answer: boolean): number {
  let branch = root;
  let added = 0;
  for (const depth of read) {
    if (branch.depth < 0) branch.depth = depth;
    else if (branch.depth !== depth) return added; // it does not always read the same: nothing can be kept
    const index = indices[depth] ?? 0;
    const next = branch.next[index];
    if (!next) added++;
    branch = branch.next[index] = next ?? newBranch();
  }
  if (branch.depth < 0) branch.answer = answer;
  return added;
}
