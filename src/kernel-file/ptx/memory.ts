import {
  as,
  cached,
  cTypes,
  first,
  type Instruction,
  memoryOrder,
  modifiers,
  pointer,
  put,
  space,
  typeOf,
} from './instruction.ts';

/** Element type and count of `ld.global.nc.v4.f32`, where its other parts are known. */
function accessed({ opcode }: Instruction): { state: string; type: string; count: number } | undefined {
  const type = cTypes[opcode.at(-1) ?? ''];
  const between = opcode.slice(1, -1).map((part) => part.replace(/^(shared|global)::\w+$/, '$1'));
  const state = between.find((part) => /^(global|shared|const|local)$/.test(part)) ?? 'generic';
  const count = Number(/^v([24])$/.exec(between.find((part) => /^v[24]$/.test(part)) ?? '')?.[1] ?? 1);
  const known = between.every(
    (part) => part === state || /^v[24]$/.test(part) || modifiers.test(part) || cached.test(part),
  );
  return type === undefined || !known || /const|local/.test(state) ? undefined : { state, type, count };
}

export function load(one: Instruction): string | undefined {
  const access = accessed(one);
  const [to, from] = one.operands;
  if (!access || !to || from?.address === undefined || to.vector.length !== access.count) return undefined;
  const { state, type, count } = access;
  const order = state === 'shared' ? undefined : memoryOrder(one);
  const loaded =
    state === 'shared'
      ? `${space}load_shared<${type}, ${count}>((${from.address}) + ${from.offset})`
      : order
        ? `${space}load_atomic<${type}, ${count}>(${pointer(from)}, simt::Scope::${order.scope})`
        : `${space}load<${type}, ${count}>(${pointer(from)})`;
  return `{ const auto tw_loaded = ${loaded}; ${order?.fenceAfter ?? ''} ${to.vector.map((name, i) => put(name, `tw_loaded.v[${i}]`)).join(' ')} }`;
}

export function store(one: Instruction): string | undefined {
  const access = accessed(one);
  const [to, from] = one.operands;
  if (!access || !from || to?.address === undefined || from.vector.length !== access.count) return undefined;
  const { state, type, count } = access;
  const value = `${space}Vector<${type}, ${count}>{{${from.vector.map((name) => as(type, name)).join(', ')}}}`;
  const order = state === 'shared' ? undefined : memoryOrder(one);
  if (order)
    return `{ ${order.fenceBefore} ${space}store_atomic(${pointer(to)}, ${value}, simt::Scope::${order.scope}); }`;
  return state === 'shared'
    ? `${space}store_shared((${to.address}) + ${to.offset}, ${value});`
    : `${space}store(${pointer(to)}, ${value});`;
}

const atomics: Readonly<Record<string, string>> = {
  ...{
    add: 'atomicAdd',
    min: 'atomicMin',
    max: 'atomicMax',
    and: 'atomicAnd',
    or: 'atomicOr',
    xor: 'atomicXor',
  },
  ...{ exch: 'atomicExch', cas: 'atomicCAS' },
};

/** `atom.global.add.f32 %0, [%1], %2`, and `red` without a result. */
export function atomic(one: Instruction): string | undefined {
  const { opcode, operands } = one;
  const parts = opcode.slice(1, -1).filter((part) => !modifiers.test(part) && !cached.test(part));
  const [state, operation = ''] = parts.length > 1 ? parts : ['generic', parts[0]];
  const type =
    { b32: 'unsigned', b64: 'unsigned long long', u64: 'unsigned long long' }[opcode.at(-1) ?? ''] ??
    typeOf(one);
  const name = atomics[operation];
  const withResult = opcode[0] === 'atom';
  const [at, ...values] = withResult ? operands.slice(1) : operands;
  const where = pointer(at);
  if (!name || !type || !where || !/^(global|generic)$/.test(state ?? '') || parts.length > 2)
    return undefined;
  const { fenceBefore = '', fenceAfter = '', scope = '' } = memoryOrder(one) ?? {};
  const suffix = scope === 'block' || scope === 'system' ? `_${scope}` : '';
  const called = `${name}${suffix}(reinterpret_cast<${type}*>(${where}), ${values.map(({ vector }) => as(type, vector[0] ?? '')).join(', ')})`;
  return `{ ${fenceBefore} ${withResult ? put(first(one, 0), called) : `${called};`} ${fenceAfter} }`;
}

export function copyAsync({ operands: [to, from, bytes, given] }: Instruction): string | undefined {
  if (!to?.address || !from?.address || !bytes) return undefined;
  const size = bytes.vector[0] ?? '16';
  const destination = `static_cast<std::uint32_t>((${to.address}) + ${to.offset})`;
  return `simt::cp_async(${destination}, ${pointer(from)}, ${size}, static_cast<int>(${given?.vector[0] ?? size}));`;
}

export function moveMatrices(one: Instruction, count: number, transpose: boolean): string | undefined {
  const isStore = one.opcode[0] === 'stmatrix';
  const [registers, row] = isStore ? one.operands.toReversed() : one.operands;
  if (!registers || row?.address === undefined || registers.vector.length !== count) return undefined;
  const address = `static_cast<std::uint32_t>((${row.address}) + ${row.offset})`;
  if (isStore)
    return `{ const std::uint32_t tw_r[] = {${registers.vector.map((name) => as('std::uint32_t', name)).join(', ')}}; simt::stmatrix(tw_r, ${count}, ${transpose}, ${address}); }`;
  return `{ std::uint32_t tw_r[${count}]; simt::ldmatrix(tw_r, ${count}, ${transpose}, ${address}); ${registers.vector.map((name, i) => put(name, `tw_r[${i}]`)).join(' ')} }`;
}
