import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { folderOf } from '../helpers/folder.ts';
import { genHere } from '../helpers/gen.ts';

const committed = (name: string) => readFileSync(join(packageRoot, name), 'utf8');
/** Arguments of each `gen report` on evidence files, and the file that it writes. */
const commands = [
  ...committed('docs/results/README.md').matchAll(/^npx gen (report --from .*) (\S+)$/gm),
].map(([, args = '', file = '']) => ({ args: args.split(' '), file }));

test('docs/results/README.md says how the wisdom and each page of results are made', () => {
  expect(commands.map(({ file }) => basename(file))).toEqual([
    'sm_90a.json',
    'sm_90a.json',
    'h200.md',
    'h200-shapes.md',
    'h200-layers.md',
    'h200-attempts.md',
  ]);
});

test.each(commands)('$file is what its command makes of the evidence', async ({ args, file }) => {
  const folder = folderOf();
  const { code, stderr } = await genHere(packageRoot, [...args, join(folder, basename(file))]);
  expect(code, stderr).toBe(0);
  for (const made of new Set([file, file.replace(/\.md$/, '.svg')]))
    expect(
      readFileSync(join(folder, basename(made)), 'utf8') === committed(made),
      `${made}: run its command again. Wisdom of kernels that are rendered otherwise: bench/same-code.ts --write first`,
    ).toBe(true);
});
