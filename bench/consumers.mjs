// The three programs that use an emitted library as others would, run as the README says, each in a folder outside of this tree:
// a wheel in a fresh venv, a project of CMake, a crate. Prints what each printed, and writes it with the machine's name.
//
//   node bench/consumers.mjs [--wheel <file>] [--prefix <folder>] [--rust <program>] [--burn <program>] [--gpu] [--repeats 3] [--json out.json]
//
// --wheel: by `gen emit --python`; needs a python3 with PyTorch. --prefix: by `gen emit --prefix`. --rust: examples/rust-consumer, built by
// `cargo build --release [--features cuda]`. --burn: the example `layer` of the crate burn-sparse-cuda, built by cargo. --gpu: the CMake
// project links the library for GPUs. A consumer without its option is left out. Exit code: 0 if all passed, else 1.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const { values } = parseArgs({
  options: {
    wheel: { type: 'string' },
    prefix: { type: 'string' },
    rust: { type: 'string' },
    burn: { type: 'string' },
    gpu: { type: 'boolean', default: false },
    repeats: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const work = mkdtempSync(join(tmpdir(), 'tilewright-consumers-'));
const call = promisify(execFile);

/** Lines of a command, and its exit code. */
async function run(argv) {
  const [file, ...args] = argv;
  const options = { cwd: work, maxBuffer: 1 << 26, timeout: 300_000 };
  const { stdout, stderr, code } = await call(file, args, options).catch((error) => error);
  return { code: code ?? 0, lines: stdout?.trim().split('\n') ?? [], error: stderr?.trim() ?? '' };
}

async function firstLine(...argv) {
  const { code, lines } = await run(argv);
  return code === 0 ? lines[0] : undefined;
}

/** PyTorch is that of `python3`: too large to be installed again. */
async function python() {
  const venv = join(work, 'venv', 'bin', 'python');
  const place = 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))';
  const packages = (await firstLine('python3', '-c', place)) ?? '';
  return {
    prepare: [
      ['python3', '-m', 'venv', 'venv'],
      [venv, '-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', resolve(values.wheel)],
    ],
    program: ['env', `PYTHONPATH=${packages}`, venv, join(root, 'examples/python/linear.py')],
  };
}

function cmake() {
  cpSync(join(root, 'examples/c-consumer'), join(work, 'consumer'), { recursive: true });
  const library = values.gpu ? ['-DLIBRARY=tilewright'] : [];
  return {
    prepare: [
      [
        'cmake',
        '-S',
        'consumer',
        '-B',
        'build',
        '-DCMAKE_BUILD_TYPE=Release',
        `-DCMAKE_PREFIX_PATH=${resolve(values.prefix)}`,
        ...library,
      ],
      ['cmake', '--build', 'build'],
    ],
    program: [join(work, 'build', 'consumer')],
  };
}

const built = (program) => () => ({ prepare: [], program: [resolve(program)] });

/** Prepares one, and runs it several times. */
async function record(name, { prepare, program }) {
  const begin = performance.now();
  for (const argv of prepare) {
    const { code, error, lines } = await run(argv);
    if (code !== 0) return { name, passed: false, failed: argv.join(' '), says: [...lines, error].slice(-5) };
  }
  const seconds = (performance.now() - begin) / 1000;
  const runs = [];
  for (let i = 0; i < Number(values.repeats); i++) runs.push(await run(program));
  const passed = runs.every(({ code, lines }) => code === 0 && lines.some((line) => line.startsWith('PASS')));
  const says = runs.map(({ lines, error, code }) => (code === 0 ? lines : [...lines, error]));
  return { name, passed, secondsToPrepare: Number(seconds.toFixed(1)), says };
}

const asked = [
  ['pip install', values.wheel, python],
  ['find_package', values.prefix, cmake],
  ['cargo add', values.rust, built(values.rust)],
  ['Burn', values.burn, built(values.burn)],
].filter(([, option]) => option !== undefined);
if (asked.length === 0) {
  console.error('nothing to run: name a consumer with --wheel, --prefix, --rust or --burn');
  process.exit(2);
}
const commit = process.env.TILEWRIGHT_COMMIT ?? (await firstLine('git', '-C', root, 'rev-parse', 'HEAD'));
const gpu = await firstLine('nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader');
const toolkit = (await run(['nvcc', '--version'])).lines.find((line) => line.includes('release'));
const command = ['node bench/consumers.mjs', ...process.argv.slice(2)].join(' ');
const consumers = [];

function save() {
  if (values.json === undefined) return;
  const evidence = { date: new Date().toISOString(), command, commit, gpu, toolkit, consumers };
  writeFileSync(values.json, `${JSON.stringify(evidence, undefined, 2)}\n`);
}

for (const [name, , of] of asked) {
  const one = await record(name, await of());
  consumers.push(one);
  console.log(`${name}: ${one.passed ? 'passed' : 'FAILED'}`);
  for (const line of one.says.flat()) console.log(`  ${line}`);
  save();
}
rmSync(work, { recursive: true, force: true });
process.exit(consumers.every(({ passed }) => passed) ? 0 : 1);
