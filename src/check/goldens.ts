import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderVariant } from '../render/render.ts';
import { makeFolder, onDisk } from '../util/disk.ts';
import { type Subject, variantsOf } from './contract.ts';

/** Texts that a family keeps under `golden/`, so that a change of what is rendered is seen, by path. */
export function goldensOf({ family, folder }: Subject): ReadonlyMap<string, string> {
  const quick = variantsOf(family);
  const [first] = quick;
  const last = quick.at(-1);
  if (!first || !last) return new Map();
  const text = (variant: typeof first) => renderVariant(family, folder, variant).text;
  const golden = (name: string) => join(folder, 'golden', name);
  return new Map([
    [golden('variant-ids.txt'), quick.map(({ id }) => `${id}\n`).join('')],
    [golden('first.cu'), text(first)],
    [golden('last.cu'), text(last)],
  ]);
}

/** Whether the family keeps any. */
export function hasGoldens({ folder }: Subject): boolean {
  return existsSync(join(folder, 'golden'));
}

/** Differences between a family's goldens and its renderings: the first line that differs of each. */
export function goldenProblems(subject: Subject): string[] {
  return differences(goldensOf(subject));
}

function differences(wanted: ReadonlyMap<string, string>): string[] {
  return [...wanted].flatMap(([path, text]) => {
    if (!existsSync(path)) return [`there is no ${path}`];
    const lines = onDisk(`read ${path}`, () => readFileSync(path, 'utf8')).split('\n');
    const now = text.split('\n');
    const index = now.findIndex((line, place) => line !== lines[place]);
    if (index < 0 && now.length === lines.length) return [];
    const line = index < 0 ? now.length : index;
    return [
      `${path}:${line + 1}: has \`${lines[line] ?? ''}\`, rendered is \`${now[line] ?? ''}\`; --update writes the file`,
    ];
  });
}

export function writeGoldens(subject: Subject): void {
  for (const [path, text] of goldensOf(subject))
    onDisk(`write ${path}`, () => {
      makeFolder(dirname(path));
      writeFileSync(path, text);
    });
}
