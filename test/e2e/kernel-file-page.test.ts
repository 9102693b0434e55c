// docs/check-a-kernel.md, walked through.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { genHere, workspace } from '../helpers/gen.ts';

const page = readFileSync(join(packageRoot, 'docs/check-a-kernel.md'), 'utf8');
const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8');
const blocks = [...page.matchAll(/```(?:cpp)?\n([\s\S]*?)```/g)].map(([, text]) => text ?? '');
const [source = '', racy = '', mended = ''] = blocks;

/** A command with its output, in the words of the page. */
const asOnPage = (command: string, stdout: string) =>
  `$ ${command}\n${stdout.replaceAll(/node \S+cli\.js validate/g, 'npx validate').replaceAll(/ --out \S+/g, '')}`;

test('docs/check-a-kernel.md shows what happens', { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tilewright-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'softmax.cu');
  const flags = ['--out', workspace().out];
  writeFileSync(file, source);
  const first = await genHere(folder, ['validate', 'softmax.cu', ...flags]);
  expect(asOnPage('npx validate softmax.cu', first.stdout)).toBe(racy);
  expect(first.code).toBe(1);
  const declaration = '  __shared__ float shared[256];\n';
  writeFileSync(file, source.replace(declaration, `${declaration}  __syncthreads();\n`));
  const second = await genHere(folder, ['validate', 'softmax.cu', ...flags]);
  expect(asOnPage('npx validate softmax.cu', second.stdout)).toBe(mended);
  expect(second.code).toBe(0);
});

test('examples/check/softmax.cu is the kernel of the page', () => {
  expect(readFileSync(join(packageRoot, 'examples/check/softmax.cu'), 'utf8')).toBe(source);
});

test('the README shows the same race', () => {
  const shown = racy.split('\n').slice(1, 5).join('\n');
  expect(readme).toContain(shown);
});
