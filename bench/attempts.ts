// docs/six-attempts.md: what each of the six ideas is worth, and what the gate says of its typical defect.
// Run: node --import jiti/register bench/attempts.ts --gate   writes docs/results/attempts-defects.json, without a GPU
//      node --import jiti/register bench/attempts.ts --page   makes the page of that and of docs/results/attempts-*.json,
//      evidence of the preset attempts in three sets: `gen validate`, `gen time`, `gen report --evidence` with --where
//      mma: "path == 'mma'"; simt: "path == 'naive' || path == 'simt' && simtWarps == 8 && unroll == 4";
//      unrolling: "path == 'simt' && vector == 8 && ilp == 1 && !prefetch && !transposed"
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runEvidenceSchema } from '../src/model/evidence.ts';
import { packageRoot } from '../src/util/package-root.ts';
import { defectsSchema, gateDefects } from './attempts/defects.ts';
import { attemptsPage } from './attempts/page.ts';

const { values } = parseArgs({ options: { gate: { type: 'boolean' }, page: { type: 'boolean' } } });
const fileOf = (name: string) => join(packageRoot, `docs/results/attempts-${name}.json`);
const read = (name: string) => JSON.parse(readFileSync(fileOf(name), 'utf8')) as unknown;
const evidence = (name: string) => runEvidenceSchema.parse(read(name));

if (values.gate) writeFileSync(fileOf('defects'), `${JSON.stringify(await gateDefects(), null, 1)}\n`);
if (values.page) {
  const sets = { mma: evidence('mma'), simt: evidence('simt'), unrolling: evidence('unrolling') };
  const page = attemptsPage(sets, defectsSchema.parse(read('defects')));
  writeFileSync(join(packageRoot, 'docs/six-attempts.md'), page);
}
