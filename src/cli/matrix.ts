import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { AnyFamily } from '../model/family.ts';
import type { Options } from './options.ts';

/** Value of --matrix: a Matrix Market file, and the size of the blocks that it is cut into. */
interface GivenMatrix {
  readonly path: string;
  readonly block?: number;
}

/** `west0479.mtx@32`. Throws a UsageError where there is no such file. */
export function parseMatrix(text: string): GivenMatrix {
  const [, file = text, block] = /^(.+)@(\d+)$/.exec(text) ?? [];
  if (!existsSync(file))
    throw new UsageError(
      `there is no file ${file}; say --matrix <file.mtx>, or <file.mtx>@<block> for blocks of that size`,
    );
  return { path: resolve(file), ...(block !== undefined && { block: Number(block) }) };
}

/** Id of the gate case on the file's matrix. */
export function caseOf(matrix: string): string {
  return basename(parseMatrix(matrix).path);
}

/** The family with a further gate case on the file's matrix. Throws a UsageError where it has no operand for one. */
export function withMatrix(family: AnyFamily, matrix: string | undefined): AnyFamily {
  if (matrix === undefined) return family;
  const { path, block } = parseMatrix(matrix);
  const { matrixProblem } = family;
  if (!matrixProblem)
    throw new UsageError(
      `${family.name} has no operand that a Matrix Market file can give: leave --matrix out`,
    );
  return {
    ...family,
    cases: (point, depth) => {
      if (block !== undefined && point.block !== block)
        throw new UsageError(
          `the variant has blocks of ${point.block}, --matrix asks for ${block}: leave @${block} out, or name another variant`,
        );
      const problem = matrixProblem(point, path);
      return [
        ...family.cases(point, depth),
        { id: caseOf(matrix), tier: 'structures', launches: 2, problem },
      ];
    },
  };
}

/** The options with the block of --matrix as a condition on variants, those of the usual preset where nothing else is said. */
export function withBlock(options: Options, { presets }: AnyFamily): Options {
  const { matrix, where, preset } = options;
  const block = matrix === undefined ? undefined : parseMatrix(matrix).block;
  if (block === undefined) return options;
  const ofBlock = `block == ${block}`;
  if (where !== undefined) return { ...options, where: `(${where}) && ${ofBlock}` };
  const usual = presets.default && { preset: 'default' };
  return { ...options, ...(preset === undefined && usual), where: ofBlock };
}
