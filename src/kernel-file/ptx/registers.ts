import {
  as,
  cTypes,
  first,
  type Instruction,
  modifiers,
  put,
  space,
  type Translation,
  typeOf,
} from './instruction.ts';

/** `d = expression of a, b, c`, all of the instruction's type. */
export function arithmetic(expression: (a: string, b: string, c: string) => string): Translation {
  return (one) => {
    const type = typeOf(one);
    if (
      type === undefined ||
      one.opcode.includes('cc') ||
      one.operands.some(({ vector }) => vector.length > 1)
    )
      return undefined;
    const operand = (i: number) => as(type, first(one, i));
    return put(first(one, 0), as(type, `${type}(${expression(operand(1), operand(2), operand(3))})`));
  };
}

export const infix = (operator: string) => arithmetic((a, b) => `${a} ${operator} ${b}`);

export const call = (name: string) => arithmetic((a) => `${name}(${a})`);

const comparisons: Readonly<Record<string, string>> = {
  ...{ eq: '==', ne: '!=', lt: '<', le: '<=', gt: '>', ge: '>=', lo: '<', ls: '<=', hi: '>', hs: '>=' },
};

export function declare({ operands, opcode }: Instruction): string | undefined {
  // The type is the opcode's last part or, behind a blank, in front of the first name: `.reg .b32 r`.
  const [, , type = ''] = opcode;
  const names = operands.map(({ text }) => text);
  const [head = ''] = names;
  const [, own = type, name = head] = /^\.(\w+)\s+(.*)$/.exec(head) ?? [];
  const kind = own === 'pred' ? 'bool' : cTypes[own];
  if (kind === undefined || names.some((one) => /[<%]/.test(one))) return undefined;
  return `${kind} ${[name, ...names.slice(1)].map((one) => `tw_reg_${one}{}`).join(', ')};`;
}

const specials: Readonly<Record<string, string>> = {
  ...{ laneid: 'simt::ids->lane', warpid: `${space}warp_id()`, nwarpid: '32u', smid: '0u', nsmid: '1u' },
  ...{
    clock: 'static_cast<std::uint32_t>(simt::clock64())',
    clock64: 'simt::clock64()',
    globaltimer: 'simt::clock64()',
  },
  ...{ lanemask_eq: '1u << simt::ids->lane', lanemask_lt: '(1u << simt::ids->lane) - 1' },
  ...{ lanemask_le: '(2u << simt::ids->lane) - 1', lanemask_gt: '~((2u << simt::ids->lane) - 1)' },
  lanemask_ge: '~((1u << simt::ids->lane) - 1)',
  ...{ cluster_ctarank: 'simt::ids->cluster_rank', cluster_nctarank: 'simt::ids->cluster_size' },
  is_explicit_cluster: 'simt::ids->cluster_size > 1',
};

/** C++ of indices that have three axes. */
const indices: Readonly<Record<string, (axis: string) => string>> = {
  tid: (axis) => `simt::ids->thread.${axis}`,
  ntid: (axis) => `simt::ids->block_dim.${axis}`,
  ctaid: (axis) => `simt::ids->block.${axis}`,
  nctaid: (axis) => `simt::ids->grid_dim.${axis}`,
  cluster_nctaid: (axis) => `simt::ids->cluster_dim.${axis}`,
  cluster_ctaid: (axis) => `simt::ids->block.${axis} % simt::ids->cluster_dim.${axis}`,
  clusterid: (axis) => `simt::ids->block.${axis} / simt::ids->cluster_dim.${axis}`,
  nclusterid: (axis) => `simt::ids->grid_dim.${axis} / simt::ids->cluster_dim.${axis}`,
};

export function move(one: Instruction): string | undefined {
  const [to, from] = one.operands;
  const type = typeOf(one);
  if (!to || !from || !type) return undefined;
  const special = /^%%(\w+)(?:\.([xyz]))?$/.exec(from.text);
  if (special) {
    const [, name = '', axis] = special;
    const value = axis === undefined ? specials[name] : indices[name]?.(axis);
    return value && put(first(one, 0), value);
  }
  if (/^%%/.test(from.text) || from.text.includes('[')) return undefined;
  if (to.vector.length === 1 && from.vector.length === 1) return put(first(one, 0), as(type, first(one, 1)));
  // Between one register and the two or four in it, the low bits first.
  return to.vector.length === 1
    ? put(first(one, 0), `${space}packed<${type}>(${from.vector.join(', ')})`)
    : `${space}unpack(${as(type, first(one, 1))}, ${to.vector.join(', ')});`;
}

export function convert(one: Instruction): string | undefined {
  const parts = one.opcode
    .slice(1)
    .filter((part) => !modifiers.test(part) && !/^(rni|rzi|rmi|rpi|rna)$/.test(part));
  const rounding = one.opcode.find((part) => /^(rni|rzi|rmi|rpi|rn|rz|rm|rp|rna)$/.test(part));
  const [to = '', from = ''] = parts;
  if (parts.length !== 2) return undefined;
  if (to === 'tf32' && rounding === 'rna') return put(first(one, 0), `${space}to_tf32(${first(one, 1)})`);
  if (/^b?f16x2$/.test(to) && from === 'f32' && rounding === 'rn')
    return put(
      first(one, 0),
      `${space}packed_pair<${to === 'f16x2' ? '__half' : '__nv_bfloat16'}>(${first(one, 1)}, ${first(one, 2)})`,
    );
  const source = cTypes[from];
  const target = cTypes[to];
  if (!source || !target || /x2/.test(to + from)) return undefined;
  const value = as(source, first(one, 1));
  const whole = { rni: 'std::nearbyint', rmi: 'std::floor', rpi: 'std::ceil', rzi: 'std::trunc' }[
    rounding ?? ''
  ];
  return put(first(one, 0), `static_cast<${target}>(${whole ? `${whole}(${value})` : value})`);
}

export function compare(one: Instruction): string | undefined {
  const operator = comparisons[one.opcode[1] ?? ''];
  const type = typeOf(one);
  if (!operator || !type || one.operands.length !== 3) return undefined;
  return `${first(one, 0)} = ${as(type, first(one, 1))} ${operator} ${as(type, first(one, 2))};`;
}
