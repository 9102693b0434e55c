import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Executor } from '../exec/executor.ts';
import type { DeviceName } from '../model/artifact.ts';
import type { CppSignature } from '../model/signature.ts';
import { inTemporary } from '../util/temporary.ts';
import { blameMachine } from './diagnosis.ts';
import { familyUnit } from './family-source.ts';
import { runnerFlags, signatureFile } from './worker.ts';

/** Inputs of the compile check of a family's C++ side. */
interface UnitContext {
  readonly executor: Executor;
  readonly cxx: string;
  /** The device `cuda` needs CUDA's headers. */
  readonly cudaHome?: string | undefined;
  readonly packageRoot: string;
  readonly familyFolder: string;
  readonly signature: CppSignature;
}

const mostErrors = 5;

/**
 * Compiles the part of a runner that is a family's (`oracle.hpp`, `launch.hpp`, and for the device `cuda` `vendor.hpp`), keeping
 * nothing: what the compiler has against it. No GPU is needed.
 */
export async function compileFamilyUnit(device: DeviceName, context: UnitContext): Promise<string[]> {
  const { executor, cxx, signature } = context;
  const input = familyUnit(device, context);
  const { exitCode, stderr } = await inTemporary('unit', (folder) => {
    writeFileSync(join(folder, signatureFile), signature.text);
    const argv = [cxx, ...runnerFlags(device, context), '-I', folder, '-fsyntax-only', '-x', 'c++', '-'];
    return executor.run(argv, { input, env: { LC_ALL: 'C' }, timeoutMs: 120_000 });
  });
  if (exitCode === 0) return [];
  blameMachine(stderr);
  const errors = stderr.split('\n').filter((line) => /\berror:/.test(line));
  return errors.length > 0 ? errors.slice(0, mostErrors) : [stderr.trim()];
}
