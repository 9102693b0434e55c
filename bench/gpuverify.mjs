// Share of the labels of GPUVerify's public CUDA test-suite that `validate` reproduces. The suite is fetched by whoever runs this
// (github.com/mc-imperial/gpuverify, testsuite/CUDA); nothing of it is kept here. A kernel that its authors expect to verify
// should pass, one that they expect not to verify should fail. What GPUVerify itself cannot read has no label.
//
//   node bench/gpuverify.mjs <folder testsuite/CUDA> [--jobs 2] [--only <text>] [--json out.json]
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { asked, judgedAll, scratchFolder, sourcesIn, writeReport } from './labels.mjs';

const { flags, suite } = asked(
  'node bench/gpuverify.mjs <folder testsuite/CUDA> [--jobs 2] [--only <text>] [--json out.json]',
  { jobs: { type: 'string', default: '2' }, only: { type: 'string', default: '' } },
);
const run = promisify(execFile);
const validate = join(dirname(fileURLToPath(import.meta.url)), '../dist/validate.js');
const scratch = scratchFolder('gpuverify');

/**
 * GPUVerify's annotations as far as executions can look at them; loop invariants and frames of accesses are taken away.
 * `__other_int` is what another thread has: here that of the next lane.
 */
const annotations = `
#include <cooperative_groups.h>
#include <curand_kernel.h>
#define __requires(...) ((__VA_ARGS__) ? (void)0 : simt::trap("requirement violated"))
#define __assume(...) __requires(__VA_ARGS__)
#define __assert(...) ((__VA_ARGS__) ? (void)0 : simt::trap("assertion failed"))
#define __implies(a, b) (bool(!(a)) | bool(b))
#define __enabled() true
#define __distinct_int(...) true
#define __uniform_int(x) true
#define __uniform_bool(x) true
#define __other_int(x) __shfl_xor_sync(0xffffffffu, x, 1)
#define __all(x) (x)
#define __ptr_offset_bytes(p) 0
${['invariant', 'global_invariant', 'ensures', 'axiom', 'requires_fresh_array', 'function_wide_invariant']
  .map((name) => `#define __${name}(...) ((void)0)`)
  .join('\n')}
${['no_read', 'no_write', 'read', 'write', 'read_implies', 'write_implies'].map((name) => `#define __${name}(...) true`).join('\n')}
`;

/** Return value of functions that are only declared: anything. */
const anything = `
static unsigned tw_state = 1;
__device__ inline unsigned tw_anything() { return (tw_state = tw_state * 1664525u + 1013904223u) >> 16 & 1; }
`;

/** Labels that no execution on a GPU of today can show, at most 5 % of all. */
const excluded = [
  [
    /^warpsync\/(2d|intragroup_scan|scan_warp|shuffle)$/,
    'relies on warps in lockstep, which GPUs since Volta do not promise',
  ],
  [
    /^(argument_promotion|memcpy_simplification\/global_passed_to_call)$/,
    'a texture reference, which CUDA 12 took away',
  ],
  [/^ctimeslid$/, '65536 bytes of static shared memory, which no GPU takes'],
  [
    /^annotation_tests\/test_axiom$/,
    'its axiom (blockIdx.y == 16) contradicts the grid that it names (one row)',
  ],
];

const mostThreads = 1024; // of a block
const mostBlocks = 4; // an address that two blocks share, two of these share too
const elements = 1 << 18;
const known =
  /^(float|double|int|unsigned int|unsigned|char|unsigned char|long|long long|short|half|size_t|uint|float4|int4|uint4|float2|int2)$/;

function dimensions(text, name) {
  const [, list = '1'] = new RegExp(`--${name}=\\[?([\\d,]+)`).exec(text) ?? [];
  return list.split(',').map(Number);
}

/** A block that a GPU takes, of the same shape as far as possible. */
function fitting(block) {
  const result = [...block];
  while (result.reduce((a, b) => a * b, 1) > mostThreads) result[result.indexOf(Math.max(...result))] /= 2;
  return result;
}

/** The value of `143`, `blockDim.x`; undefined for anything else. */
function numberOf(text, block) {
  if (/^\d+$/.test(text)) return Number(text);
  const axis = /^blockDim\.([xyz])$/.exec(text)?.[1];
  return axis && (block['xyz'.indexOf(axis)] ?? 1);
}

/** Values of whole-number parameters, a set a case: what a file requires, the counterexample that it names, 64, 2, 1, 0. */
function valuesFor(names, text, block) {
  if (names.length === 0) return [{}];
  const required = (name) =>
    [...text.matchAll(/__requires\((.*)\);/g)]
      .flatMap(([, condition]) => [...condition.matchAll(/(\w+)\s*==\s*([\w.]+)/g)])
      .filter(([, one]) => one === name)
      .map(([, , value]) => numberOf(value, block))
      .filter((value) => value !== undefined);
  const named = Object.fromEntries(
    [...text.matchAll(/^\/\/\s*(\w+) = (\d+)\s*$/gm)].map(([, name, value]) => [name, Number(value)]),
  );
  const usual = [64, 2, 1, 0].map((value, i) =>
    Object.fromEntries(
      names.map((name) => {
        const values = required(name);
        return [name, values[i % values.length] ?? value];
      }),
    ),
  );
  const example = Object.fromEntries(names.map((name) => [name, named[name] ?? 64]));
  const alone =
    names.length > 1 ? names.map((name) => ({ ...usual[0], [name]: required(name)[0] ?? 0 })) : [];
  const all = names.some((name) => name in named) ? [example, ...usual, ...alone] : [...usual, ...alone];
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** A generator's state, with tables of the recursion that nobody vouches for: they stand in memory that the host fills. */
const sharedGenerator = {
  ...{ shape: [1], role: 'inout' },
  fields: {
    s: { values: 'zeros' },
    offset: 0,
    pIdx: 0,
    k: { type: 'u32', shape: [elements], role: 'in', values: 'zeros' },
  },
};

const wholeNumber = /^(int|unsigned|unsigned int|size_t|long|uint|char|short)$/;

function describe(text) {
  const plain = text.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
  const found =
    /__global__\s+(?:__launch_bounds__\([^)]*\)\s*)?(?:static\s+)?void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)/.exec(
      plain,
    );
  if (!found) return undefined;
  const [, kernel, list] = found;
  const block = fitting(dimensions(text, 'blockDim'));
  const given = {};
  const names = [];
  let structs = false;
  const functions = [...plain.matchAll(/typedef[^;]*\(\s*\*\s*(\w+)\s*\)/g)].map(([, one]) => one);
  for (const part of list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one && one !== 'void')) {
    const [, argument = ''] = /(\w+)\s*(?:\[\w*\])?$/.exec(part) ?? [];
    const type = part
      .replaceAll(/\b(const|volatile|__restrict__|struct|signed)\b|[*&]|\[\w*\]/g, ' ')
      .trim()
      .split(/\s+/)
      .slice(0, -1)
      .join(' ');
    if (/^curandStateMtgp32/.test(type)) {
      given[argument] = sharedGenerator;
    } else if (/[*[]/.test(part)) {
      const typed = known.test(type) && !/\*.*\*/.test(part) && type !== 'short';
      given[argument] = { shape: [elements], role: 'inout', values: 'zeros', ...(!typed && { type: 'u8' }) };
    } else if (functions.includes(type)) {
      given[argument] = new RegExp(`__requires\\(\\s*${argument} == (\\w+)`).exec(plain)?.[1] ?? 0;
    } else if (wholeNumber.test(type)) names.push(argument);
    else if (/^(float|double)$/.test(type)) given[argument] = 1;
    else if (type === 'bool') given[argument] = 1;
    else structs = true;
  }
  // Sizes are above 0: a value is one less.
  const sizes = valuesFor(names, text, block).map((values) => ({
    ...Object.fromEntries(names.map((one) => [`${one}_1`, values[one] + 1])),
    // A pointer within a struct has as many elements as all sizes make up.
    ...(structs && { tw_elements: elements }),
  }));
  for (const argument of names) given[argument] = `${argument}_1 - 1`;
  const constants = [...plain.matchAll(/__constant__\s+(?:int|unsigned|float)\s+(\w+)/g)]
    .map(([, one]) => one)
    .filter((one) => plain.match(new RegExp(`\\b${one}\\b`, 'g')).length > 1);
  return {
    kernel,
    sizes,
    ragged: false,
    arguments: { ...given, ...ofArrays(plain) },
    // The host may have filled constant memory with anything.
    ...(constants.length > 0 && { symbols: Object.fromEntries(constants.map((one) => [one, 'zeros'])) }),
    block,
    grid: dimensions(text, 'gridDim').map((one) => Math.min(one, mostBlocks)),
    deterministic: false,
    // GPUVerify lets stores of one value pass, and does not look for memory that nothing has written.
    allow: ['same-value-race', 'uninitialised'],
    tolerance: 1e30, // results are nobody's concern here
  };
}

/** `q.p`, `q.v.p` or `q.p[4]`, which a file says to be an array of its own: a field, or the one element that is used. */
function ofArrays(text) {
  return Object.fromEntries(
    [...text.matchAll(/__requires_fresh_array\((\w+)\.([\w.]+(?:\[\d+\])?)\)/g)].map(
      ([, argument, field]) => [
        argument,
        {
          fields: {
            [field]: {
              ...(/\[/.test(field) && { type: 'f32' }),
              shape: [elements],
              role: 'inout',
              values: 'zeros',
            },
          },
        },
      ],
    ),
  );
}

/** Bodies for functions of the device that a file only declares. */
function bodies(text) {
  const plain = text.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
  return [...plain.matchAll(/__device__\s+([\w\s*]+?)\s*\b(\w+)\s*\(([^()]*)\)\s*;/g)]
    .filter(([, , name]) => !new RegExp(`__device__[^;{}]*\\b${name}\\s*\\([^;{]*\\)\\s*\\{`).test(plain))
    .map(
      ([, type, name, list]) =>
        `__device__ ${type} ${name}(${list}) { ${type.trim() === 'void' ? '' : `return (${type})tw_anything();`} }\n`,
    )
    .join('');
}

/** Results of a kernel under each of its descriptions. */
async function validated(path, folder, text, descriptions) {
  const defines = [...text.split('\n')[1].matchAll(/-D(\w+)(?:=(\S+))?/g)].map(
    ([, key, value = '1']) => `#define ${key} ${value}\n`,
  );
  writeFileSync(
    join(folder, 'kernel.cu'),
    `/* tilewright\n${JSON.stringify(descriptions)}\n*/\n${defines.join('')}${annotations}#include "${resolve(path)}"\n${anything}${bodies(text)}`,
  );
  const argv = [validate, join(folder, 'kernel.cu'), '--json', '--quiet', '--include', dirname(path)];
  const { stdout, stderr } = await run(process.execPath, argv, {
    maxBuffer: 1 << 28,
    timeout: 180_000,
  }).catch((error) => ({
    stdout: error.stdout ?? '',
    stderr: error.stderr ?? String(error),
  }));
  const events = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return descriptions.map((_, i) => {
    const event = events[i] ?? events[0];
    const word = event?.event === 'verdict' ? event.verdict : 'not checked';
    const [said] = (event?.evidence?.message ?? event?.message ?? stderr).split('\n');
    const message = said.replaceAll(`${suite}/`, '');
    return { word, message, case: event?.evidence?.case };
  });
}

function caseName(sizes) {
  return (
    Object.entries(sizes)
      .map(([name, value]) => `${name}=${value}`)
      .join(',') || 'only'
  );
}

/** Contents of memory: zeros, and small numbers. Out-of-bounds reads do not count against a kernel then: nobody vouches for such indices. */
const fillings = ['zeros', { integers: [0, 9] }];

function filled(description, values) {
  const text = JSON.stringify(description).replaceAll(
    '"values":"zeros"',
    `"values":${JSON.stringify(values)}`,
  );
  return JSON.parse(text);
}

async function check(path) {
  const text = readFileSync(path, 'utf8');
  const [label = ''] = text.split('\n');
  const name = relative(suite, dirname(path));
  const wanted = /^\/\/\s*pass/i.test(label)
    ? 'passed'
    : /NOT_ALL_VERIFIED/.test(label)
      ? 'failed'
      : undefined;
  if (!wanted) return { name, left: label.replace('//', '') };
  const why = excluded.find(([pattern]) => pattern.test(name))?.[1];
  if (why) return { name, excluded: why };
  const description = describe(text);
  if (!description) return { name, wanted, word: 'not checked', message: 'no kernel is found' };
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  const isFilled = JSON.stringify(description).includes('"zeros"');
  const descriptions = (isFilled ? fillings : fillings.slice(0, 1)).map((values) =>
    filled(description, values),
  );
  const [said, again] = await withRequired(path, folder, text, descriptions);
  return {
    name,
    wanted,
    ...(said.word !== 'passed' || !again || again.word === 'out-of-bounds' ? said : again),
  };
}

/** Inputs that the file's own requirements rule out do not count: they are left out, until none is left or none is ruled out. */
async function withRequired(path, folder, text, descriptions) {
  let all = descriptions;
  for (;;) {
    const said = await validated(path, folder, text, all);
    const ruledOut = (i) => /requirement violated/.test(said[i].message);
    if (!all.some((_, i) => ruledOut(i))) return said.map(({ word, message }) => ({ word, message }));
    const left = all.map((one, i) =>
      ruledOut(i) ? { ...one, sizes: one.sizes.filter((sizes) => caseName(sizes) !== said[i].case) } : one,
    );
    if (
      left.some(({ sizes }, i) => sizes.length === 0 || (ruledOut(i) && sizes.length === all[i].sizes.length))
    )
      return all.map(() => ({ word: 'not checked', message: 'no inputs that satisfy the requirements' }));
    all = left;
  }
}

const reproduced = ({ wanted, word }) =>
  word !== 'not checked' && (word === 'passed') === (wanted === 'passed');
const results = await judgedAll(sourcesIn(suite, flags.only), Number(flags.jobs), check, (one) => {
  if (one.wanted && !reproduced(one))
    console.log(`${one.name}\texpected ${one.wanted}\t${one.word}\t${one.message}`);
});
rmSync(scratch, { recursive: true, force: true });
const left = results.filter(({ left }) => left);
const out = results.filter(({ excluded: why }) => why);
const labels = results.filter(({ wanted }) => wanted);
const right = labels.filter(reproduced).length;
const percent = ((100 * right) / labels.length).toFixed(1);
console.log(
  `\n${results.length} kernels, ${left.length} without a label, ${out.length} excluded; ${right} of ${labels.length} labels reproduced (${percent} %)`,
);
if (flags.json)
  writeReport(flags, 'node bench/gpuverify.mjs <testsuite/CUDA>', {
    kernels: results.length,
    leftOut: left.map(({ name, left: why }) => ({ name, why })),
    excluded: out.map(({ name, excluded: why }) => ({ name, why })),
    labels: labels.length,
    reproduced: right,
    notReproduced: labels.filter((one) => !reproduced(one)),
  });
