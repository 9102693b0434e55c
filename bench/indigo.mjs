// Share of the labels of Indigo's CUDA codes that `validate` reproduces: patterns of graph algorithms with planted defects, which a
// file's name lists. The suite is fetched by whoever runs this (github.com/burtscher/IndigoSuite writes it; written out, with int data,
// it is in github.com/JohnJacobsonIII/HiRace-Artifact-SC24, indigo/indigo_sources; Liu et al., ISPASS 2022); nothing of it is kept here.
//
//   node bench/indigo.mjs <folder with .cu files> [--every 1] [--jobs 1] [--only <text>] [--commit <of the suite>] [--json out.json]
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asked, judgedAll, ownCommit, scratchFolder, sourcesIn, writeReport } from './labels.mjs';
import { verdictsOn } from './public-kernels/verdict.mjs';

const { flags, suite } = asked(
  'node bench/indigo.mjs <folder> [--every 1] [--jobs 1] [--only <text>] [--json out.json]',
  {
    every: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
);
const scratch = scratchFolder('indigo');

/** A graph in compressed rows: some vertices without neighbours, the first and the last among them, and one with more than a block has threads. */
function graph(vertices) {
  let state = 1;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
  const neighbours = Array.from({ length: vertices }, (_, vertex) => {
    const degree = vertex === vertices - 1 || vertex % 9 === 0 ? 0 : vertex === 2 ? 69 : 1 + random(5);
    return Array.from({ length: degree }, () => random(vertices));
  });
  const rows = [0];
  for (const list of neighbours) rows.push(rows.at(-1) + list.length);
  return { rows, list: neighbours.flat() };
}

const vertices = 70;
const threads = 64;
const { rows, list } = graph(vertices);

/** Description of a file: one size, a grid that the pattern asks for, and its own serial code as the reference. */
function description(name, path) {
  const perVertex = /_block\b|_block_/.test(name) ? threads : /_warp\b|_warp_/.test(name) ? 32 : 1;
  const elements = Math.max(vertices, list.length);
  // Parents of path_compression lie below their children, as in the suite: else no loop ends.
  const below = Array.from({ length: elements }, (_, i) =>
    i < vertices ? (i * 7) % Math.max(i, 1) : i % vertices,
  );
  const worklist = name.startsWith('populate_worklist');
  return {
    kernel: 'test_kernel',
    sizes: { numv: vertices },
    ragged: false,
    arguments: {
      nindex: { shape: [vertices + 1], role: 'in', values: rows },
      nlist: { shape: [list.length], role: 'in', values: list },
      // A work list has its entries in the order in which threads come.
      data1: worklist
        ? { shape: [elements], role: 'workspace' }
        : {
            shape: [elements],
            role: 'inout',
            values: name.startsWith('path') ? below : { integers: [0, vertices - 1] },
          },
      data2: {
        shape: [elements],
        role: 'inout',
        values: worklist ? 'zeros' : { integers: [0, list.length - 1] },
      },
    },
    // Persistent kernels have fewer threads than there are vertices; the others more.
    grid: /persistent/.test(name)
      ? 3 * (perVertex === 1 ? 1 : 2)
      : Math.ceil((vertices * perVertex + 1) / threads) + 1,
    block: perVertex === 1 && /persistent/.test(name) ? 16 : threads,
    reference: `${path}:serial_code`,
  };
}

/** Defects by their names, and the verdicts that show them. */
const shows = {
  boundsBug: ['out-of-bounds', 'wrong'],
  atomicBug: ['race'],
  guardBug: ['race'],
  syncBug: ['race'],
  raceBug: ['race'],
};
const defectsOf = (name) => Object.keys(shows).filter((defect) => name.includes(defect));

async function judged(path) {
  const name = basename(path, '.cu');
  const include = [join(suite, '../indigo_include')];
  const { verdicts } = await verdictsOn(
    { path, include, description: description(name, path) },
    join(scratch, `${name}.yaml`),
  );
  const [{ word, message }] = verdicts;
  return { name, defects: defectsOf(name), word, message: word === 'passed' ? '' : message };
}

/** A verdict that one of the planted defects explains; without a defect, a pass. */
const reproduced = ({ defects, word }) =>
  defects.length > 0 ? defects.some((defect) => shows[defect].includes(word)) : word === 'passed';

const files = sourcesIn(suite, flags.only).filter((_, i) => i % Number(flags.every) === 0);
const results = await judgedAll(files, Number(flags.jobs), judged, (one) => {
  if (!reproduced(one))
    console.log(`${one.name}\texpected ${one.defects.join(', ') || 'passed'}\t${one.word}\t${one.message}`);
});
rmSync(scratch, { recursive: true, force: true });
const right = results.filter(reproduced);
const sound = results.filter(({ defects }) => defects.length === 0);
console.log(
  `\n${right.length} of ${results.length} labels reproduced: ${right.filter(({ defects }) => defects.length > 0).length} of ${results.length - sound.length} with defects, ${right.filter(({ defects }) => defects.length === 0).length} of ${sound.length} without`,
);
if (flags.json) {
  const command = `node bench/indigo.mjs <indigo_sources>${flags.every === '1' ? '' : ` --every ${flags.every}`}`;
  const found = {
    labels: results.length,
    reproduced: right.length,
    withoutDefect: sound.length,
    notReproduced: results.filter((one) => !reproduced(one)),
  };
  writeReport(flags, command, found, ownCommit());
}
process.exitCode = right.length < results.length ? 1 : 0;
