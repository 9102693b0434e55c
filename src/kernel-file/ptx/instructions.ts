import { hopper } from './hopper.ts';
import {
  as,
  cTypes,
  first,
  type Instruction,
  type Operand,
  put,
  scopes,
  space,
  type Translation,
  typeOf,
} from './instruction.ts';
import { atomic, copyAsync, load, moveMatrices, store } from './memory.ts';
import { arithmetic, call, compare, convert, declare, infix, move } from './registers.ts';

/** mma.sync of 16-bit and tf32 operands. Sums are fp32 inside; results in fp16 are rounded once. */
function product(one: Instruction, match: RegExpExecArray): string | undefined {
  const [, k = '16', resultType, operandType = 'f16'] = match;
  const [d, a, b, c] = one.operands;
  const isTf32 = operandType === 'tf32';
  const half = isTf32 ? k === '4' : k === '8'; // of the depth that the device has: the rest is zero
  const [lengthA, lengthB] = half ? [2, 1] : [4, 2];
  const results = resultType === 'f32' ? 4 : 2;
  if (!d || !a || !b || !c || a.vector.length !== lengthA || b.vector.length !== lengthB) return undefined;
  if (d.vector.length !== results || c.vector.length !== results) return undefined;
  const words = ({ vector }: Operand, count: number) =>
    `{${Array.from({ length: count }, (_, i) => (i < vector.length ? as('std::uint32_t', vector[i] ?? '') : '0u')).join(', ')}}`;
  const type = resultType === 'f32' ? 'float' : 'std::uint32_t';
  const begin = c.vector.map((name) => as(type, name)).join(', ');
  return (
    `{ ${type} tw_d[] = {${begin}}; const std::uint32_t tw_a[] = ${words(a, 4)}, tw_b[] = ${words(b, 2)}; ` +
    `${space}mma(tw_d, tw_a, tw_b, simt::MmaType::${operandType}); ${d.vector.map((name, i) => put(name, `tw_d[${i}]`)).join(' ')} }`
  );
}

function shuffle(one: Instruction, mode: string): string {
  const [, value = '', lane = '', bounds = '', mask = '0xffffffffu'] = one.operands.map(
    ({ vector }) => vector[0],
  );
  const name = { bfly: 'bfly', idx: 'idx', up: 'up', down: 'down' }[mode];
  const width = `32 - static_cast<int>((${bounds}) >> 8 & 31)`;
  return put(
    first(one, 0).split('|')[0] ?? '',
    `simt::shuffle(${mask}, ${as('std::uint32_t', value)}, simt::Shuffle::${name}, static_cast<int>(${lane}), ${width})`,
  );
}

function barrier(one: Instruction): string | undefined {
  const [id = '0', threads] = one.operands.map(({ vector }) => vector[0]);
  if (one.opcode.includes('arrive')) return threads && `simt::bar_arrive(${id}, ${threads});`;
  return threads === undefined && id === '0'
    ? 'simt::sync_threads();'
    : `simt::bar_sync(${id}, ${threads ?? `${space}threads()`});`;
}

/** Instructions by their opcode, the more special ones first. */
const instructions: readonly (readonly [RegExp, Translation])[] = [
  [/^\.reg\b/, declare],
  [/^bra(?:\.uni)?$/, ({ operands: [label] }) => label && `goto ${label.text};`],
  ...hopper,
  [
    /^cp\.async\.c[ag]\.shared(::cta)?\.global(\.L2::(64B|128B|256B|cache_hint))?$/,
    (one, m) => (m[3] === 'cache_hint' ? undefined : copyAsync(one)),
  ],
  [/^cp\.async\.commit_group$/, () => 'simt::cp_async_commit();'],
  [/^cp\.async\.wait_group$/, (one) => `simt::cp_async_wait_group(${first(one, 0)});`],
  [/^cp\.async\.wait_all$/, () => 'simt::cp_async_wait_all();'],
  [
    /^(?:ld|st)matrix\.sync\.aligned\.(?:m8n8\.x([124])|x([124])\.m8n8)(\.trans)?\.shared(?:::cta)?\.b16$/,
    (one, m) => moveMatrices(one, Number(m[1] ?? m[2]), m[3] !== undefined),
  ],
  [/^mma\.sync\.aligned\.m16n8k(8|16)\.row\.col\.(f16|f32)\.(f16|bf16)\.\3\.\2$/, product],
  [/^mma\.sync\.aligned\.m16n8k(4|8)\.row\.col\.(f32)\.(tf32)\.tf32\.f32$/, product],
  [/^(?:bar|barrier)(?:\.cta)?\.(?:sync|arrive)(?:\.aligned)?$/, barrier],
  [/^bar\.warp\.sync$/, (one) => `simt::sync_warp(${first(one, 0)});`],
  [
    /^(?:membar|fence)(?:\.(?:acq_rel|sc))?\.(\w+)$/,
    (_, m) => scopes[m[1] ?? ''] && `simt::thread_fence(simt::Scope::${scopes[m[1] ?? '']});`,
  ],
  [/^shfl\.sync\.(bfly|idx|up|down)\.b32$/, (one, m) => shuffle(one, m[1] ?? '')],
  [/^activemask\.b32$/, (one) => put(first(one, 0), 'simt::active_mask()')],
  [
    /^vote\.sync\.ballot\.b32$/,
    (one) => put(first(one, 0), `simt::ballot(${first(one, 2)}, ${first(one, 1)})`),
  ],
  [/^(?:prefetchu?\.|discard\.|applypriority\.|griddepcontrol\.launch_dependents)/, () => ';'],
  [/^nanosleep\.u32$/, () => ';'],
  [/^trap$/, () => 'simt::trap("trap was executed");'],
  [/^(?:atom|red)\./, atomic],
  [/^ld\./, load],
  [/^st\./, store],
  [
    /^cvta\.to\.shared\.u(?:32|64)$/,
    (one) => put(first(one, 0), `simt::shared_address(${space}pointer(${first(one, 1)}, 0))`),
  ],
  [
    /^cvta\.to\.global\.u64$/,
    (one) => put(first(one, 0), `reinterpret_cast<std::uint64_t>(${space}pointer(${first(one, 1)}, 0))`),
  ],
  [/^mov\./, move],
  [/^cvt\./, convert],
  [/^setp\.\w+\.\w+$/, compare],
  [
    /^selp\.\w+$/,
    (one) => {
      const type = typeOf(one);
      return (
        type &&
        put(first(one, 0), `(${first(one, 3)}) ? ${as(type, first(one, 1))} : ${as(type, first(one, 2))}`)
      );
    },
  ],
  [
    /^mul\.wide\.([us])(16|32)$/,
    (one, m) =>
      put(
        first(one, 0),
        `${cTypes[`${m[1]}${Number(m[2]) * 2}`]}(${as(cTypes[`${m[1]}${m[2]}`] ?? '', first(one, 1))}) * ${as(cTypes[`${m[1]}${m[2]}`] ?? '', first(one, 2))}`,
      ),
  ],
  [/^mul\.hi\.u32$/, arithmetic((a, b) => `static_cast<std::uint64_t>(${a}) * ${b} >> 32`)],
  [/^mul\.hi\.s32$/, arithmetic((a, b) => `static_cast<std::int64_t>(${a}) * ${b} >> 32`)],
  [
    /^(?:mad\.lo|fma\.rn)(?:\.ftz)?\.(?:[us]\d+|f32|f64)$/,
    (one, m) =>
      (m[0].startsWith('fma')
        ? arithmetic((a, b, c) => `std::fma(${a}, ${b}, ${c})`)
        : arithmetic((a, b, c) => `${a} * ${b} + ${c}`))(one, m),
  ],
  [/^fma\.rn(?:\.ftz)?\.(?:b?f16x2)$/, arithmetic((a, b, c) => `__hfma2(${a}, ${b}, ${c})`)],
  [/^add(?:\.rn|\.ftz|\.sat)*\.(?:b?f16x2)$/, arithmetic((a, b) => `__hadd2(${a}, ${b})`)],
  [/^mul(?:\.rn|\.ftz)*\.(?:b?f16x2)$/, arithmetic((a, b) => `__hmul2(${a}, ${b})`)],
  [/^max\.(?:b?f16x2)$/, arithmetic((a, b) => `__hmax2(${a}, ${b})`)],
  [/^min\.(?:b?f16x2)$/, arithmetic((a, b) => `__hmin2(${a}, ${b})`)],
  [/^add(?:\.rn|\.ftz)*\.(?:[us]\d+|f32|f64)$/, infix('+')],
  [/^sub(?:\.rn|\.ftz)*\.(?:[us]\d+|f32|f64)$/, infix('-')],
  [/^mul(?:\.lo|\.rn|\.ftz)*\.(?:[us]\d+|f32|f64)$/, infix('*')],
  [/^div(?:\.rn|\.approx|\.full|\.ftz)*\.(?:[us]\d+|f32|f64)$/, infix('/')],
  [/^rem\.[us]\d+$/, infix('%')],
  [/^and\.b\d+$/, infix('&')],
  [/^or\.b\d+$/, infix('|')],
  [/^xor\.b\d+$/, infix('^')],
  [/^not\.b\d+$/, arithmetic((a) => `~${a}`)],
  [/^neg(?:\.ftz)?\.(?:s\d+|f32|f64)$/, arithmetic((a) => `-${a}`)],
  [/^abs(?:\.ftz)?\.(?:s\d+|f32|f64)$/, call('std::abs')],
  [/^shl\.b(?:32|64)$/, arithmetic((a, b) => `${b} > sizeof(${a}) * 8 - 1 ? 0 : ${a} << ${b}`)],
  [/^shr\.[bu](?:32|64)$/, arithmetic((a, b) => `${b} > sizeof(${a}) * 8 - 1 ? 0 : ${a} >> ${b}`)],
  [
    /^max(?:\.ftz|\.NaN)*\.(?:[us]\d+|f32|f64)$/,
    (one, m) =>
      m[0].includes('NaN') ? undefined : arithmetic((a, b) => `${space}greater(${a}, ${b})`)(one, m),
  ],
  [
    /^min(?:\.ftz|\.NaN)*\.(?:[us]\d+|f32|f64)$/,
    (one, m) => (m[0].includes('NaN') ? undefined : arithmetic((a, b) => `${space}less(${a}, ${b})`)(one, m)),
  ],
  [/^popc\.b32$/, call('__popc')],
  [/^clz\.b32$/, call('__clz')],
  [/^brev\.b32$/, call('__brev')],
  [/^prmt\.b32$/, arithmetic((a, b, c) => `__byte_perm(${a}, ${b}, ${c})`)],
  [
    /^lop3\.b32$/,
    (one) =>
      put(
        first(one, 0),
        `${space}lop3(${one.operands
          .slice(1)
          .map(({ vector }) => as('std::uint32_t', vector[0] ?? ''))
          .join(', ')})`,
      ),
  ],
  [/^bfe\.u32$/, arithmetic((a, b, c) => `${space}bit_field(${a}, ${b}, ${c})`)],
  [/^shf\.l\.wrap\.b32$/, arithmetic((a, b, c) => `__funnelshift_l(${a}, ${b}, ${c})`)],
  [/^shf\.r\.wrap\.b32$/, arithmetic((a, b, c) => `__funnelshift_r(${a}, ${b}, ${c})`)],
  [/^ex2\.approx(?:\.ftz)?\.f32$/, call('std::exp2')],
  [/^lg2\.approx(?:\.ftz)?\.f32$/, call('std::log2')],
  [/^rcp\.(?:approx|rn)(?:\.ftz)?\.f32$/, arithmetic((a) => `1.0f / ${a}`)],
  [/^rsqrt\.approx(?:\.ftz)?\.f32$/, arithmetic((a) => `1.0f / std::sqrt(${a})`)],
  [/^sqrt\.(?:approx|rn)(?:\.ftz)?\.f(?:32|64)$/, call('std::sqrt')],
  [/^sin\.approx(?:\.ftz)?\.f32$/, call('std::sin')],
  [/^cos\.approx(?:\.ftz)?\.f32$/, call('std::cos')],
  [/^tanh\.approx\.f32$/, call('std::tanh')],
];

/** C++ for an instruction of the PTX ISA; undefined for those that the emulated device does not know. */
export function translate(instruction: Instruction): string | undefined {
  const opcode = instruction.opcode.join('.');
  for (const [pattern, translation] of instructions) {
    const match = pattern.exec(opcode);
    const code = match && translation(instruction, match);
    if (code) return instruction.guard === undefined ? code : `if (${instruction.guard}) { ${code} }`;
  }
  return undefined;
}
