import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { archOf } from '../arch/index.ts';
import { loadFamily } from '../discover.ts';
import { UsageError } from '../errors.ts';
import type { RunEvidence } from '../model/evidence.ts';
import type { AnyFamily } from '../model/family.ts';
import { featuresOf } from '../model/features.ts';
import { type Timing, timingsSchema } from '../model/wisdom.ts';
import { jsonText } from '../report/json-text.ts';
import { addTimings, timingsOf } from '../report/timings.ts';
import type { CacheFile } from '../tuned/cache.ts';
import { capabilityOf, timingsOf as timingsOfRecords } from '../tuned/timings.ts';
import { makeFolder, onDisk, rewriteFile } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';

/** Adds what runs timed to a file of timings, which is made where it is not there. */
export async function writeTimings(file: string, evidences: readonly RunEvidence[]): Promise<void> {
  for (const evidence of evidences) {
    const { family } = await loadFamily(evidence.family);
    const timings = timingsOf(evidence, (workload) => featuresOf(family, workload));
    add(file, family.name, evidence.arch, timings);
  }
}

/** Adds what contexts measured to a family's wisdom, by architecture: from then on its libraries ship it. */
export async function addToWisdom(name: string, files: readonly CacheFile[]): Promise<string[]> {
  const { family, folder } = await loadFamily(name);
  const archs = new Set(files.flatMap((file) => archNameOf(file) ?? []));
  return [...archs].flatMap((arch) => {
    const own = files.filter((file) => archNameOf(file) === arch);
    const timings = timingsOfRecords(own, family.operation.name, featureNames(family));
    const file = join(folder, 'wisdom', 'timings', `${arch}.json`);
    if (timings.length > 0) add(file, family.name, arch, timings);
    return timings.length > 0 ? [`${file}: ${timings.length} keys`] : [];
  });
}

function archNameOf({ environment }: CacheFile): string | undefined {
  const capability = capabilityOf(environment);
  return capability === undefined ? undefined : archOf(capability)?.name;
}

/** Every feature that one of the family's workloads has. */
function featureNames(family: AnyFamily): ReadonlySet<string> {
  return new Set(family.workloads.flatMap((workload) => Object.keys(featuresOf(family, workload))));
}

function add(file: string, family: string, arch: string, newer: readonly Timing[]): void {
  const old = existsSync(file)
    ? timingsSchema.safeParse(parseJson(onDisk(`read ${file}`, () => readFileSync(file, 'utf8'))))
    : undefined;
  const own = old?.data?.family === family && old.data.arch === arch;
  if (old && !own) {
    throw new UsageError(`${file} is there and has no times of ${family} for ${arch}: name another file`);
  }
  const all = addTimings({ family, arch, ...old?.data }, newer);
  onDisk(`make ${dirname(file)}`, () => makeFolder(dirname(file)), 'name another file');
  onDisk(`write ${file}`, () => rewriteFile(file, `${jsonText(all)}\n`), 'name another file');
}
