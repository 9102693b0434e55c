import { UsageError } from '../errors.ts';
import type { Item } from './items.ts';
import { join, type Token } from './tokens.ts';
import { placeOf } from './variables.ts';

/** Constructs that the emulated device lacks, by the word that names them, and what a reader may do. */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [
    /^(tex([23]D\w*|1D(?!fetch$)\w*)|texCubemap\w*)$/,
    'textures other than tex1Dfetch of linear memory; read from a pointer instead',
  ],
  [/^(surf[123]D\w*|cudaSurfaceObject_t)$/, 'surfaces; write through a pointer instead'],
  [/^(this_multi_grid|multi_grid_group)$/, 'synchronisation of several GPUs'],
  [/^thrust$/, 'Thrust'],
  [/^cutlass|^cute$/, 'CUTLASS'],
  [/^curandState(MRG|Philox|Sobol|Scrambled)\w*$/, "cuRAND's generators beside XORWOW and MTGP32"],
  [/^(cudaLaunchDevice|cudaGridDependencySynchronize)$/, 'launches from within a kernel'],
];

/** Names of the CUDA C++ library that harness/check/include/cuda has. */
const library =
  /^(barrier|pipeline\w*|make_pipeline|memcpy_async|aligned_size_t|thread_scope\w*|atomic\w*|memory_order\w*|device|std)$/;

const maskless = /^__(shfl|shfl_up|shfl_down|shfl_xor|any|all|ballot)$/;

/** Throws a UsageError, with the line of the user's file, where code asks for what the emulated device lacks. */
export function mustBeSupported(tokens: readonly Token[]): void {
  for (const [i, token] of tokens.entries()) {
    if (maskless.test(token.text) && tokens[i + 1]?.text === '(')
      throw new UsageError(
        `${placeOf(token)}: ${token.text} without a mask: GPUs since Volta do not have it; call ${token.text}_sync with the lanes that take part`,
      );
    const what = nameOf(tokens, i);
    if (what !== undefined)
      throw new UsageError(`${placeOf(token)}: the emulated device does not support ${what}`);
  }
}

/** Throws a UsageError for a function of the device that is needed but has no body in the files that were found. */
export function mustBeDefined(kept: ReadonlySet<Item>, items: readonly Item[]): void {
  const defined = new Set(
    items
      .filter(({ kind, body }) => kind === 'function' && body !== undefined)
      .map(({ names }) => names.at(-1)),
  );
  for (const { kind, marks, names, tokens } of kept) {
    const name = names.at(-1);
    if (kind !== 'function' || !marks.has('device') || defined.has(name)) continue;
    throw new UsageError(
      `${placeOf(tokens[0] as Token)}: '${name}' is declared, but none of the files that were found defines it`,
    );
  }
}

function nameOf(tokens: readonly Token[], i: number): string | undefined {
  const { text, kind } = tokens[i] as Token;
  if (text === '<<<') return 'launches from within a kernel';
  if (kind !== 'word') return undefined;
  if (`${text}${tokens[i + 1]?.text}` === 'cuda::' && !library.test(tokens[i + 2]?.text ?? ''))
    return `the CUDA C++ library: ${join(tokens.slice(i, i + 3))}`;
  if (text === 'texture' && tokens[i + 1]?.text === '<')
    return 'texture references, which CUDA 12 took away; take a cudaTextureObject_t, or a pointer';
  return unsupported.find(([pattern]) => pattern.test(text))?.[1];
}
