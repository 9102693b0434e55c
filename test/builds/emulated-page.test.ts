import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { genHere, workspace } from '../helpers/gen.ts';

const page = readFileSync(join(packageRoot, 'docs/emulated-device.md'), 'utf8');
const id = /^\s+(bsr_spmm\.\S+) \(emulated\)$/m.exec(page)?.[1] ?? '';
const oneBlank = (text: string) => text.replaceAll(/\s+/g, ' ');

/** The lines of a block of code of the page, without its remarks. */
function linesOf(block: string): string[] {
  const lines = block.split('\n').map((line) => line.replace(/\s*\/\/.*/, '').trim());
  return lines.filter((line) => line !== '');
}

test('docs/emulated-device.md walks from message to fix as it happens', { timeout: 300_000 }, async () => {
  const { path, out } = workspace();
  expect((await genHere(path, ['render', 'bsr-spmm', id])).code).toBe(0);
  const sources = join(out, 'sources/bsr-spmm');
  const text = readFileSync(join(sources, readdirSync(sources)[0] ?? ''), 'utf8');

  const [broken = '', fixed = ''] = [...page.matchAll(/```cpp\n([\s\S]*?)```/g)].map(
    ([, code]) => code ?? '',
  );
  const lines = text.split('\n').map((line) => line.trim());
  const at = lines.findIndex((_, index) => linesOf(fixed).every((line, i) => lines[index + i] === line));
  expect(at, 'where the page says the fix is').toBeGreaterThan(0);
  const indent = ' '.repeat(4);
  const swapped = linesOf(broken).map((line) => indent + line);
  const racy = text.split('\n').toSpliced(at, swapped.length, ...swapped);

  writeFileSync(join(path, 'racy.cu'), racy.join('\n'));
  const found = await genHere(path, ['validate', 'bsr-spmm', 'racy.cu', '--device', 'emulated', '--json']);
  expect(found.code).toBe(1);
  const verdict = found.events.find((event) => event.event === 'verdict');
  expect(oneBlank(page)).toContain(verdict?.evidence.message);
  expect(oneBlank(page)).toContain(verdict?.evidence.reproduce?.replace(/ \S+(?=\/racy\.cu)/, ' …'));
});
