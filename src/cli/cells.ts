import { existsSync, readFileSync } from 'node:fs';
import { libraryOf, type ServedCell, serveCells } from '../cells.ts';
import { loadFamily } from '../discover.ts';
import { UsageError } from '../errors.ts';
import { localExecutor } from '../exec/local.ts';
import { namedWorkloads } from '../model/family.ts';
import { cellsSection, cellsTable, plansOf, withoutTensorCores, withSection } from '../report/cells.ts';
import { widthOf } from '../report/style.ts';
import { enumerate, presetOf } from '../space/enumerate.ts';
import { onDisk, rewriteFile } from '../util/disk.ts';
import { exitCode } from './exit.ts';
import type { Options } from './options.ts';
import { printLine, remark } from './output.ts';
import { archFor, configOf, spaceOf } from './prepare.ts';
import { problemProgram } from './problem-program.ts';

export interface CellsOptions extends Options {
  /** File for the page. */
  readonly markdown?: string;
}

/** `gen cells`: kinds of calls and who serves them. Exit code 1 where one has no variant on tensor cores. */
export async function cells(name: string, options: CellsOptions): Promise<number> {
  const config = await configOf(options);
  const { family, folder, wisdom } = await loadFamily(name, { families: config.families });
  if (family.cells === undefined)
    throw new UsageError(`${name} lists no kinds of calls: \`cells\` in its family.ts`);
  const arch = await archFor(options, config);
  const space = { arch, ...spaceOf(family, options, 'shipped') };
  const { workloads, guessed } = presetOf(family, space.preset) ?? {};
  const asked = { timed: namedWorkloads(family, workloads), guessed: namedWorkloads(family, guessed) };
  const known = wisdom.find((one) => one.arch === arch.name);
  const library = libraryOf(family, enumerate(family, space).variants, asked, known);
  const path = await problemProgram({ folder, family }, config, 'the launch code', options.quiet);
  const served = await serveCells(family, library, arch, path, localExecutor);
  if (options.json) for (const cell of served) printLine(JSON.stringify(eventOf(cell)));
  else for (const line of cellsTable(served, widthOf(process.stdout))) printLine(line);
  const empty = withoutTensorCores(served);
  if (!options.quiet)
    remark(
      `${empty} of ${served.length} without a variant on tensor cores; the library has ${library.variants.length} variants; plans are of ${plansOf(served)}`,
    );
  if (options.markdown !== undefined) {
    const preset = space.preset ?? 'all';
    const command = `npx gen cells ${name} --arch ${arch.name} --preset ${preset}`;
    const source = { family: name, arch: arch.name, preset, command, library: library.variants.length };
    write(options.markdown, cellsSection(served, source));
  }
  return empty === 0 ? exitCode.done : exitCode.no;
}

function eventOf({ row, column, problem, chosen, variants, onTensorCores }: ServedCell) {
  const ids = variants.map(({ id }) => id);
  return {
    event: 'cell',
    row,
    column,
    problem,
    chosen,
    variants: ids,
    onTensorCores: Object.fromEntries(onTensorCores),
  };
}

/** The section takes the place of the one with its title, or stands at the end of the page. */
function write(file: string, lines: readonly string[]): void {
  const page = existsSync(file) ? onDisk(`read ${file}`, () => readFileSync(file, 'utf8')) : '';
  onDisk(
    `write ${file}`,
    () => rewriteFile(file, withSection(page, lines)),
    'name another file with --markdown',
  );
}
