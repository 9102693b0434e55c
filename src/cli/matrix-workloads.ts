import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { DiscoveredFamily } from '../discover.ts';
import { EnvironmentError, UsageError } from '../errors.ts';
import { localExecutor } from '../exec/local.ts';
import type { AnyFamily, Workload } from '../model/family.ts';
import type { FileMatrix } from '../model/matrix.ts';
import type { Run } from '../store/run.ts';
import { onDisk } from '../util/disk.ts';
import { sha256 } from '../util/hash.ts';
import { parseJson } from '../util/json.ts';
import { parseMatrix } from './matrix.ts';
import type { Options } from './options.ts';
import { problemProgram } from './problem-program.ts';

const sizesSchema = z.object({
  rows: z.number(),
  columns: z.number(),
  density: z.number(),
  unevenness: z.number().exactOptional(),
});
const answerSchema = z.union([sizesSchema, z.object({ error: z.string() })]);
const workloadsSchema = z.array(z.object({ id: z.string(), problem: z.record(z.string(), z.unknown()) }));
const file = 'workloads.json';

/** Workloads on the matrix of --matrix, for each size of block that is asked for; undefined without that option. */
export async function matrixWorkloads(
  discovered: DiscoveredFamily,
  { matrix, quiet }: Pick<Options, 'matrix' | 'quiet'>,
  config: Config,
): Promise<readonly Workload[] | undefined> {
  if (matrix === undefined) return undefined;
  const { family } = discovered;
  const { path, block } = parseMatrix(matrix);
  const make = family.matrixWorkloads;
  if (!make)
    throw new UsageError(
      `${family.name} has no operand that a Matrix Market file can give: leave --matrix out`,
    );
  const name = basename(path).replace(/\.mtx(\.\w+)?$/, '');
  const id = `${name.replaceAll(/[^\w-]/g, '_')}-${hashOfFile(path)}`;
  const program = await problemProgram(discovered, config, 'the program that reads matrices', quiet);
  const sizes = block === undefined ? blocksOf(family) : [block];
  const all = await Promise.all(sizes.map((size) => sizesOf(program, path, size)));
  return all.flatMap((one) => make({ id, path, ...one }));
}

function hashOfFile(path: string): string {
  return sha256(onDisk(`read ${path}`, () => readFileSync(path))).slice(0, 8);
}

function blocksOf({ parameters }: AnyFamily): number[] {
  return (parameters.block?.values ?? []).filter((value) => typeof value === 'number');
}

async function sizesOf(
  program: string,
  path: string,
  block: number,
): Promise<Omit<FileMatrix, 'id' | 'path'>> {
  const job = JSON.stringify({ matrix: path, block });
  const { stdout, stderr } = await localExecutor.run([program], { input: `${job}\n` });
  const { data } = answerSchema.safeParse(parseJson(stdout));
  if (!data) throw new EnvironmentError(`the program that reads ${path} ended: ${stderr}`);
  if ('error' in data) throw new UsageError(data.error);
  return { block, ...data };
}

/** Workloads of files that a run was given. */
export function furtherWorkloads(run: Run): readonly Workload[] {
  return run.readJson(file, workloadsSchema) ?? [];
}

/** The run's workloads of files, these among them from now on. */
export function keepWorkloads(run: Run, given: readonly Workload[]): readonly Workload[] {
  const ids = new Set(given.map(({ id }) => id));
  const all = [...furtherWorkloads(run).filter(({ id }) => !ids.has(id)), ...given];
  if (given.length > 0) run.writeJson(file, all);
  return all;
}
