// The kernels of docs/known-bugs.md: `validate` says what the page says.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { genHere, workspace } from '../helpers/gen.ts';

const folder = join(packageRoot, 'test/fixtures/known-bugs');
const page = readFileSync(join(packageRoot, 'docs/known-bugs.md'), 'utf8');
const rows = [...page.matchAll(/^\| `(\S+\.cu):(\w+)` \|.*\| ([\w-]+) \| `([^`]+)` \|$/gm)].map(
  ([, file = '', kernel = '', verdict = '', message = '']) => ({ file, kernel, verdict, message }),
);
const files = readdirSync(folder).filter((name) => name.endsWith('.cu'));

test('the page has at least ten', () => expect(rows.length).toBeGreaterThanOrEqual(10));

test.each(files)('says of %s what the page says', { timeout: 300_000 }, async (file) => {
  const { code, events } = await genHere(folder, ['validate', file, '--json', '--out', workspace().out]);
  expect(code).toBe(1);
  const found = events.flatMap((event) =>
    event.event === 'verdict'
      ? [{ kernel: event.variant.split(':')[1], verdict: event.verdict, message: event.evidence.message }]
      : [],
  );
  expect(found).toEqual(
    rows
      .filter((row) => row.file === file)
      .map(({ kernel, verdict, message }) => ({
        kernel,
        verdict,
        message: expect.stringContaining(message),
      })),
  );
});
