import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Fills the empty folder `to` with links to everything in `from`, but for `file`, a path below it, which gets `text`. */
export function overlay(from: string, to: string, file: string, text: string): void {
  const [head = '', ...rest] = file.split('/');
  for (const name of readdirSync(from)) if (name !== head) symlinkSync(join(from, name), join(to, name));
  if (rest.length === 0) {
    writeFileSync(join(to, head), text);
    return;
  }
  mkdirSync(join(to, head));
  overlay(join(from, head), join(to, head), rest.join('/'), text);
}
