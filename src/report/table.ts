import { visibleLength } from './style.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Given up first, highest number first, when the table is too wide; columns without one always stay. */
  readonly optional?: number;
  /** May be cut in the middle when nothing else helps. */
  readonly shrinks?: boolean;
}

const gap = '  ';

/** Lines of a table that fits into `width` columns. Cells may hold colours. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const widest = columns.map((column, index) =>
    Math.max(column.title.length, ...rows.map((row) => visibleLength(row[index] ?? ''))),
  );
  const kept = fit(columns, widest, width);
  const total = (widths: readonly number[]) =>
    kept.reduce((sum, index) => sum + (widths[index] ?? 0) + 2, -2);
  const excess = Math.max(0, total(widest) - width);
  const widths = widest.map((w, index) => (columns[index]?.shrinks ? Math.max(12, w - excess) : w));
  const line = (cells: readonly string[]) =>
    kept
      .map((index) => pad(cells[index] ?? '', widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join(gap)
      .trimEnd();
  const rule = kept.map((index) => '-'.repeat(widths[index] ?? 0)).join(gap);
  return [line(columns.map(({ title }) => title)), rule, ...rows.map(line)];
}

/** Indices of the columns that stay. */
function fit(columns: readonly Column[], widest: readonly number[], width: number): number[] {
  let kept = columns.map((_, index) => index);
  const least = (index: number) =>
    columns[index]?.shrinks ? Math.min(32, widest[index] ?? 0) : (widest[index] ?? 0);
  const droppable = kept
    .filter((index) => columns[index]?.optional !== undefined)
    .sort((a, b) => (columns[b]?.optional ?? 0) - (columns[a]?.optional ?? 0));
  for (const index of droppable) {
    if (kept.reduce((sum, k) => sum + least(k) + gap.length, -gap.length) <= width) break;
    kept = kept.filter((k) => k !== index);
  }
  return kept;
}

function pad(cell: string, width: number, align: 'left' | 'right'): string {
  const cut = visibleLength(cell) > width ? cutMiddle(cell, width) : cell;
  const blanks = ' '.repeat(Math.max(0, width - visibleLength(cut)));
  return align === 'left' ? cut + blanks : blanks + cut;
}

/** Keeps both ends: ids differ at their end and are recognised by their beginning. */
export function cutMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  const head = Math.floor((width - 1) / 3);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - 1 - head))}`;
}
