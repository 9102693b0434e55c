// Goes through docs/add-a-family.md: writes its kernel, makes its edits and runs its commands, whose output must have the
// lines that the page shows.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { edit, gen, workspace } from '../helpers/gen.ts';

interface Block {
  readonly language: string;
  readonly text: string;
  /** The file that the sentence before names last. */
  readonly file: string | undefined;
}

function blocksOf(page: string): Block[] {
  return [...page.matchAll(/([^\n]*)\n\n```(\w+)\n(.*?)```/gs)].map(
    ([, before = '', language = '', text = '']) => ({
      ...{ language, text },
      file: /`([^`]+\/[^`]+)`:$/.exec(before)?.[1],
    }),
  );
}

/** Lines with - are replaced by those with + that follow. */
function applyDiff(root: string, diff: string): void {
  for (const part of diff.split(/^--- /m).slice(1)) {
    const [file = '', ...lines] = part.trimEnd().split('\n');
    const hunks = lines.join('\n').matchAll(/((?:^-.*\n?)+)((?:^\+.*\n?)*)/gm);
    for (const [, removed = '', added = ''] of hunks) {
      const [from, to] = [removed, added].map((side) => side.trimEnd().replaceAll(/^[-+]/gm, ''));
      edit(join(root, file), (text) => {
        expect(text.split(from as string), `${file}: ${from}`).toHaveLength(2);
        return text.replace(from as string, () => to as string);
      });
    }
  }
}

/** Words of a command line; quotes keep spaces. */
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

test('the tutorial leads from an empty folder to a family on tensor cores', {
  timeout: 900_000,
}, async () => {
  const { path } = workspace();
  rmSync(join(path, 'gen.config.ts'));
  rmSync(join(path, 'kernels'), { recursive: true });
  let output = '';
  let expected = 0;
  for (const { language, text, file } of blocksOf(
    readFileSync(join(packageRoot, 'docs/add-a-family.md'), 'utf8'),
  )) {
    if (language === 'cuda') writeFileSync(join(path, file ?? ''), text);
    if (language === 'diff') applyDiff(path, text);
    if (language === 'text') for (const line of text.trim().split('\n')) expect(output).toContain(line);
    if (language !== 'sh') continue;
    for (const line of text.split('\n').filter((candidate) => candidate.startsWith('npx gen '))) {
      const [command = '', remark = ''] = line.split(/ +# /);
      if (remark.startsWith('on a machine with a GPU')) continue;
      expected = remark === 'exits with 1' ? 1 : 0;
      const { code, stdout, stderr } = await gen(path, wordsOf(command).slice(2));
      output = stdout + stderr;
      expect(code, `${command}\n${output}`).toBe(expected);
    }
  }
  expect(existsSync(join(path, 'generated/library/include/tilewright/my_product.h'))).toBe(true);
});
