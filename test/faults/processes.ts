import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';

/** A TypeScript program of these tests in a process of its own. */
export interface Helper {
  readonly process: ChildProcess;
  stdout(): string;
  /** Output so far, of both streams. */
  output(): string;
  /** Ends when the process does. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly pid: number;
}

/** Starts `test/helpers/<name>`; killed at the end of the test, should it still run. */
export function startHelper(name: string, ...args: readonly string[]): Helper {
  const script = join(packageRoot, 'test/helpers', name);
  return start([process.execPath, '--import', 'jiti/register', script, ...args], packageRoot);
}

/** Starts a program and keeps what it prints. Its stdin is open; a line on it is how helpers are told to begin. */
export function start(
  [file = '', ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Helper {
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      said[name] += String(chunk);
    });
  }
  child.stdin.on('error', () => {}); // it has been killed
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    process: child,
    stdout: () => said.stdout,
    output: () => said.stdout + said.stderr,
    ended,
    pid: child.pid ?? 0,
  };
}

/** Waits until all have printed `ready`, then lets them begin together. */
export async function beginTogether(helpers: readonly Helper[]): Promise<void> {
  await until(() => helpers.every((one) => one.output().includes('ready')));
  for (const { process } of helpers) process.stdin?.write('begin\n');
}

/** Waits until a condition holds; gives false where it never did. */
export async function until(holds: () => boolean, seconds = 60): Promise<boolean> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return holds();
}

/** Live processes, zombies left out, that were started with a mark in their environment, and what that started. */
export function marked(mark: string): { readonly pid: number; readonly line: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'latin1').includes(mark)) return [];
      const line = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
      return line === '' ? [] : [{ pid: Number(name), line }];
    } catch {
      return []; // it has ended
    }
  });
}
