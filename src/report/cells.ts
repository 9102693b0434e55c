import { code, markdownTable, section } from './markdown.ts';
import { type Column, table } from './table.ts';

/** A kind of call, and how many variants of which templates multiply it on tensor cores. */
interface ServedCell {
  readonly row: string;
  readonly column: string;
  /** Template of the variant that a plan takes. */
  readonly chosen?: string;
  readonly onTensorCores: readonly (readonly [template: string, variants: number])[];
}

const nobody = 'none';

/** The template of the plan first. */
function textOf({ chosen, onTensorCores }: ServedCell): string {
  const names = onTensorCores.map(([name, count]) => (count > 1 ? `${name} ${count}` : name));
  const slow = chosen !== undefined && onTensorCores[0]?.[0] !== chosen ? [chosen] : [];
  return onTensorCores.length > 0 ? [...slow, ...names].join(', ') : nobody;
}

/** `wgmma 300, general 500`: kinds of calls by the template of their plan; empty where that is not known. */
export function plansOf(cells: readonly ServedCell[]): string {
  const counts = new Map<string, number>();
  for (const { chosen } of cells) if (chosen !== undefined) counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
  const most = [...counts].toSorted(([, a], [, b]) => b - a);
  return most.map(([name, count]) => `${name} ${count}`).join(', ');
}

/** Rows of the table, each with its first column. */
function rowsOf(cells: readonly ServedCell[]): {
  readonly columns: readonly string[];
  readonly rows: string[][];
} {
  const columns = [...new Set(cells.map(({ column }) => column))];
  const places = new Map(columns.map((column, index) => [column, index]));
  const rows = new Map<string, string[]>();
  for (const cell of cells) {
    const row = rows.get(cell.row) ?? columns.map(() => '');
    row[places.get(cell.column) ?? 0] = textOf(cell);
    rows.set(cell.row, row);
  }
  return { columns, rows: [...rows].map(([row, texts]) => [row, ...texts]) };
}

/** Number of cells that nobody serves on tensor cores. */
export function withoutTensorCores(cells: readonly ServedCell[]): number {
  return cells.filter(({ onTensorCores }) => onTensorCores.length === 0).length;
}

/** The cells as a table for the terminal. */
export function cellsTable(cells: readonly ServedCell[], width: number): string[] {
  const { columns, rows } = rowsOf(cells);
  const all: Column[] = ['call', ...columns].map((title) => ({ title }));
  return table(all, rows, width);
}

/** Origin of a page. */
interface CellsSource {
  readonly family: string;
  readonly arch: string;
  readonly preset: string;
  readonly command: string;
  /** Variants of the library. */
  readonly library: number;
}

/** One library's cells as a section of Markdown. */
export function cellsSection(cells: readonly ServedCell[], source: CellsSource): string[] {
  const { columns, rows } = rowsOf(cells);
  const empty = withoutTensorCores(cells);
  const plans = plansOf(cells);
  const says = `${cells.length} kinds of calls, ${empty} without a variant on tensor cores; the library has ${source.library} variants. ${plans && `Plans are of ${plans}. `}By ${code(source.command)}.`;
  return section(
    `## ${source.family}, ${source.arch}, preset ${source.preset}`,
    [says],
    markdownTable(['call', ...columns], rows, 'left'),
  );
}

/** A page with the section in the place of the one that has its title, or behind all others. */
export function withSection(page: string, section: readonly string[]): string {
  const [title = ''] = section;
  const parts = page.split(/^(?=## )/m).filter((part) => part !== '');
  const text = `${section.join('\n').trimEnd()}\n\n`;
  const known = parts.some((part) => part.startsWith(`${title}\n`));
  const all = known ? parts.map((part) => (part.startsWith(`${title}\n`) ? text : part)) : [...parts, text];
  return `${all.map((part) => part.trimEnd()).join('\n\n')}\n`;
}
