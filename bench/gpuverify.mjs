// How many labels of GPUVerify's public CUDA test-suite `validate` reproduces. The suite is fetched by whoever runs this
// (github.com/mc-imperial/gpuverify, testsuite/CUDA); nothing of it is kept here. A kernel that its authors expect to verify
// should pass, one that they expect not to verify should fail. What GPUVerify itself cannot read is left out.
//
//   node bench/gpuverify.mjs <folder testsuite/CUDA> [--jobs 2] [--only <text>] [--json out.json]
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    commit: { type: 'string' },
  },
});
const [suite] = positionals;
if (!suite) {
  console.error(
    'usage: node bench/gpuverify.mjs <folder testsuite/CUDA> [--jobs 2] [--only <text>] [--json out.json]',
  );
  process.exit(2);
}
const run = promisify(execFile);
const validate = join(dirname(fileURLToPath(import.meta.url)), '../dist/validate.js');
const scratch = mkdtempSync(join(tmpdir(), 'tilewright-gpuverify-'));

/** GPUVerify's annotations as far as one execution can look at them; loop invariants and frames of accesses are taken away. */
const annotations = `
#include <cooperative_groups.h>
#define __requires(...) ((void)0)
#define __assume(...) ((void)0)
#define __assert(...) ((__VA_ARGS__) ? (void)0 : simt::trap("assertion failed"))
#define __implies(a, b) (!(a) || (b))
#define __enabled() true
#define __distinct_int(...) true
#define __uniform_int(x) true
#define __uniform_bool(x) true
#define __other_int(x) (x)
#define __all(x) (x)
${['invariant', 'global_invariant', 'ensures', 'axiom', 'requires_fresh_array', 'function_wide_invariant']
  .map((name) => `#define __${name}(...) ((void)0)`)
  .join('\n')}
${['no_read', 'no_write', 'read', 'write', 'read_implies', 'write_implies'].map((name) => `#define __${name}(...) true`).join('\n')}
`;

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

function describe(text) {
  const plain = text.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
  const found =
    /__global__\s+(?:__launch_bounds__\([^)]*\)\s*)?(?:static\s+)?void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)/.exec(
      plain,
    );
  if (!found) return undefined;
  const [, kernel, list] = found;
  const sizes = {};
  const given = {};
  for (const part of list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one && one !== 'void')) {
    const [, name = ''] = /(\w+)\s*(?:\[\w*\])?$/.exec(part) ?? [];
    const type = part
      .replaceAll(/\b(const|volatile|__restrict__|struct|signed)\b|[*&]|\[\w*\]/g, ' ')
      .trim()
      .split(/\s+/)
      .slice(0, -1)
      .join(' ');
    if (/[*[]/.test(part)) {
      const typed = known.test(type) && !/\*.*\*/.test(part) && type !== 'short';
      given[name] = { shape: [elements], role: 'inout', values: 'zeros', ...(!typed && { type: 'u8' }) };
    } else if (/^(int|unsigned|unsigned int|size_t|long|uint|char|short)$/.test(type)) sizes[name] = 64;
    else if (/^(float|double)$/.test(type)) given[name] = 1;
    else if (type === 'bool') given[name] = 1;
  }
  const tried =
    Object.keys(sizes).length === 0
      ? [{}]
      : [64, 2, 1].map((value) => Object.fromEntries(Object.keys(sizes).map((name) => [name, value])));
  return {
    kernel,
    sizes: tried,
    ragged: false,
    arguments: given,
    block: fitting(dimensions(text, 'blockDim')),
    grid: dimensions(text, 'gridDim').map((one) => Math.min(one, mostBlocks)),
    deterministic: false,
    tolerance: 1e30, // results are nobody's concern here
  };
}

async function check(path) {
  const text = readFileSync(path, 'utf8');
  const [label = '', options = ''] = text.split('\n');
  const name = relative(suite, dirname(path));
  const wanted = /^\/\/\s*pass/i.test(label)
    ? 'passed'
    : /NOT_ALL_VERIFIED/.test(label)
      ? 'failed'
      : undefined;
  if (!wanted) return { name, left: label.replace('//', '') };
  const description = describe(text);
  if (!description) return { name, wanted, word: 'not checked', message: 'no kernel is found' };
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  const defines = [...options.matchAll(/-D(\w+)(?:=(\S+))?/g)].map(
    ([, key, value = '1']) => `#define ${key} ${value}\n`,
  );
  writeFileSync(
    join(folder, 'kernel.cu'),
    `/* tilewright\n${JSON.stringify(description)}\n*/\n${defines.join('')}${annotations}#include "${resolve(path)}"\n`,
  );
  const argv = [validate, join(folder, 'kernel.cu'), '--json', '--quiet', '--include', dirname(path)];
  const { stdout, stderr } = await run(process.execPath, argv, {
    maxBuffer: 1 << 28,
    timeout: 180_000,
  }).catch((error) => ({
    stdout: error.stdout ?? '',
    stderr: error.stderr ?? String(error),
  }));
  const [event] = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const word = event?.event === 'verdict' ? event.verdict : 'not checked';
  const message = (event?.evidence?.message ?? event?.message ?? stderr).split('\n')[0];
  return { name, wanted, word, message };
}

const reproduced = ({ wanted, word }) =>
  word !== 'not checked' && (word === 'passed') === (wanted === 'passed');
const waiting = readdirSync(suite, { recursive: true })
  .filter((name) => name.endsWith('.cu') && name.includes(flags.only))
  .sort()
  .map((name) => join(suite, name));
const results = [];
await Promise.all(
  Array.from({ length: Number(flags.jobs) }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const one = await check(next);
      results.push(one);
      if (one.wanted && !reproduced(one))
        console.log(`${one.name}\texpected ${one.wanted}\t${one.word}\t${one.message}`);
    }
  }),
);
rmSync(scratch, { recursive: true, force: true });
results.sort((a, b) => a.name.localeCompare(b.name));
const left = results.filter(({ wanted }) => !wanted);
const asked = results.filter(({ wanted }) => wanted);
const right = asked.filter(reproduced).length;
const percent = ((100 * right) / asked.length).toFixed(1);
console.log(
  `\n${results.length} kernels, ${left.length} left out; ${right} of ${asked.length} labels reproduced (${percent} %)`,
);
if (flags.json)
  writeFileSync(
    flags.json,
    `${JSON.stringify(
      {
        command: 'node bench/gpuverify.mjs <testsuite/CUDA>',
        ...(flags.commit && { commit: flags.commit }),
        date: new Date().toISOString().slice(0, 10),
        kernels: results.length,
        leftOut: left.map(({ name, left: why }) => ({ name, why })),
        labels: asked.length,
        reproduced: right,
        notReproduced: asked.filter((one) => !reproduced(one)),
      },
      null,
      1,
    )}\n`,
  );
