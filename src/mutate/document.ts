import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { onDisk } from '../util/disk.ts';

const marks = ['<!-- gen mutate: begin -->', '<!-- gen mutate: end -->'] as const;

/** The page in its place in a document: between two marks, or at the end of one that has none. */
export function putBetweenMarks(path: string, page: string): void {
  const text = existsSync(path) ? onDisk(`read ${path}`, () => readFileSync(path, 'utf8')) : '';
  const [begin, end] = [text.indexOf(marks[0]), text.indexOf(marks[1])];
  const block = `${marks[0]}\n${page}\n${marks[1]}`;
  const whole = begin >= 0 && end > begin;
  const changed = whole
    ? text.slice(0, begin) + block + text.slice(end + marks[1].length)
    : `${text}${text === '' ? '' : '\n'}${block}\n`;
  onDisk(`write ${path}`, () => writeFileSync(path, changed), 'name another with --markdown');
}
