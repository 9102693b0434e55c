import { join } from 'node:path';
import { EnvironmentError, UsageError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import type { Binding, BindingCopy } from '../model/binding.ts';
import type { Compilation } from '../model/compilation.ts';
import type { LibraryRequest } from './request.ts';

/** Inputs of a package's compile test. */
interface Proof extends Pick<LibraryRequest, 'once'> {
  readonly binding: Binding;
  /** Name of the operation. */
  readonly operation: string;
  /** The family's folder. */
  readonly folder: string;
  readonly cxx: string;
  readonly executor: Executor;
}

/**
 * Compiles, for the emulated device, what the family's files can break of an operation, and keeps nothing.
 * Throws a UsageError that names the family's own file where the compiler refuses them.
 */
export async function mustCompile(staged: string, proof: Proof): Promise<void> {
  const { units, folders, flags } = proof.binding.operation.proof(proof.operation);
  const { once = (_, attempt) => attempt() } = proof;
  for (const unit of units) {
    const text = unit.map((source) => `#include "${source}"\n`).join('');
    const absolute = [staged, ...folders.map((folder) => join(staged, folder))];
    await once({ text, folders: absolute, flags }, () => compile(staged, { text, folders, flags }, proof));
  }
}

async function compile(staged: string, { text, folders, flags }: Compilation, proof: Proof): Promise<void> {
  const includes = folders.flatMap((folder) => ['-I', folder]);
  const argv = [proof.cxx, ...flags, '-fsyntax-only', ...includes, '-x', 'c++', '-'];
  const { exitCode, stderr, timedOut } = await proof.executor.run(argv, {
    cwd: staged,
    env: { LC_ALL: 'C' },
    timeoutMs: 120_000,
    input: text,
  });
  if (exitCode === 0) return;
  const error = stderr.split('\n').find((line) => /\berror:/.test(line));
  if (timedOut || error === undefined)
    throw new EnvironmentError(
      `${argv[0]} could not compile the library: ${stderr.trim().split('\n').at(-1)}`,
    );
  throw new UsageError(`${inFamily(error, proof)}\n  the library's interface does not compile`);
}

/** The compiler's line with the family's file in the place of its copy. */
function inFamily(line: string, { binding, operation, folder }: Proof): string {
  const copy = binding.operation.copies(operation).find(({ to }) => line.startsWith(to));
  return copy ? join(folder, originOf(copy)) + line.slice(copy.to.length) : join(folder, line);
}

function originOf({ from, withIncludes }: BindingCopy): string {
  return withIncludes ? '.' : from;
}
