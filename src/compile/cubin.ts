import { readFileSync } from 'node:fs';
import type { CompiledKernel } from '../model/artifact.ts';
import { readSections, readText, type Section } from '../util/elf.ts';

/** Attributes of a kernel in a cubin's sections `.nv.info`, by the numbers that `cuobjdump -elf` gives names. */
const attributes = { maxThreads: 0x05, requiredThreads: 0x10, parameter: 0x17, registers: 0x2f } as const;

/** An attribute whose value has a length of its own; the others, of at most two bytes, are of no use here. */
interface Attribute {
  readonly code: number;
  readonly value: DataView;
}

/** Attributes of each kernel of a cubin, by name, for comparison with the launch. */
export function readCubin(path: string): Record<string, CompiledKernel> {
  const sections = readSections(readFileSync(path));
  const registers = readRegisters(sections);
  const prefix = '.nv.info.';
  const kernels = sections.filter(({ name }) => name.startsWith(prefix));
  return Object.fromEntries(
    kernels.map(({ name, bytes }) => {
      const kernel = name.slice(prefix.length);
      return [kernel, describe([...readAttributes(bytes)], registers.get(kernel) ?? 0)];
    }),
  );
}

function describe(list: readonly Attribute[], registers: number): CompiledKernel {
  const extent = list.find(
    ({ code }) => code === attributes.requiredThreads || code === attributes.maxThreads,
  );
  const parameters = list.filter(({ code }) => code === attributes.parameter).map(({ value }) => value);
  // A parameter: its ordinal behind four bytes; its size in the 14 highest of the last 32 bits.
  const bySize = parameters.map(
    (value) => [value.getUint16(4, true), value.getUint32(8, true) >>> 18] as const,
  );
  return {
    registers,
    // 0: not bounded
    maxThreads: extent ? [0, 4, 8].reduce((product, at) => product * extent.value.getUint32(at, true), 1) : 0,
    parameterBytes: bySize.sort(([a], [b]) => a - b).map(([, size]) => size),
  };
}

/** Registers per thread by kernel: an attribute of the whole cubin names the kernel's symbol by its number. */
function readRegisters(sections: readonly Section[]): Map<string, number> {
  const info = sections.find(({ name }) => name === '.nv.info');
  const symbols = sections.find(({ name }) => name === '.symtab');
  const strings = sections.find(({ name }) => name === '.strtab');
  if (!info || !symbols || !strings) return new Map();
  const entries = [...readAttributes(info.bytes)].filter(({ code }) => code === attributes.registers);
  return new Map(
    entries.map(({ value }) => [
      readText(strings.bytes, symbols.bytes.getUint32(24 * value.getUint32(0, true), true)),
      value.getUint32(4, true),
    ]),
  );
}

function* readAttributes(bytes: DataView): Generator<Attribute> {
  const withLength = 4;
  for (let at = 0; at + 4 <= bytes.byteLength; ) {
    const length = bytes.getUint8(at) === withLength ? bytes.getUint16(at + 2, true) : 0;
    if (length > 0) {
      yield {
        code: bytes.getUint8(at + 1),
        value: new DataView(bytes.buffer, bytes.byteOffset + at + 4, length),
      };
    }
    at += 4 + length;
  }
}
