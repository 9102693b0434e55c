import { visibleLength } from './style.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Given up first, highest number first, when the table is too wide; columns without one always stay. */
  readonly optional?: number;
}

const gap = '  ';

/**
 * Lines of a table that fits into `width` columns. Cells may hold colours. Where the first column does not fit, each row
 * takes two lines, so that what stands there can still be read and copied whole.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((row) => visibleLength(row[index] ?? ''))));
  const line = (cells: readonly string[], kept: readonly number[]) =>
    kept
      .map((index) => pad(cells[index] ?? '', widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join(gap)
      .trimEnd();
  const every = columns.map((_, index) => index);
  const kept = fit(columns, widths, every, width);
  if (totalOf(widths, kept) <= width) {
    const rule = kept
      .map((index) => '-'.repeat(widths[index] ?? 0))
      .join(gap)
      .trimEnd();
    const [head = '', ...body] = all.map((row) => line(row, kept));
    return [head, rule, ...body];
  }
  const others = fit(columns, widths, every.slice(1), width - gap.length);
  const [first = [], ...body] = all.map((row) => [row[0] ?? '', gap + line(row, others)]);
  return [...first, '-'.repeat(Math.min(width, Math.max(...widths))), ...body.flat()];
}

/** Those of the columns that stay when the optional ones go, last things first, until the rest fits. */
function fit(
  columns: readonly Column[],
  widths: readonly number[],
  candidates: readonly number[],
  width: number,
): readonly number[] {
  let kept = candidates;
  const droppable = candidates
    .filter((index) => columns[index]?.optional !== undefined)
    .sort((a, b) => (columns[b]?.optional ?? 0) - (columns[a]?.optional ?? 0));
  for (const index of droppable) {
    if (totalOf(widths, kept) <= width) break;
    kept = kept.filter((k) => k !== index);
  }
  // Giving columns up for nothing helps nobody.
  return totalOf(widths, kept) <= width ? kept : candidates;
}

function totalOf(widths: readonly number[], kept: readonly number[]): number {
  return kept.reduce((sum, index) => sum + (widths[index] ?? 0) + gap.length, -gap.length);
}

function pad(cell: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - visibleLength(cell)));
  return align === 'left' ? cell + blanks : blanks + cell;
}

/** A text in at most `width` columns, the last of which says when something is missing. */
export function cutEnd(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Keeps both ends: ids differ at their end and are recognised by their beginning. */
export function cutMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  const head = Math.floor((width - 1) / 3);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - 1 - head))}`;
}
