import { backends } from '../backends/index.ts';
import { compileFamilyUnit } from '../compile/family-unit.ts';
import { UsageError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import type { Backend } from '../model/backend.ts';
import { cppSignature } from '../render/operation.ts';
import { packageRoot } from '../util/package-root.ts';
import { contract, type Subject } from './contract.ts';
import { goldenProblems, hasGoldens } from './goldens.ts';
import { proveInterface } from './library.ts';
import { lintProblems } from './lint.ts';
import { typeProblems } from './types.ts';

/** Compilers as far as there are any; without `cudaHome` what needs CUDA's headers is skipped. */
export interface CheckTools {
  readonly executor: Executor;
  readonly cxx: string;
  readonly cudaHome?: string | undefined;
}

export interface CheckResult {
  readonly check: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** Subject of the check, or the reason that it was skipped. */
  readonly about: string;
  /** A sentence each, most of them beginning with file and line. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

/** One check. `problems` gives what is wrong, or throws a UsageError that says it. */
interface Check {
  readonly name: string;
  readonly about: string;
  readonly skip?: string | undefined;
  readonly problems: () => string[] | Promise<string[]>;
}

/** Everything that can be said of a family in seconds, without gating it: in the order of the results. */
export function checksOf(subject: Subject, tools: CheckTools): readonly Check[] {
  const { family, folder } = subject;
  const { cudaHome } = tools;
  const unit =
    ({ name: device }: Backend) =>
    async () => {
      const signature = cppSignature(family.operation);
      const context = { ...tools, packageRoot, familyFolder: folder, signature };
      return compileFamilyUnit(device, context);
    };
  return [
    { name: 'types', about: 'family.ts and what it imports', problems: () => typeProblems(folder) },
    {
      name: 'contract',
      about: `${contract.length} rules on the variants of its presets`,
      problems: () =>
        contract.flatMap(({ problems }) => problems(subject).map((text) => `${folder}/family.ts: ${text}`)),
    },
    { name: 'lint', about: family.templates.join(', '), problems: () => lintProblems(subject) },
    {
      name: 'goldens',
      about: 'golden/',
      skip: hasGoldens(subject) ? undefined : 'there is no folder golden/; --update makes it',
      problems: () => goldenProblems(subject),
    },
    { name: 'oracle', about: 'oracle.hpp and launch.hpp', problems: unit(backends.emulated) },
    {
      name: 'vendor',
      about: "vendor.hpp or cuBLASLt, with CUDA's headers",
      skip: cudaHome === undefined ? 'no CUDA toolkit; `npx gen toolchain install` gets one' : undefined,
      problems: unit(backends.cuda),
    },
    {
      name: 'api',
      about: 'the C functions in a library of variants of quick',
      problems: async () => {
        await proveInterface(subject, tools.cxx, tools.executor);
        return [];
      },
    },
  ];
}

export async function runCheck({ name, about, skip, problems }: Check): Promise<CheckResult> {
  const started = performance.now();
  if (skip !== undefined) return { check: name, state: 'skipped', about: skip, problems: [], seconds: 0 };
  const found = await problemsOf(problems);
  const seconds = (performance.now() - started) / 1000;
  return { check: name, state: found.length > 0 ? 'failed' : 'passed', about, problems: found, seconds };
}

/** The message of a UsageError is a problem. */
export async function problemsOf(find: () => string[] | Promise<string[]>): Promise<string[]> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof UsageError) return [error.message];
    throw error;
  }
}
