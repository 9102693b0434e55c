// Share of the labels of ScoR's microbenchmarks that `validate` reproduces: races by scopes of atomics and fences. The suite is fetched
// by whoever runs this (github.com/csl-iisc/ScoR, microbenchmarks/src; Kamath, George and Basu, ISCA 2020); nothing of it is kept here.
// A file's name says whether its kernel races.
//
//   node bench/scor.mjs <folder microbenchmarks/src> [--commit <of the suite>] [--json out.json]
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { asked, ownCommit, scratchFolder, writeReport } from './labels.mjs';
import { verdictsOn } from './public-kernels/verdict.mjs';

const { flags, suite } = asked(
  'node bench/scor.mjs <folder microbenchmarks/src> [--commit <id>] [--json out.json]',
);
const scratch = scratchFolder('scor');

/**
 * Labels that PTX's memory model (section "Memory Consistency Model") does not share. Volatile accesses are relaxed: a volatile load
 * beside a volatile store is no race, whatever it reads. And an atomic that reads what another thread has released acquires
 * nothing where no fence follows it.
 */
const otherThanPtx = [
  'norace_interwarp-block_fence-atom_hrd-indirect',
  'race_interblock_blkfence_raw',
  'race_interblock_fence_rtraw',
  'race_interblock_none-lock_rtraw',
];

/** Verdict and message on one file. */
async function judged(name) {
  const path = join(suite, `${name}.cu`);
  const dimension = (of) =>
    Number(new RegExp(`#define ${of}\\s+(\\d+)`).exec(readFileSync(path, 'utf8'))?.[1]);
  const description = {
    kernel: 'kmain',
    sizes: {},
    ragged: false,
    arguments: { data: { shape: [1], role: 'inout', values: 'zeros' } },
    grid: dimension('NBLOCKS'),
    block: dimension('TPERBLK'),
  };
  const { verdicts } = await verdictsOn({ path, include: [], description }, join(scratch, `${name}.yaml`));
  const [{ word, message }] = verdicts;
  return { word, message: word === 'passed' ? '' : message };
}

/** Findings in most files are only what nothing orders, of volatile accesses too: the last of two stores is left open there. */
const reproduced = ({ wanted, word, message }) =>
  word === 'race' || word === 'nondeterministic'
    ? (wanted === 'race') === (word === 'race' || message.includes('nothing orders these'))
    : word === wanted;

const results = [];
for (const file of readdirSync(suite).sort()) {
  if (!file.endsWith('.cu')) continue;
  const name = file.replace(/\.cu$/, '');
  const wanted = name.startsWith('race_') ? 'race' : 'passed';
  const one = { name, wanted, ...(await judged(name)) };
  if (!reproduced(one)) console.log(`${name}\texpected ${wanted}\t${one.word}\t${one.message}`);
  results.push(one);
}
rmSync(scratch, { recursive: true, force: true });
const others = results.filter((one) => !reproduced(one));
const unexplained = others.filter(({ name }) => !otherThanPtx.includes(name));
console.log(
  `\n${results.length - others.length} of ${results.length} labels reproduced; ${others.length - unexplained.length} others are otherwise by PTX`,
);
if (flags.json) {
  const found = {
    labels: results.length,
    reproduced: results.length - others.length,
    otherThanPtx: others.filter(({ name }) => otherThanPtx.includes(name)),
    notReproduced: unexplained,
  };
  writeReport(flags, 'node bench/scor.mjs <microbenchmarks/src>', found, ownCommit());
}
process.exitCode = unexplained.length > 0 ? 1 : 0;
