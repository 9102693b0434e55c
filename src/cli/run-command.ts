import { UsageError } from '../errors.ts';
import { type Stage, stages } from '../model/stage.ts';
import type { Options } from './options.ts';
import { prepareExisting, prepareNew } from './prepare.ts';
import { execute } from './run.ts';
import { subjectOf } from './subject.ts';

/** `gen render`, `build` and `validate`: a new run of these stages. */
export async function runStages(
  wanted: readonly Stage[],
  first: string,
  second: string | undefined,
  options: Options,
): Promise<number> {
  const [family, variant] = subjectOf(first, second, options.as);
  const settings = { ...options, install: options.install ?? true };
  return execute(await prepareNew(family, wanted, settings, variant), options);
}

/** `gen sweep`: a new run of all stages, or the rest of one. */
export async function sweepFamily(family: string | undefined, options: Options): Promise<number> {
  if (options.resume === undefined && family === undefined) {
    throw new UsageError('gen sweep needs a kernel family, or --resume; `npx gen list` shows the families');
  }
  const prepared =
    options.resume === undefined
      ? await prepareNew(family ?? '', stages, options)
      : await prepareExisting(options.resume === true ? undefined : options.resume, family, stages, options);
  return execute(prepared, options);
}

/** `gen time` and `select`: later stages of a run that exists. */
export async function runLater(
  wanted: readonly Stage[],
  run: string | undefined,
  options: Options,
): Promise<number> {
  return execute(await prepareExisting(run, undefined, wanted, options), options);
}
