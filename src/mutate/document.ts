import { existsSync, readFileSync } from 'node:fs';
import { onDisk, rewriteFile } from '../util/disk.ts';

const marksOf = (family: string) =>
  [`<!-- gen mutate ${family}: begin -->`, `<!-- gen mutate ${family}: end -->`] as const;

/** A family's page in its place in a document: between its two marks, or at the end of one that has none. */
export function putBetweenMarks(path: string, family: string, page: string): void {
  const marks = marksOf(family);
  const text = existsSync(path) ? onDisk(`read ${path}`, () => readFileSync(path, 'utf8')) : '';
  const [begin, end] = [text.indexOf(marks[0]), text.indexOf(marks[1])];
  const block = `${marks[0]}\n${page}\n${marks[1]}`;
  const whole = begin >= 0 && end > begin;
  const changed = whole
    ? text.slice(0, begin) + block + text.slice(end + marks[1].length)
    : `${text}${text === '' ? '' : '\n'}${block}\n`;
  onDisk(`write ${path}`, () => rewriteFile(path, changed), 'name another with --markdown');
}
