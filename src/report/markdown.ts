/** A table of GitHub's Markdown: the first column on the left, the others, figures mostly, on the right or where said. */
export function markdownTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  others: 'left' | 'right' = 'right',
): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = titles.map((_, index) => (index > 0 && others === 'right' ? '---:' : '---'));
  return [line(titles), line(rule), ...rows.map(line)];
}

/** Text as code; ids and commands may hold characters that Markdown reads as its own. */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${text}${fence}`;
}

/** A part of a page; nothing where it has no lines. */
export function section(title: string, ...paragraphs: readonly (readonly string[])[]): string[] {
  const full = paragraphs.filter((lines) => lines.length > 0);
  if (full.length === 0) return [];
  return [title, ...full.flatMap((lines) => ['', ...lines]), ''];
}
