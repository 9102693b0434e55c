/** A stretch of a text and what takes its place. */
export interface Edit {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
}

/** `text.slice(begin, end)` with the edits in it made, which do not overlap. */
export function edited(text: string, begin: number, end: number, edits: readonly Edit[]): string {
  let result = '';
  let at = begin;
  for (const edit of edits.toSorted((a, b) => a.begin - b.begin)) {
    result += text.slice(at, edit.begin) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at, end);
}
