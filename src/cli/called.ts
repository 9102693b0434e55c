import { dirname, extname, join } from 'node:path';
import { shortPath } from '../report/format.ts';
import type { Output } from '../report/style.ts';

/**
 * Messages name commands as `npx gen …` and `npx validate …`. This puts in the place of `npx` what works where it is
 * read: a program on PATH is called by its name, a file by way of node. `script`: what node was told to run.
 */
export function asCalled(text: string, script: string = process.argv[1] ?? ''): string {
  if (/\/node_modules\/\.bin\/[^/]+$/.test(script)) return text;
  return text.replaceAll(/\bnpx (gen|validate)\b/g, (_, program: string) => call(program, script));
}

function call(program: string, script: string): string {
  if (extname(script) === '') return program;
  const file = shortPath(join(dirname(script), `cli${extname(script)}`));
  return `node ${file}${program === 'gen' ? '' : ` ${program}`}`;
}

/** A stream whose messages name commands as they can be typed here. */
export function inCalledWords(stream: NodeJS.WriteStream): Output {
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns;
    },
    write: (text: string) => stream.write(asCalled(text)),
  };
}
