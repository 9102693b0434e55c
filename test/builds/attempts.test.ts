// The first step of the ladder in docs/six-attempts.md, which is no variant since its sums depend on the order of thread blocks.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { folderOf } from '../helpers/folder.ts';
import { edit, genHere } from '../helpers/gen.ts';

test('products that are added by atomics are right, and race without', { timeout: 300_000 }, async () => {
  const folder = folderOf();
  const file = join(folder, 'atomics.cu');
  copyFileSync(join(packageRoot, 'bench/attempts/atomics.cu'), file);
  const sound = await genHere(folder, ['validate', 'atomics.cu']);
  expect(sound.code, sound.stdout + sound.stderr).toBe(0);
  expect(sound.stdout).toMatch(/multiply_by_atomics: passed/);
  edit(file, (text) => text.replace('atomicAdd(to + row * columns, sum)', 'to[row * columns] += sum'));
  const broken = await genHere(folder, ['validate', 'atomics.cu']);
  expect(broken.stdout).toMatch(/multiply_by_atomics: race/);
  expect(broken.code).toBe(1);
});
