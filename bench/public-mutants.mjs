// Number of planted defects that `validate` finds in kernels of public repositories, with the descriptions of public-kernels.mjs: of every
// so-manieth kernel that passes, a sample of its mutants, spread over the operators of `gen mutate`. Mutants that do not compile, or change
// lines that the preprocessor leaves out, are replaced, and so are those that somebody has shown to be equivalent: public-kernels/equivalents.json has them, each with the argument. Kernels that a file
// of results has already are kept there, unless they are asked again; `--new` leaves them out. `--join` takes over kernels of other files of results, those of other
// processes, without checkouts too; `--markdown` writes the table of all into its place in a document.
//
//   node bench/public-mutants.mjs <name>=<checkout>... [--every 15] [--first 0] [--mutants 10] [--only <pattern>] [--new] [--json out.json]
//   node bench/public-mutants.mjs --json out.json [--join <results>]... [--markdown ../docs/public-kernels.md]
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { putBetweenMarks } from '../dist/mutate/document.js';
import { mutantsOf } from '../dist/mutate/mutant.js';
import { table } from '../dist/mutate/report.js';
import { spreadSample } from '../dist/mutate/sample.js';
import { checkoutsOf, subjectsOf } from './public-kernels/subjects.mjs';
import { verdictsOn } from './public-kernels/verdict.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '15' },
    first: { type: 'string', default: '0' },
    mutants: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    new: { type: 'boolean', default: false },
    json: { type: 'string' },
    join: { type: 'string', multiple: true, default: [] },
    markdown: { type: 'string' },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const stored = flags.json !== undefined && (flags.join.length > 0 || flags.markdown !== undefined);
const checkouts = stored && positionals.length === 0 ? [] : checkoutsOf(positionals);
if (typeof checkouts === 'string') {
  console.error(
    `${checkouts}\nusage: node bench/public-mutants.mjs <name>=<checkout>... [--every 15] [--first 0] [--mutants 10] [--only <pattern>] [--new] [--json out.json]`,
  );
  process.exit(2);
}
const equivalents = JSON.parse(readFileSync(join(here, 'public-kernels/equivalents.json'), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'tilewright-mutants-'));
const given = join(scratch, 'description.json');
const copies = join(scratch, 'copies');

/** A subject whose file has the mutant's text; what it includes lies beside the original. */
function mutated(subject, { text }) {
  mkdirSync(copies, { recursive: true });
  const path = join(copies, basename(subject.path));
  writeFileSync(path, text);
  return { ...subject, path, include: [dirname(subject.path), ...subject.include] };
}

/** Mutants of the kernel and of what it calls, in an order in which any first ones are spread over operators and places. */
function sampled(subject, count) {
  const text = readFileSync(subject.path, 'utf8');
  const reachedFrom = new Set([subject.description.kernel.replace(/<.*/, '')]);
  const all = mutantsOf({ file: basename(subject.path), text, reachedFrom });
  const chosen = spreadSample(all, count, ({ operator }) => operator);
  const spare = spreadSample(all, 2 * count, ({ operator }) => operator).filter(
    (one) => !chosen.includes(one),
  );
  return [...chosen, ...spare];
}

const count = (mutants, wanted) => mutants.filter(({ state }) => state === wanted).length;

/** `key`: that of the kernel as it is. A mutant of the same key changes what the preprocessor leaves out. */
async function judge(subject, key) {
  const wanted = Number(flags.mutants);
  const results = [];
  for (const mutant of sampled(subject, wanted)) {
    if (results.length - count(results, 'equivalent') === wanted) break;
    const { verdicts, keys } = await verdictsOn(mutated(subject, mutant), given);
    const [{ word, message }] = verdicts;
    if (word === 'refused' || keys[0] === key) continue; // refused by the compiler, mostly
    const { id, operator, line, before, after } = mutant;
    const argued = equivalents[id];
    const state = word !== 'passed' ? 'killed' : argued ? 'equivalent' : 'survived';
    results.push({
      id,
      operator,
      line,
      state,
      ...(state === 'killed' ? { word } : {}),
      ...(argued && { argued }),
      ...(state === 'survived' && { before: before.trim(), after: after.trim() }),
    });
    console.log(
      `  ${state}\t${id}\t${operator}\tline ${line}\t${state === 'killed' ? `${word}: ${message}` : ''}`,
    );
    if (state === 'survived') console.log(`    - ${before.trim()}\n    + ${after.trim()}`);
  }
  return results;
}

const command = ['node bench/public-mutants.mjs', ...process.argv.slice(2)].join(' ');
const date = new Date().toISOString().slice(0, 10);
const commit =
  process.env.TILEWRIGHT_COMMIT ??
  execFileSync('git', ['-C', here, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
const earlier = [...(flags.json && existsSync(flags.json) ? [flags.json] : []), ...flags.join].map((path) =>
  JSON.parse(readFileSync(path, 'utf8')),
);
const revisions = Object.assign(
  {},
  ...earlier.map((one) => one.checkouts),
  Object.fromEntries(checkouts.map(({ name, commit }) => [name, commit])),
);
/** A stored result, with an argument that was written since. */
function withArgument(mutant) {
  const argued = equivalents[mutant.id];
  if (mutant.state !== 'survived' || !argued) return mutant;
  const { before, after, ...rest } = mutant;
  return { ...rest, state: 'equivalent', argued };
}

// Of two results of a kernel the later file's counts.
const known = new Map(
  earlier
    .flatMap((one) => one.kernels)
    .map((kernel) => [kernel.label, { ...kernel, mutants: kernel.mutants.map(withArgument) }]),
);
const { waiting } = await subjectsOf(checkouts);
const described = waiting.filter(
  ({ description, label }) =>
    description && new RegExp(flags.only).test(label) && !(flags.new && known.has(label)),
);
const chosen = described.filter((_, i) => i % Number(flags.every) === Number(flags.first));
const kernels = [...known.values()].filter(({ label }) => !chosen.some((one) => one.label === label));
const save = () => {
  if (flags.json)
    writeFileSync(flags.json, `${JSON.stringify({ date, checkouts: revisions, kernels }, null, 1)}\n`);
};
for (const subject of chosen) {
  console.log(subject.label);
  const asItIs = mutated(subject, { text: readFileSync(subject.path, 'utf8') });
  const { verdicts, keys } = await verdictsOn(asItIs, given);
  const [{ word }] = verdicts;
  if (word !== 'passed') {
    console.log(`  ${word} as it is: its mutants are not asked`);
    continue;
  }
  kernels.push({ label: subject.label, command, commit, mutants: await judge(subject, keys[0]) });
  save();
}
save();
rmSync(scratch, { recursive: true, force: true });

const shareOf = ({ mutants }) => count(mutants, 'killed') / (mutants.length - count(mutants, 'equivalent'));
const asked = kernels.filter(({ mutants }) => mutants.length > 0);
const all = kernels.flatMap(({ mutants }) => mutants);
const summary = `${asked.length} kernels, ${all.length} mutants: ${count(all, 'killed')} killed, ${count(all, 'equivalent')} equivalent, ${count(all, 'survived')} survived; at least 8 of 10 killed in ${asked.filter((one) => !(shareOf(one) < 0.8)).length} of ${asked.length} kernels`;
if (flags.markdown) putBetweenMarks(flags.markdown, 'public kernels', page());
console.log(`\n${summary}`);

/** The kernels by repository, with those where less than 8 of 10 were killed one by one. */
function page() {
  const of = (label) => /^([^/]+)\/(.*\.cu):(.*)$/.exec(label).slice(1);
  const row = (name, own) => {
    const mutants = own.flatMap((one) => one.mutants);
    const good = own.filter((one) => !(shareOf(one) < 0.8)).length;
    return [name, own.length, mutants.length]
      .concat(['killed', 'equivalent', 'survived'].map((state) => count(mutants, state)))
      .concat([`${good} of ${own.length}`]);
  };
  const names = [...new Set(asked.map(({ label }) => of(label)[0]))].sort();
  const weak = asked.filter((one) => shareOf(one) < 0.8).sort((a, b) => (a.label < b.label ? -1 : 1));
  const head = ['repository', 'kernels', 'mutants', 'killed', 'equivalent', 'survived', '8 of 10 killed'];
  return [
    `${summary}.`,
    table(head, [
      ...names.map((name) =>
        row(
          name,
          asked.filter(({ label }) => of(label)[0] === name),
        ),
      ),
      row('**all**', asked),
    ]),
    'Kernels of which less than 8 of 10 are killed:',
    table(
      ['file', 'kernel', 'commit', 'killed', 'equivalent', 'survived'],
      weak.map(({ label, commit, mutants }) => {
        const [name, file, kernel] = of(label);
        return [`${name} \`${basename(file)}\``, `\`${kernel}\``, commit.slice(0, 7)].concat(
          ['killed', 'equivalent', 'survived'].map((state) => count(mutants, state)),
        );
      }),
    ),
  ].join('\n\n');
}
