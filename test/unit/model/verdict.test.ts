import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verdictNames } from '../../../src/model/verdict.ts';
import { packageRoot } from '../../../src/util/package-root.ts';

it('docs/verdicts.md explains every verdict and no other', () => {
  const page = readFileSync(join(packageRoot, 'docs/verdicts.md'), 'utf8');
  const explained = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(explained).toEqual([...verdictNames]);
});
