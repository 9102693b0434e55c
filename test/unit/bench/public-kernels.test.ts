import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/util/package-root.ts';

interface Result {
  readonly word: string;
  readonly gpu?: { readonly word: string };
}

test('docs/public-kernels.md has the figures of its evidence', () => {
  const read = (name: string) => readFileSync(join(packageRoot, 'docs', name), 'utf8');
  const { commit, kernels, checked, results } = JSON.parse(read('results/public-kernels-h200.json')) as {
    readonly commit: string;
    readonly kernels: number;
    readonly checked: number;
    readonly results: readonly Result[];
  };
  const page = read('public-kernels.md');
  const passed = results.filter(({ word }) => word === 'passed');
  const both = passed.filter(({ gpu }) => gpu?.word === 'passed');
  const races = results.filter(({ word }) => word === 'race');
  expect(results.length).toBe(kernels);
  expect(page).toContain(`commit ${commit.slice(0, 7)}`);
  expect(page).toContain(`${checked} of ${kernels} kernels were checked`);
  expect(page).toContain(`${passed.length} passed, ${races.length} races`);
  expect(page).toContain(`Of ${passed.length} that pass here ${both.length} pass on the GPU`);
});

test('docs/public-kernels.md has the figures of code-samples', () => {
  const read = (name: string) => readFileSync(join(packageRoot, 'docs', name), 'utf8');
  const { commit, kernels, checked, results } = JSON.parse(
    read('results/public-kernels-code-samples.json'),
  ) as {
    readonly commit: string;
    readonly kernels: number;
    readonly checked: number;
    readonly results: readonly (Result & { readonly message: string })[];
  };
  const page = read('public-kernels.md');
  const of = (word: string) => results.filter((one) => one.word === word);
  const described = results.filter(({ message }) => message !== 'no description');
  expect(page).toContain(`commit ${commit.slice(0, 7)}`);
  expect(page).toContain(
    `| ${described.length} of ${kernels} | ${checked} | ${of('passed').length} passed, ${of('race').length} races |`,
  );
  for (const { message } of of('refused')) {
    const [, place] = /([\w+]+\.cu:\d+): /.exec(message) ?? [];
    if (place) expect(page).toContain(`:${place.split(':')[1]}\``);
  }
});
