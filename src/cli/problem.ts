import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type DiscoveredFamily, loadFamily } from '../discover.ts';
import { EnvironmentError, UsageError } from '../errors.ts';
import { localExecutor } from '../exec/local.ts';
import { allWorkloads } from '../model/family.ts';
import type { Workload } from '../model/workload.ts';
import { shortPath } from '../report/format.ts';
import { makeFolder, onDisk } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import { didYouMean } from '../util/suggest.ts';
import { exitCode } from './exit.ts';
import { matrixWorkloads } from './matrix-workloads.ts';
import type { Options } from './options.ts';
import { printLine } from './output.ts';
import { configOf } from './prepare.ts';
import { problemProgram } from './problem-program.ts';

export interface ProblemOptions extends Options {
  /** Folder for the tensors' files. */
  readonly to?: string;
  readonly tensors?: readonly string[];
}

const tensorSchema = z.object({
  name: z.string(),
  type: z.string(),
  role: z.string(),
  rows: z.number(),
  cols: z.number(),
  file: z.string().optional(),
});
type Tensor = z.infer<typeof tensorSchema>;
const answerSchema = z.union([z.object({ tensors: z.array(tensorSchema) }), z.object({ error: z.string() })]);

/** `gen problem`: the operands of workloads, as the family's C++ makes them for gate and clock. */
export async function problem(
  name: string,
  ids: readonly string[],
  options: ProblemOptions,
): Promise<number> {
  const config = await configOf(options);
  const discovered = await loadFamily(name, { families: config.families });
  const ofFile = await matrixWorkloads(discovered, options, config);
  const workloads = [...ids.map((id) => workloadNamed(id, discovered)), ...(ofFile ?? [])];
  if (workloads.length === 0)
    throw new UsageError(`name a workload of ${name}, or give a matrix with --matrix <file.mtx>`);
  const path = await problemProgram(discovered, config, 'the program that makes the problems', options.quiet);
  for (const workload of workloads) tell(workload, await make(path, workload, discovered, options), options);
  return exitCode.done;
}

function workloadNamed(id: string, { family }: DiscoveredFamily): Workload {
  const known = allWorkloads(family).map((workload) => workload.id);
  const found = allWorkloads(family).find((workload) => workload.id === id);
  if (found) return found;
  throw new UsageError(
    `${family.name} has no workload '${id}'; \`npx gen show ${family.name}\` lists them${didYouMean(id, known)}`,
  );
}

async function make(
  program: string,
  { id, problem }: Workload,
  { folder }: DiscoveredFamily,
  options: ProblemOptions,
) {
  const target = options.to === undefined ? undefined : join(resolve(options.to), id);
  if (target !== undefined)
    onDisk(`create ${target}`, () => makeFolder(target), 'name another folder with --to');
  const job = { problem, tensors: options.tensors, folder: target };
  const result = await localExecutor.run([program], { input: `${JSON.stringify(job)}\n` });
  const { data } = answerSchema.safeParse(parseJson(result.stdout));
  if (!data) throw new EnvironmentError(`the C++ in ${folder} ended while it made ${id}: ${result.stderr}`);
  if ('error' in data) throw new UsageError(`${id}: ${data.error}`);
  return data.tensors;
}

function tell(workload: Workload, tensors: readonly Tensor[], { json }: Options): void {
  const { id, problem } = workload;
  if (json) printLine(JSON.stringify({ event: 'problem', workload: id, problem, tensors }));
  else for (const line of [id, ...tensors.map(lineOf)]) printLine(line);
}

function lineOf({ name, type, role, rows, cols, file }: Tensor): string {
  const shape = `${rows} x ${cols}`;
  const place = file === undefined ? '' : shortPath(file);
  return `  ${name.padEnd(8)} ${type.padEnd(4)} ${shape.padEnd(16)} ${role.padEnd(6)}  ${place}`.trimEnd();
}
