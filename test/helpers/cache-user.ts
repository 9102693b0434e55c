// One of several processes that use the same cache: node --import jiti/register test/helpers/cache-user.ts <folder> <keys>
// <start> <processes>. They begin together: each leaves a file in <start> and waits for those of the others.
// Prints how often an entry that it was given could not be read as it was made.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { obtain } from '../../src/compile/cache.ts';
import { hashOf } from '../../src/util/hash.ts';

const [root = '', keys = '', start = '', processes = ''] = process.argv.slice(2);
const schema = z.object({ maker: z.number() });
const names = ['a', 'b', 'c', 'd'];

/** An entry of the process's own: two processes differ in it, as compilers' outputs may. */
async function produce(folder: string): Promise<{ maker: number }> {
  for (const name of names) writeFileSync(join(folder, name), `${name} ${process.pid}`);
  return { maker: process.pid };
}

function isWhole({ folder, meta }: { folder: string; meta: { maker: number } }): boolean {
  try {
    return names.every((name) => readFileSync(join(folder, name), 'utf8') === `${name} ${meta.maker}`);
  } catch {
    return false;
  }
}

let broken = 0;
writeFileSync(join(start, `${process.pid}`), '');
while (readdirSync(start).length < Number(processes)) await sleep(5);
for (let i = 0; i < Number(keys); i++) {
  const entry = await obtain({ cacheRoot: root }, hashOf(`${i}`), schema, produce);
  for (let look = 0; look < 5; look++) if (!isWhole(entry)) broken++;
}
console.log(broken);
