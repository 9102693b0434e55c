import { basename } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Variant } from '../model/variant.ts';
import { sha256 } from '../util/hash.ts';
import { bytesOf, type Description, scalarTypes } from './description.ts';
import type { TritonKernel } from './metadata.ts';

/** Triton passes two pointers to scratch memory behind the arguments, older releases one or none. */
const mostHidden = 2;

/** Throws where the described arguments are not those of the machine code. Gives the number of hidden ones. */
function hiddenArguments(
  { metadata, compiled, path }: TritonKernel,
  { arguments: given }: Description,
): number {
  const described = Object.entries(given).map(([name, { type }]) => ({ name, type, bytes: bytesOf(type) }));
  const taken = compiled.parameterBytes;
  const hidden = taken.length - described.length;
  const fits =
    hidden >= 0 && hidden <= mostHidden && taken.slice(described.length).every((bytes) => bytes === 8);
  if (!fits)
    throw new UsageError(
      `${basename(path)}: ${metadata.name} takes ${taken.length} arguments of ${taken.join(', ')} bytes, the last up to two of which are Triton's own pointers; ${described.length} are described: arguments that are constants, or 1, are none`,
    );
  const wrong = described.find(({ bytes }, i) => bytes !== taken[i]);
  if (wrong)
    throw new UsageError(
      `${basename(path)}: argument '${wrong.name}' is described as ${wrong.type}, ${wrong.bytes} bytes, and ${metadata.name} takes ${taken[described.indexOf(wrong)]}`,
    );
  return hidden;
}

/** An expression over members of the struct `q`. */
function overArguments(text: string, wrap = ''): string {
  return text.replaceAll(/(?<![\w.])[A-Za-z_][\w.]*/g, (name) => {
    if (name === 'ceil_div') return `tw::${name}`;
    return wrap === '' ? `q.${name}` : `${wrap}(q.${name})`;
  });
}

function argumentCode(name: string, { type, value }: Description['arguments'][string]): string {
  const code = overArguments(value);
  if (type.startsWith('*')) return `  const void* ${name} = ${code};`;
  const { c } = scalarTypes[type as keyof typeof scalarTypes];
  return `  const auto ${name} = tw::exactly<${c}>(${code}, exact);`;
}

/**
 * The file that stands for a variant: host code that gives a kernel of Triton the arguments of the variant's own. It has the
 * machine code in it.
 */
export function adapterOf(kernel: TritonKernel, description: Description, variant: Variant): string {
  const { metadata, cubin, path } = kernel;
  const names = Object.keys(description.arguments).map((name) => `argument_${name}`);
  const hidden = Array.from({ length: hiddenArguments(kernel, description) }, () => '&none');
  const [x = '1', y = '1', z = '1'] = description.grid.map((text) => overArguments(text, 'tw::wide'));
  return `// ${variant.id}
//
// In its place the kernel ${metadata.name} of Triton: ${basename(path)}, cubin ${sha256(cubin).slice(0, 16)}. Written by \`gen import-triton\`.
#include <cstdint>

#include "${description.header}"
#include "imported.hpp"

namespace {

alignas(16) const unsigned char kCubin[] = {
${bytesText(cubin)}
};

int launch(const ${description.struct}& q, cudaKernel_t kernel, cudaStream_t stream) {
  bool exact = true;  // every number fits the type that the kernel takes
  [[maybe_unused]] void* none = nullptr;
${Object.values(description.arguments)
  .map((argument, i) => argumentCode(names[i] ?? '', argument))
  .join('\n')}
  if (!exact) return cudaErrorInvalidValue;
  const void* arguments[] = {${[...names.map((name) => `&${name}`), ...hidden, 'nullptr'].join(', ')}};
  const dim3 grid(static_cast<unsigned>(${x}), static_cast<unsigned>(${y}), static_cast<unsigned>(${z}));
  return tw::launch(kernel, grid, ${32 * metadata.num_warps}, ${metadata.shared}, arguments, stream);
}

}  // namespace

TW_IMPORTED(${variant.symbol}, "${metadata.name}", ${metadata.shared}, ${description.struct})
`;
}

function bytesText(bytes: Buffer): string {
  const lines = Array.from({ length: Math.ceil(bytes.length / 32) }, (_, line) =>
    [...bytes.subarray(32 * line, 32 * line + 32)].join(','),
  );
  return lines.join(',\n');
}
