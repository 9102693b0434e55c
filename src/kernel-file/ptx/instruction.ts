/** One instruction of inline PTX. */
export interface Instruction {
  /** `cp.async.cg` as `cp`, `async`, `cg`. */
  readonly opcode: readonly string[];
  readonly operands: readonly Operand[];
  /** C++ of the predicate under which it runs. */
  readonly guard?: string;
}

export interface Operand {
  /** C++ of the registers in braces; of the one register without. */
  readonly vector: readonly string[];
  /** C++ of the register in brackets, and what is added to it. */
  readonly address?: string;
  readonly offset?: string;
  /** C++ of what stands in braces behind it: coordinates of a tensor copy. */
  readonly coordinates?: readonly string[];
  /** As written. */
  readonly text: string;
}

/** C++ for an instruction whose opcode matched; undefined where it has none after all. */
export type Translation = (instruction: Instruction, match: RegExpExecArray) => string | undefined;

export const space = '::tw::assembly::';

export const cTypes: Readonly<Record<string, string>> = {
  ...{ b8: 'std::uint8_t', u8: 'std::uint8_t', s8: 'std::int8_t' },
  ...{
    b16: 'std::uint16_t',
    u16: 'std::uint16_t',
    s16: 'std::int16_t',
    f16: '__half',
    bf16: '__nv_bfloat16',
  },
  ...{ b32: 'std::uint32_t', u32: 'std::uint32_t', s32: 'std::int32_t', f32: 'float' },
  ...{ b64: 'std::uint64_t', u64: 'std::uint64_t', s64: 'std::int64_t', f64: 'double' },
  ...{ f16x2: '__half2', bf16x2: '__nv_bfloat162' },
};

export const modifiers =
  /^(rn|rz|rm|rp|ftz|sat|approx|full|relaxed|acquire|release|acq_rel|volatile|nc|noftz)$/;

export const cached = /^(L1::\w+|L2::\w+|ca|cg|cs|cv|wb|wt|lu|cta|cluster|gpu|sys)$/;

/** Scopes of PTX by their names on the emulated device. */
export const scopes: Readonly<Record<string, string>> = {
  ...{ cta: 'block', gl: 'gpu', gpu: 'gpu', sys: 'system', cluster: 'cluster' },
};

/** Order and scope of `ld.acquire.gpu`, `st.release.sys`, `atom.acq_rel.cta`; undefined for plain loads and stores. */
export function memoryOrder({
  opcode,
}: Instruction): { fenceBefore: string; fenceAfter: string; scope: string } | undefined {
  const isVolatile = opcode.includes('volatile'); // relaxed, at the scope of the system
  const order = opcode.find((part) => /^(relaxed|acquire|release|acq_rel)$/.test(part));
  const named = isVolatile ? 'sys' : opcode.find((part) => /^(cta|cluster|gpu|sys)$/.test(part));
  if (order === undefined && named === undefined) return undefined;
  const scope = scopes[named ?? 'gpu'] ?? 'gpu';
  const fence = `simt::thread_fence(simt::Scope::${scope});`;
  return {
    fenceBefore: /rel$|release/.test(order ?? '') ? fence : '',
    fenceAfter: /^acq/.test(order ?? '') ? fence : '',
    scope,
  };
}

export const first = ({ operands }: Instruction, i: number) => operands[i]?.vector[0] ?? '';

export const put = (to: string, value: string) => `${space}put(${to}, ${value});`;

export const as = (type: string, value: string) => `${space}as<${type}>(${value})`;

export const typeOf = ({ opcode }: Instruction) => cTypes[opcode.at(-1) ?? ''];

export function pointer(operand: Operand | undefined): string | undefined {
  return operand?.address && `${space}pointer(${operand.address}, ${operand.offset})`;
}
