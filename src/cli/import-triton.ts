import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cuda, wantsGpu } from '../backends/index.ts';
import { notEmulatedReason } from '../compile/imported.ts';
import { loadFamily } from '../discover.ts';
import { EnvironmentError, UsageError } from '../errors.ts';
import { localExecutor } from '../exec/local.ts';
import { type Stage, stages } from '../model/stage.ts';
import { shortPath } from '../report/format.ts';
import { pointOfId } from '../space/id.ts';
import { variantOf } from '../space/variant.ts';
import { findGpus } from '../toolchain/gpu.ts';
import { adapterOf } from '../triton/adapter.ts';
import { readDescription } from '../triton/description.ts';
import { notLaunchable, readTriton } from '../triton/metadata.ts';
import { narrowed } from '../triton/narrowed.ts';
import { makeFolder } from '../util/disk.ts';
import { exitCode } from './exit.ts';
import type { Options } from './options.ts';
import { remark } from './output.ts';
import { archFor, configOf, type Prepared, prepareNew } from './prepare.ts';
import { execute } from './run.ts';
import { subjectOf } from './subject.ts';

/** `gen import-triton`: writes the file in which a kernel of Triton stands for a variant; where there is a GPU, gates and times it. */
export async function importTriton(place: string, options: Options): Promise<number> {
  const config = await configOf(options);
  const kernel = readTriton(place);
  const description = readDescription(options.description ?? kernel.path.replace(/\.json$/, '.yaml'));
  const id = options.as ?? description.as;
  if (id === undefined)
    throw new UsageError(
      'which variant does it stand for? Say it with --as <id>, or `as` in the description',
    );
  const [familyName] = subjectOf(id);
  const { family } = await loadFamily(familyName, { families: config.families });
  const arch = await archFor(options, config);
  const obstacle = notLaunchable(kernel, arch);
  if (obstacle !== undefined) throw new UsageError(`${kernel.metadata.name} ${obstacle}`);
  const variant = variantOf(family, pointOfId(family, id), arch);
  const folder = resolve(config.out, 'imported', family.name);
  const file = join(folder, `${kernel.metadata.name}.cu`);
  makeFolder(folder);
  writeFileSync(file, adapterOf(kernel, description, variant));
  remark(`wrote ${shortPath(file)}, in which ${kernel.metadata.name} stands for ${id}`);
  const isOnGpu = await hasGpu(config.device);
  const device =
    isOnGpu && config.device.devices.length === 1 ? config.device : { ...config.device, ...onlyGpu };
  const last: Stage = isOnGpu ? 'time' : 'build';
  const wanted = stages.slice(0, stages.indexOf(last) + 1);
  const prepared = await prepareNew(family.name, wanted, { ...options, as: id, device }, file);
  const code = await execute(takenOnly(prepared, description), options);
  if (isOnGpu || code !== exitCode.done) return code;
  throw new EnvironmentError(`${id}: ${notEmulatedReason}`);
}

const onlyGpu = { text: cuda.name, devices: [cuda.name] };

async function hasGpu(
  device: Parameters<typeof wantsGpu>[0] & { readonly gpuOptional: boolean },
): Promise<boolean> {
  if (!wantsGpu(device)) return false;
  return !device.gpuOptional || (await findGpus(localExecutor)).length > 0;
}

function takenOnly(
  prepared: Prepared,
  { takes }: { readonly takes: Parameters<typeof narrowed>[1] },
): Prepared {
  const { request } = prepared;
  return { ...prepared, request: { ...request, family: narrowed(request.family, takes) } };
}
