import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { edit, eventsOf, gen, genHere, type Workspace, workspace } from '../helpers/gen.ts';

const slow = { timeout: 120_000 };

/** A fault, how the workspace comes to have it, the command, and its message. All end with exit code 2. */
type Fault = readonly [what: string, make: (place: Workspace) => void, args: readonly string[], says: RegExp];

const template = ({ family }: Workspace) => join(family, 'scale.cu.hbs');
const familyFile = ({ family }: Workspace) => join(family, 'family.ts');
const nothing = () => {};
const sweep = ['sweep', 'scale', '--preset', 'sound', '--device', 'emulated'];

const faults: readonly Fault[] = [
  ['an unknown command', nothing, ['swep'], /unknown command 'swep'[\s\S]*Did you mean sweep\?/],
  ['an unknown flag', nothing, [...sweep, '--preseet', 'x'], /unknown option '--preseet'/],
  ['no family', nothing, ['sweep'], /gen sweep needs a kernel family, or --resume/],
  [
    'an unknown family',
    nothing,
    ['sweep', 'scael'],
    /there is no kernel family 'scael'; .*did you mean 'scale'\?/,
  ],
  [
    'an unknown preset',
    nothing,
    ['sweep', 'scale', '--preset', 'sond'],
    /no preset 'sond': it has .*did you mean 'sound'/,
  ],
  [
    'an unknown arch',
    nothing,
    [...sweep, '--arch', 'sm_42'],
    /no architecture 'sm_42': known are sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120/,
  ],
  [
    'an unknown device',
    nothing,
    ['sweep', 'scale', '--device', 'gpu'],
    /no device 'gpu': choose auto, emulated, cuda, or numbered GPUs/,
  ],
  ['no jobs', nothing, [...sweep, '--jobs', '0'], /whole number, at least 1/],
  ['a malformed condition', nothing, ['sweep', 'scale', '--where', 'threads = 64'], /threads = 64/],
  [
    'an unknown name in a condition',
    nothing,
    ['sweep', 'scale', '--where', 'treads == 64'],
    /treads.*did you mean 'threads'/,
  ],
  ['an unknown run', nothing, ['sweep', '--resume', 'scale-1'], /there is no run 'scale-1'/],
  [
    'another space on resume',
    nothing,
    [...sweep, '--resume'],
    /--preset cannot be changed for a run that was begun/,
  ],
  [
    'a space and one variant of it',
    nothing,
    ['validate', 'scale', 'scale.t64-e3b0', '--preset', 'nope', '--where', 'x'],
    /--preset, --where cannot narrow one variant: leave it out, or the variant/,
  ],
  [
    'variants of no family',
    nothing,
    ['list', '--preset', 'nope'],
    /--preset is about the variants of a family: name the family/,
  ],
  [
    'a file that is not named',
    nothing,
    ['validate', 'scale', '--as', 'scale.t64-e3b0'],
    /--as says which variant a \.cu file stands for: name the file, or leave it out/,
  ],
  [
    'a schedule of the GPU',
    nothing,
    ['validate', 'scale', 'scale.t64-e3b0', '--device', 'cuda', '--seed', '3'],
    /--seed is for the emulated device, and --device cuda does not ask it/,
  ],
  [
    'an unknown variant',
    nothing,
    ['validate', 'scale', 'scale.t65.e1.sound'],
    /part 2 should be the threads \(t64, t128, t256\), found 't65'/,
  ],
  [
    'an unknown gate case',
    nothing,
    ['validate', 'scale', 'scale.t64-e3b0', '--device', 'emulated', '--case', 'raged'],
    /no gate case 'raged'; there are: ragged, repeat/,
  ],
  ['a file that is not there', nothing, ['validate', 'scale', 'mine.cu'], /there is no file mine\.cu/],
  [
    'a file that names no variant',
    ({ path }) => writeFileSync(join(path, 'mine.cu'), 'int main() {}\n'),
    ['validate', 'scale', 'mine.cu'],
    /mine\.cu does not say which variant it stands for: name one with --as/,
  ],
  [
    'a file without the kernel',
    ({ path }) => writeFileSync(join(path, 'mine.cu'), '// scale.t64-e3b0\n'),
    ['validate', 'scale', 'mine.cu'],
    /does not define the kernel of scale\.t64-e3b0: it must have/,
  ],
  [
    'a typo in a template',
    (place) => edit(template(place), (text) => text.replace('{{tile}}', '{{tiel}}')),
    sweep,
    /scale\.cu\.hbs.*unknown name 'tiel'/,
  ],
  [
    'a template that does not parse',
    (place) => edit(template(place), (text) => `${text}{{#if}`),
    sweep,
    /scale\.cu\.hbs/,
  ],
  [
    'a space with a cycle',
    (place) =>
      edit(familyFile(place), (text) =>
        text.replace(
          'constraints: [',
          `activations: [
            { parameter: 'threads', on: ['perThread'], active: () => true },
            { parameter: 'perThread', on: ['threads'], active: () => true },
          ],
          constraints: [`,
        ),
      ),
    sweep,
    /activations form a cycle: threads -> perThread -> threads/,
  ],
  [
    'a constraint that reads an unknown parameter',
    (place) =>
      edit(familyFile(place), (text) => text.replace("['threads', 'perThread', 'defect']", "['treads']")),
    sweep,
    /reads unknown parameter 'treads'; did you mean 'threads'\?/,
  ],
  [
    'a problem that the oracle refuses',
    (place) => edit(familyFile(place), (text) => text.replaceAll('count: 1000', 'count: 0')),
    [...sweep, '--limit', '1'], // of several variants either may be the first
    /the family asks for a problem that its oracle refuses: count must be at least 1/,
  ],
  [
    'a family that does not parse',
    (place) => edit(familyFile(place), (text) => `${text}}`),
    sweep,
    /family\.ts/,
  ],
  [
    'a family without a summary',
    (place) => edit(familyFile(place), (text) => text.replace("summary: 'y = alpha * x',", '')),
    sweep,
    /family\.ts[\s\S]*summary/,
  ],
  [
    'a family without its oracle',
    ({ family }) => rmSync(join(family, 'oracle.hpp')),
    sweep,
    /no file 'oracle\.hpp'/,
  ],
  [
    'an oracle that does not compile',
    ({ family }) => edit(join(family, 'oracle.hpp'), (text) => `${text}nonsense\n`),
    sweep,
    /the runner does not build.*oracle\.hpp.*nonsense/,
  ],
  [
    'a malformed config',
    ({ path }) => writeFileSync(join(path, 'gen.config.ts'), "export default { jobs: 'many' };\n"),
    ['list'],
    /gen\.config\.ts:[\s\S]*jobs/,
  ],
  [
    'an output folder that is a file',
    ({ path }) => writeFileSync(join(path, 'file'), ''),
    [...sweep, '--out', 'file'],
    /cannot create .*(a file is in the way|a part of the path is a file)/,
  ],
  [
    'an output folder that nobody may write',
    nothing,
    [...sweep, '--out', '/sys/tilewright'],
    /cannot create .*: (the operation is not permitted|the file system is read-only|permission is denied)/,
  ],
  [
    'an output folder where none can be made',
    nothing,
    [...sweep, '--out', '/proc/tilewright'],
    /cannot create .*: (there is no such file or folder|the file system is read-only|permission is denied)/,
  ],
  [
    'an output folder with too long a name',
    nothing,
    [...sweep, '--out', 'a'.repeat(300)],
    /cannot create \S*a\/library: the path, or a name in it, is too long; name another folder with --out/,
  ],
  [
    'an output folder that is a link to itself',
    ({ path }) => symlinkSync('loop', join(path, 'loop')),
    [...sweep, '--out', 'loop/x'],
    /cannot create \S*loop\/x\/library: its symbolic links lead round in circles; name another folder with --out/,
  ],
  [
    'a library folder that is not ours',
    ({ out }) => {
      mkdirSync(join(out, 'library'));
      writeFileSync(join(out, 'library/thesis.tex'), 'mine');
    },
    sweep,
    /generated\/library is in the way: .*move it, or name another folder with --out/,
  ],
  [
    'a run whose run.json was cut short',
    brokenRun,
    ['sweep', '--resume'],
    /run\.json cannot be used: it is no JSON \(cut short\?\)/,
  ],
  [
    'evidence that was cut short',
    ({ path }) => writeFileSync(join(path, 'evidence.json'), '{"version": 1, "run": {'),
    ['report', '--from', 'evidence.json'],
    /evidence\.json is no JSON \(cut short\?\)/,
  ],
  [
    'a full disk',
    ({ path }) => symlinkSync('/dev/full', join(path, 'page.md')),
    ['report', '--from', join(packageRoot, 'docs/results/h200-default.json'), '--markdown', 'page.md'],
    /cannot write page\.md: there is no space left on the disk; free some, or name another file with --markdown/,
  ],
  [
    'a page below a file',
    nothing,
    [
      'report',
      '--from',
      join(packageRoot, 'docs/results/h200-default.json'),
      '--markdown',
      'gen.config.ts/page.md',
    ],
    /cannot write gen\.config\.ts\/.*: a .*; name another file with --markdown/,
  ],
  [
    'evidence that is not there',
    nothing,
    ['report', '--from', 'evidence.json'],
    /there is no evidence file evidence\.json; .* writes one/,
  ],
  ['a point that is not given', nothing, ['why', 'scale'], /gen why needs a point of scale/],
  ['a point of an unknown family', nothing, ['why', 'scael'], /there is no kernel family 'scael'/],
  ['archives that go nowhere', nothing, ['emit', '--static'], /name the folder with --prefix/],
];

function brokenRun({ out }: Workspace): void {
  const run = join(out, 'runs/scale-20261121-120000');
  mkdirSync(run, { recursive: true });
  writeFileSync(join(run, 'run.json'), '{"version": 1, "id": "scale-2026');
  truncateSync(join(run, 'run.json'), 20);
}

/** Messages on the faults, as the page shows them. */
const answers: string[] = [];

/** From the first error on, without what differs from machine to machine. */
function answerOf(stderr: string, { path }: Workspace): string {
  return stderr
    .slice(stderr.indexOf('error:'))
    .trimEnd()
    .replaceAll(`node ${packageRoot}/dist/cli.js`, 'npx gen')
    .replaceAll(`${path}/`, '')
    .replaceAll(`${packageRoot}/`, '')
    .replace(/a{300}/, 'aaa…')
    .replace(/there are: .*; did you mean 'scale'/, "there are: …; did you mean 'scale'")
    .replace(/\(\S*artifacts\/tmp-[\w-]+\//, '(…/')
    .replace(/\S+g\+\+ ended/, 'g++ ended')
    .replace(
      /(the operation is not permitted|the file system is read-only|permission is denied)/,
      'permission is denied',
    );
}

const page = () => `# How bad input is answered

Each of these ends with exit code 2. Written by \`npx vitest run test/e2e/bad-input.test.ts -u\`, on a copy of the tests' family
\`scale\`; do not edit. A machine that lacks something is in the same tests. A Matrix Market file with an entry outside its
matrix is refused with file and line, a column outside of A by the emitted library with its index.

${answers.join('\n\n')}
`;

describe('bad input is answered with what to do', () => {
  test.each(faults)('%s', slow, async (what, make, args, says) => {
    const place = workspace();
    make(place);
    const { code, stderr } = await genHere(place.path, args, { CUDA_VISIBLE_DEVICES: '', LC_ALL: 'C' });
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/this is a bug/);
    expect(code).toBe(2);
    const command = `gen ${args.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' ')}`;
    const shown = command.replaceAll(`${packageRoot}/`, '').replace(/a{300}/, 'aaa…');
    answers.push(`**${what}**\n\n\`\`\`\n$ ${shown}\n${answerOf(stderr, place)}\n\`\`\``);
  });

  test('docs/bad-input.md tells them all', async ({ skip }) => {
    if (answers.length < faults.length) return skip('some of them did not run');
    await expect(page()).toMatchFileSnapshot('../../docs/bad-input.md');
  });

  test('what cannot be done begins no run', slow, async () => {
    const { path, out } = workspace();
    for (const flags of [
      ['--preset', 'sond'],
      ['--where', 'treads == 64'],
    ])
      await gen(path, ['sweep', 'scale', ...flags]);
    const bare = { PATH: '/nowhere' }; // no nvidia-smi
    const { stderr, code } = await gen(
      path,
      ['sweep', 'scale', '--preset', 'sound', '--device', 'cuda'],
      bare,
    );
    expect(stderr).toMatch(/--device cuda: (this machine has no NVIDIA GPU|there is an NVIDIA driver)/);
    expect(code).toBe(2);
    expect(existsSync(join(out, 'runs'))).toBe(false);
  });
});

describe('a machine that lacks something', () => {
  const bare = { PATH: '/nowhere', CUDA_HOME: '', CUDA_PATH: '', TILEWRIGHT_CACHE: '/nowhere', CXX: '' };

  test('no compiler', slow, async () => {
    const { code, stderr } = await gen(workspace().path, sweep, bare);
    expect(stderr).toMatch(/no C\+\+ compiler 'g\+\+': install it/);
    expect(code).toBe(2);
  });

  test('no toolkit and --no-install', slow, async () => {
    const environment = { ...bare, PATH: '/usr/bin:/bin' };
    const { code, stderr } = await gen(workspace().path, [...sweep, '--no-install'], environment);
    expect(stderr).toMatch(/missing.*CUDA 13\.0's compiler.*--no-install/);
    expect(code).toBe(2);
  });

  test.skipIf(process.getuid?.() === 0)('a read-only folder', slow, async () => {
    const place = workspace();
    chmodSync(place.out, 0o500);
    const { code, stderr } = await gen(place.path, sweep);
    chmodSync(place.out, 0o700);
    expect(stderr).toMatch(/cannot create .*permission is denied; name another folder with --out/);
    expect(code).toBe(2);
  });

  test('with --json the reason is the last event', slow, async () => {
    const { events, code } = await gen(workspace().path, [...sweep, '--json'], bare);
    expect(events.at(-1)).toMatchObject({ event: 'error', kind: 'environment' });
    expect(code).toBe(2);
  });

  test.each([
    [['sweep', 'scale', '--preseet', 'x', '--json'], "unknown option '--preseet'\n(Did you mean --preset?)"],
    [['sweep', '--json', '--preset'], "option '--preset <name>' argument missing"],
    [['validate', '--json'], "missing required argument 'family'"],
    [['swep', '--json'], "unknown command 'swep'\n(Did you mean sweep?)"],
  ])('so it is for a command line that is no command: %j', slow, async (args, message) => {
    const { events, stderr, code } = await gen(workspace().path, args);
    expect(events).toEqual([{ event: 'error', kind: 'usage', message }]);
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
    expect(code).toBe(2);
  });

  test('and for a bug of ours', slow, async () => {
    const main = JSON.stringify(join(packageRoot, 'dist/cli/main.js'));
    const broken = `import { main } from ${main}; await main(() => undefined.x, ['--json']);`;
    const { stdout, stderr, exitCode } = await localExecutor.run(
      [process.execPath, '--input-type=module', '--eval', broken],
      { timeoutMs: 60_000 },
    );
    const [last] = eventsOf(stdout);
    expect(last).toMatchObject({
      event: 'error',
      kind: 'internal',
      message: expect.stringMatching(/^this is a bug of tilewright: Cannot read/),
    });
    expect(stderr).toMatch(/^error: this is a bug of tilewright: TypeError: .*\n +at /);
    expect(exitCode).toBe(2);
  });
});
