// Digests of device code for results of `gen mutate` that came without: those of the variants at the commit that the results are of, by today's
// reading of what a kernel reaches. `--resume` then keeps the results whose variants have the same code today. The checkout of that commit is built.
//
//   node bench/mutant-code.mjs <results> <checkout> --preset kinds --json out.jsonl
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { headersOf, reachedFrom } from '../dist/mutate/headers.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { preset: { type: 'string', default: 'quick' }, json: { type: 'string' } },
});
const [results, checkout] = positionals;
if (!checkout || !flags.json) {
  console.error('usage: node bench/mutant-code.mjs <results> <checkout> [--preset quick] --json <out.jsonl>');
  process.exit(2);
}
const there = (path) => import(pathToFileURL(resolve(checkout, 'dist', path)));
const [{ loadFamily }, { enumerate }, { renderVariant }, { archFor, spaceOf }] = await Promise.all(
  ['discover.js', 'space/enumerate.js', 'render/render.js', 'cli/prepare.js'].map(there),
);

const [info, ...lines] = readFileSync(results, 'utf8').trim().split('\n').map(JSON.parse);
const { family, folder } = await loadFamily(info.family, {});
const arch = await archFor({ arch: info.arch }, {});
const { variants } = enumerate(family, { arch, ...spaceOf(family, flags, flags.preset) });
const digests = new Map(
  variants.map((variant) => {
    const { text } = renderVariant(family, folder, variant);
    return [
      variant.id,
      reachedFrom(text, headersOf(text, [resolve(join(checkout, 'kit/device')), folder])).digest,
    ];
  }),
);
const noted = lines.map((one) => ({ ...one, code: one.code ?? digests.get(one.variant) }));
writeFileSync(flags.json, [info, ...noted].map((one) => `${JSON.stringify(one)}\n`).join(''));
const found = noted.filter(({ code }) => code !== undefined).length;
console.log(`${found} of ${noted.length} results have the digest of their code`);
