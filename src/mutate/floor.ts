import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { onDisk, rewriteFile } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import type { MutantResult, MutationInfo } from './result.ts';
import { tally } from './score.ts';

/** A score that must not drop: what was killed of which mutants, when and at which commit. */
const floorSchema = z.object({
  date: z.string(),
  commit: z.string().optional(),
  family: z.string(),
  /** Flags that say which mutants. */
  mutants: z.string(),
  depth: z.enum(['quick', 'full']),
  defects: z.number(),
  killed: z.number(),
});
export type Floor = Readonly<z.infer<typeof floorSchema>>;

export function floorOf(
  { date, commit, family }: MutationInfo,
  results: readonly MutantResult[],
  depth: Floor['depth'],
  mutants: Readonly<Record<string, unknown>>,
): Floor {
  const { killed, survived } = tally(results);
  return {
    date,
    ...(commit !== undefined && { commit }),
    ...{ family, mutants: JSON.stringify(mutants), depth, defects: killed + survived, killed },
  };
}

export function writeFloor(path: string, floor: Floor): void {
  const put = () => rewriteFile(path, `${JSON.stringify(floor, null, 2)}\n`);
  onDisk(`write ${path}`, put, 'name another file with --floor');
}

export function readFloor(path: string): Floor {
  if (!existsSync(path)) throw new UsageError(`there is no floor ${path}; --update-floor writes it`);
  const parsed = floorSchema.safeParse(parseJson(onDisk(`read ${path}`, () => readFileSync(path, 'utf8'))));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${path} is no floor of gen mutate: ${z.prettifyError(parsed.error)}`);
}

/** Says by how much the score is lower than it was, where it is. */
export function dropBelow(floor: Floor, now: Floor, path: string): string | undefined {
  if (floor.family !== now.family || floor.mutants !== now.mutants || floor.depth !== now.depth)
    throw new UsageError(
      `${path} is about the mutants ${floor.mutants} of ${floor.family} at depth ${floor.depth}: ask for the same, or name another floor`,
    );
  if (now.killed * floor.defects >= floor.killed * now.defects) return undefined;
  return `the score dropped: ${now.killed} of ${now.defects} killed; ${floor.killed} of ${floor.defects} on ${floor.date.slice(0, 10)}`;
}
