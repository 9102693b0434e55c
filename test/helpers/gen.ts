import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { answer } from '../../src/cli/main.ts';
import { programOf } from '../../src/cli/program.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { type Event, eventSchema } from '../../src/model/event.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { scaleFolder, testCache } from './toolchain.ts';

export const genArgv = [process.execPath, join(packageRoot, 'dist/cli.js')];

/** A folder of somebody else's with a family of their own, a copy of `scale`; gone after the test. */
export interface Workspace {
  readonly path: string;
  readonly out: string;
  readonly family: string;
}

/**
 * `fresh`: an empty cache of artifacts but for the runner's objects. Otherwise artifacts of earlier tests are found.
 */
export function workspace({ fresh = false } = {}): Workspace {
  const path = mkdtempSync(join(tmpdir(), 'tilewright-e2e-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const family = join(path, 'kernels/scale');
  cpSync(scaleFolder, family, { recursive: true });
  edit(join(family, 'family.ts'), (text) => text.replaceAll(/'[^']*\/src\//g, `'${packageRoot}/src/`));
  // A text of its own makes every artifact of the family new; the runner, which is slow to build, stays the same.
  if (fresh) edit(join(family, 'scale.cu.hbs'), (text) => `${text}// ${path}\n`);
  writeFileSync(
    join(path, 'gen.config.ts'),
    "export default { families: ['kernels/*'], watchdogSeconds: 4 };\n",
  );
  const out = join(path, 'generated');
  mkdirSync(out);
  mkdirSync(testCache, { recursive: true });
  symlinkSync(testCache, join(out, 'artifacts'));
  return { path, out, family };
}

export function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

export interface GenResult {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly Event[];
}

/** Runs the built command line in a folder. */
export async function gen(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<GenResult> {
  const { exitCode, stdout, stderr } = await localExecutor.run([...genArgv, ...args], {
    cwd,
    env: { ...env, NO_COLOR: '1' },
    timeoutMs: 280_000,
  });
  return { code: exitCode, stdout, stderr, events: args.includes('--json') ? eventsOf(stdout) : [] };
}

/**
 * The same as a call in this process, without half a second of starting a new one: for commands that nobody kills or
 * interrupts, and that render no template which was edited after an earlier one had read it.
 */
export async function genHere(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<GenResult> {
  const [folder, script] = [process.cwd(), process.argv[1] ?? ''];
  const [stdout, stderr] = [taken(process.stdout), taken(process.stderr)];
  for (const [name, value] of Object.entries({ ...env, NO_COLOR: '1' })) vi.stubEnv(name, value);
  process.argv[1] = genArgv[1] ?? '';
  process.chdir(cwd);
  try {
    const code = await answer(programOf, args);
    const events = args.includes('--json') ? eventsOf(stdout.text()) : [];
    return { code, stdout: stdout.text(), stderr: stderr.text(), events };
  } finally {
    process.chdir(folder);
    process.argv[1] = script;
    vi.unstubAllEnvs();
    for (const stream of [stdout, stderr]) stream.restore();
  }
}

/** Takes what is written to a stream from now on. */
function taken(stream: NodeJS.WriteStream) {
  let all = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk: unknown, ...rest: unknown[]) => {
    all += String(chunk);
    for (const callback of rest) if (typeof callback === 'function') callback();
    return true;
  });
  return { text: () => all, restore: () => spy.mockRestore() };
}

/** Every line must be an event. */
export function eventsOf(stdout: string): Event[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => eventSchema.parse(JSON.parse(line)));
}

export function summaryOf(events: readonly Event[]) {
  const last = events.at(-1);
  if (last?.event !== 'summary') throw new Error(`the last event is ${last?.event}`);
  return last;
}

/** Processes whose command line names a path. */
export function processesOf(path: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes(path));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it has ended
  }
}

/** Verdict by variant, the last one of each. */
export function verdictsOf(events: readonly Event[]): Record<string, string> {
  const pairs = events.flatMap((event) =>
    event.event === 'verdict' ? [[event.variant, event.verdict]] : [],
  );
  return Object.fromEntries(pairs);
}
