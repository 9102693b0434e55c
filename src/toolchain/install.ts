import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import type { Executor, RunResult } from '../exec/executor.ts';
import { diskError, makeFolder, onDisk } from '../util/disk.ts';
import { describeOwner, type LockOwner, withLock } from '../util/lock.ts';
import { type Environment, onSearchPath } from './find.ts';
import type { Part } from './parts.ts';
import { anotherCache, type CachePaths, cachePaths } from './paths.ts';
import { buildShadowRoot } from './shadow.ts';
import { requirementsOf } from './wheels.ts';

export interface InstallOptions {
  readonly executor: Executor;
  readonly environment: Environment;
  /** Told what is about to happen, one line at a time. */
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal;
}

const venvAdvice = 'install it (Debian, Ubuntu: apt-get install python3-venv)';
const elsewhere = 'or point CUDA_HOME at a CUDA toolkit that you have';

/**
 * Installs what is missing of the given parts into the user's cache. Each part is put in its place by one rename and
 * two processes do not install at the same time. Everything that can go wrong is an EnvironmentError that says what to
 * do.
 */
export async function installParts(wanted: readonly Part[], options: InstallOptions): Promise<void> {
  const paths = cachePaths(options.environment);
  const onWait = (owner: LockOwner | undefined) =>
    options.progress(`waiting for ${describeOwner(owner)}, which installs into ${paths.base}`);
  const { signal } = options;
  const waiting = { onWait, elsewhere: anotherCache, ...(signal && { signal }) };
  await withLock(paths.lock, waiting, async () => {
    clearLeftovers(paths.base);
    const missing = wanted.filter((part) => !isInstalled(part, paths));
    for (const part of missing) await installPart(part, paths, options);
    if (missing.length > 0 || !existsSync(paths.root)) {
      onDisk(`create ${paths.root}`, () => buildShadowRoot(paths), anotherCache);
    }
  });
}

export function isInstalled(part: Part, paths: CachePaths): boolean {
  return existsSync(join(paths.parts, part.name)) && existsSync(paths.root);
}

/** Removes the remains of a killed installation: nobody else is at work while the lock is held. */
function clearLeftovers(base: string): void {
  if (!existsSync(base)) return;
  for (const name of readdirSync(base).filter((one) => /^tmp-|^root\.(new|old)-/.test(one))) {
    rmSync(join(base, name), { recursive: true, force: true });
  }
}

async function installPart(part: Part, paths: CachePaths, options: InstallOptions): Promise<void> {
  const place = join(paths.parts, part.name);
  if (existsSync(place)) return;
  const size = `about ${part.downloadMb} MB to download, ${part.diskMb} MB on disk`;
  options.progress(`installing ${part.brings} into ${paths.base} (${size})`);
  const temporary = onDisk(
    `create ${paths.base}`,
    () => {
      makeFolder(paths.base);
      return mkdtempSync(join(paths.base, `tmp-${part.name}-`));
    },
    anotherCache,
  );
  try {
    checkSpace(paths.base, part);
    const pip = await findPip(temporary, options);
    const argv = [
      ...pip,
      'install',
      '--quiet',
      '--no-input',
      '--no-compile',
      '--disable-pip-version-check',
      '--retries',
      '2',
      ...['--no-deps', '--only-binary=:all:', '--require-hashes'],
    ];
    const list = join(temporary, 'requirements.txt');
    writeFileSync(list, requirementsOf(part.name));
    const target = join(temporary, 'site');
    const started = performance.now();
    const result = await runPip([...argv, '--target', target, '-r', list], options);
    if (result.exitCode !== 0) throw pipError(part, result);
    makeFolder(dirname(place));
    renameSync(target, place);
    options.progress(`installed ${part.brings} in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  } catch (error) {
    throw diskError(error, `write ${place}`, anotherCache);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function checkSpace(folder: string, part: Part): void {
  const { bavail, bsize } = statfsSync(folder);
  const freeMb = Math.floor((bavail * bsize) / 1e6);
  const neededMb = part.diskMb + part.downloadMb;
  if (freeMb >= neededMb) return;
  throw new EnvironmentError(
    `${part.brings} needs ${neededMb} MB in ${folder}, where ${freeMb} MB are free: free some, or ${anotherCache}`,
  );
}

/** A pip that runs: in a private environment, or the system's own where Python comes without ensurepip. */
async function findPip(temporary: string, options: InstallOptions): Promise<string[]> {
  const python = onSearchPath('python3', options.environment);
  if (python === undefined) {
    throw new EnvironmentError(
      `there is no python3, which downloads CUDA's compiler: ${venvAdvice}, ${elsewhere}`,
    );
  }
  const own = await options.executor.run([python, '-m', 'pip', '--version'], { timeoutMs: 60_000 });
  if (own.exitCode === 0) return [python, '-m', 'pip'];
  const venv = join(temporary, 'venv');
  const made = await options.executor.run([python, '-m', 'venv', venv], { timeoutMs: 120_000 });
  if (made.exitCode === 0) return [join(venv, 'bin', 'python'), '-m', 'pip'];
  throw new EnvironmentError(
    `python3 has neither pip nor venv, which download CUDA's compiler: ${venvAdvice}, ${elsewhere}`,
  );
}

function runPip(argv: readonly string[], { executor, signal }: InstallOptions): Promise<RunResult> {
  return executor.run(argv, {
    timeoutMs: 30 * 60_000,
    // A user's pip settings that cannot go with --target.
    env: {
      PIP_USER: '0',
      PIP_REQUIRE_VIRTUALENV: '0',
      PIP_ROOT_USER_ACTION: 'ignore',
      PYTHONPATH: undefined,
    },
    ...(signal && { signal }),
  });
}

const pipFaults: readonly [RegExp, string][] = [
  [
    /DO NOT MATCH THE HASHES/,
    'the package index offers other files than those that were tested: set PIP_INDEX_URL to an index that you trust',
  ],
  [
    /No space left|Errno 28|Disk quota/,
    'there is no space left on the disk (TMPDIR or the cache): free some',
  ],
  [
    /Temporary failure in name resolution|Failed to establish|ConnectionError|NewConnectionError|Connection refused|timed out|ProxyError|Network is unreachable/,
    'the package index cannot be reached: connect to the network, set PIP_INDEX_URL to a mirror',
  ],
  [
    /No matching distribution|Could not find a version/,
    'the package index has no such wheels for this machine',
  ],
  [
    /Read-only file system|Permission denied/,
    'the folder cannot be written: name another with TILEWRIGHT_CACHE',
  ],
];

function pipError(part: Part, result: RunResult): EnvironmentError {
  const text = result.stderr + result.stdout;
  const known = pipFaults.find(([pattern]) => pattern.test(text))?.[1];
  const last =
    text
      .trim()
      .split('\n')
      .findLast((line) => /error/i.test(line)) ??
    text.trim().split('\n').at(-1) ??
    '';
  return new EnvironmentError(
    `cannot install ${part.brings}: ${known ?? 'pip failed'}, ${elsewhere}\n  pip: ${last.trim()}`,
  );
}
