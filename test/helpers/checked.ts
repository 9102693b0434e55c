// Verdicts on the kernels of test/fixtures/check.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { genHere, workspace } from './gen.ts';

export const checkedFolder = join(packageRoot, 'test/fixtures/check');

/** By file: the verdict on each kernel, and a text that the message contains. */
export type Expected = Readonly<
  Record<string, Readonly<Record<string, readonly [verdict: string, message: string]>>>
>;

export async function verdicts(file: string, ...flags: string[]) {
  const { out } = workspace();
  const { code, events } = await genHere(checkedFolder, ['validate', file, '--json', '--out', out, ...flags]);
  const found = events.map((event) => {
    if (event.event === 'verdict') return { word: event.verdict, ...event.evidence, name: event.variant };
    if (event.event === 'error') return { word: 'refused', message: event.message, name: '' };
    throw new Error(`event ${event.event}`);
  });
  return { code, found };
}

/** One test for each file. */
export function judges(expected: Expected): void {
  test.each(Object.entries(expected))(
    'judges the kernels of %s',
    { timeout: 300_000 },
    async (file, kernels) => {
      const { code, found } = await verdicts(file);
      const wanted = Object.entries(kernels);
      expect(found.map(({ word }) => word)).toEqual(wanted.map(([, [verdict]]) => verdict));
      for (const [i, [kernel, [verdict, message]]] of wanted.entries()) {
        expect(found[i]?.message).toContain(message);
        if (verdict !== 'refused') expect(found[i]?.name).toBe(`${file}:${kernel}`);
      }
      const words = new Set(found.map(({ word }) => word));
      expect(code).toBe([...words].every((word) => word === 'passed') ? 0 : 1);
    },
  );
}
