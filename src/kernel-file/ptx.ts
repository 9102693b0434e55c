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
  /** As written. */
  readonly text: string;
}

type Emit = (instruction: Instruction, match: RegExpExecArray) => string | undefined;

const space = '::tw::assembly::';
const cTypes: Readonly<Record<string, string>> = {
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
const modifiers = /^(rn|rz|rm|rp|ftz|sat|approx|full|relaxed|acquire|release|acq_rel|volatile|nc|noftz)$/;
const cached = /^(L1::\w+|L2::\w+|ca|cg|cs|cv|wb|wt|lu|cta|gpu|sys)$/;

/** C++ for an instruction of the PTX ISA; undefined for those that the emulated device does not know. */
export function translate(instruction: Instruction): string | undefined {
  const opcode = instruction.opcode.join('.');
  for (const [pattern, emit] of instructions) {
    const match = pattern.exec(opcode);
    const code = match && emit(instruction, match);
    if (code) return instruction.guard === undefined ? code : `if (${instruction.guard}) { ${code} }`;
  }
  return undefined;
}

const first = ({ operands }: Instruction, i: number) => operands[i]?.vector[0] ?? '';
const put = (to: string, value: string) => `${space}put(${to}, ${value});`;
const as = (type: string, value: string) => `${space}as<${type}>(${value})`;
const typeOf = ({ opcode }: Instruction) => cTypes[opcode.at(-1) ?? ''];

/** `d = expression of a, b, c`, all of the instruction's type. */
function arithmetic(expression: (a: string, b: string, c: string) => string): Emit {
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

const infix = (operator: string) => arithmetic((a, b) => `${a} ${operator} ${b}`);
const call = (name: string) => arithmetic((a) => `${name}(${a})`);

const comparisons: Readonly<Record<string, string>> = {
  ...{ eq: '==', ne: '!=', lt: '<', le: '<=', gt: '>', ge: '>=', lo: '<', ls: '<=', hi: '>', hs: '>=' },
};

function declare({ operands, opcode }: Instruction): string | undefined {
  // The type is the opcode's last part or, behind a blank, in front of the first name: `.reg .b32 r`.
  const [, , type = ''] = opcode;
  const names = operands.map(({ text }) => text);
  const [head = ''] = names;
  const [, own = type, name = head] = /^\.(\w+)\s+(.*)$/.exec(head) ?? [];
  const kind = own === 'pred' ? 'bool' : cTypes[own];
  if (kind === undefined || names.some((one) => /[<%]/.test(one))) return undefined;
  return `${kind} ${[name, ...names.slice(1)].map((one) => `tw_reg_${one}{}`).join(', ')};`;
}

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

function pointer(operand: Operand | undefined): string | undefined {
  return operand?.address && `${space}pointer(${operand.address}, ${operand.offset})`;
}

function load(one: Instruction): string | undefined {
  const access = accessed(one);
  const [to, from] = one.operands;
  if (!access || !to || from?.address === undefined || to.vector.length !== access.count) return undefined;
  const { state, type, count } = access;
  const loaded =
    state === 'shared'
      ? `${space}load_shared<${type}, ${count}>((${from.address}) + ${from.offset})`
      : `${space}load<${type}, ${count}>(${pointer(from)})`;
  return `{ const auto tw_loaded = ${loaded}; ${to.vector.map((name, i) => put(name, `tw_loaded.v[${i}]`)).join(' ')} }`;
}

function store(one: Instruction): string | undefined {
  const access = accessed(one);
  const [to, from] = one.operands;
  if (!access || !from || to?.address === undefined || from.vector.length !== access.count) return undefined;
  const { state, type, count } = access;
  const value = `${space}Vector<${type}, ${count}>{{${from.vector.map((name) => as(type, name)).join(', ')}}}`;
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
function atomic(one: Instruction): string | undefined {
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
  const called = `${name}(reinterpret_cast<${type}*>(${where}), ${values.map(({ vector }) => as(type, vector[0] ?? '')).join(', ')})`;
  return withResult ? put(first(one, 0), called) : `${called};`;
}

function copyAsync({ operands: [to, from, bytes, given] }: Instruction): string | undefined {
  if (!to?.address || !from?.address || !bytes) return undefined;
  const size = bytes.vector[0] ?? '16';
  const destination = `static_cast<std::uint32_t>((${to.address}) + ${to.offset})`;
  return `simt::cp_async(${destination}, ${pointer(from)}, ${size}, static_cast<int>(${given?.vector[0] ?? size}));`;
}

function moveMatrices(one: Instruction, count: number, transpose: boolean): string | undefined {
  const isStore = one.opcode[0] === 'stmatrix';
  const [registers, row] = isStore ? one.operands.toReversed() : one.operands;
  if (!registers || row?.address === undefined || registers.vector.length !== count) return undefined;
  const address = `static_cast<std::uint32_t>((${row.address}) + ${row.offset})`;
  if (isStore)
    return `{ const std::uint32_t tw_r[] = {${registers.vector.map((name) => as('std::uint32_t', name)).join(', ')}}; simt::stmatrix(tw_r, ${count}, ${transpose}, ${address}); }`;
  return `{ std::uint32_t tw_r[${count}]; simt::ldmatrix(tw_r, ${count}, ${transpose}, ${address}); ${registers.vector.map((name, i) => put(name, `tw_r[${i}]`)).join(' ')} }`;
}

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
};
const indices: Readonly<Record<string, string>> = {
  ...{ tid: 'threadIdx', ntid: 'blockDim', ctaid: 'blockIdx', nctaid: 'gridDim' },
};

function move(one: Instruction): string | undefined {
  const [to, from] = one.operands;
  const type = typeOf(one);
  if (!to || !from || !type) return undefined;
  const special = /^%%(\w+)(?:\.([xyz]))?$/.exec(from.text);
  if (special) {
    const [, name = '', axis] = special;
    const value = axis === undefined ? specials[name] : indices[name] && `${indices[name]}.${axis}`;
    return value && put(first(one, 0), value);
  }
  if (/^%%/.test(from.text) || from.text.includes('[')) return undefined;
  if (to.vector.length === 1 && from.vector.length === 1) return put(first(one, 0), as(type, first(one, 1)));
  // Between one register and the two or four in it, the low bits first.
  return to.vector.length === 1
    ? put(first(one, 0), `${space}packed<${type}>(${from.vector.join(', ')})`)
    : `${space}unpack(${as(type, first(one, 1))}, ${to.vector.join(', ')});`;
}

function convert(one: Instruction): string | undefined {
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

function compare(one: Instruction): string | undefined {
  const operator = comparisons[one.opcode[1] ?? ''];
  const type = typeOf(one);
  if (!operator || !type || one.operands.length !== 3) return undefined;
  return `${first(one, 0)} = ${as(type, first(one, 1))} ${operator} ${as(type, first(one, 2))};`;
}

function barrier(one: Instruction): string | undefined {
  const [id = '0', threads] = one.operands.map(({ vector }) => vector[0]);
  if (one.opcode.includes('arrive')) return threads && `simt::bar_arrive(${id}, ${threads});`;
  return threads === undefined && id === '0'
    ? 'simt::sync_threads();'
    : `simt::bar_sync(${id}, ${threads ?? `${space}threads()`});`;
}

const scopes: Readonly<Record<string, string>> = {
  ...{ cta: 'block', gl: 'gpu', gpu: 'gpu', sys: 'system', cluster: 'cluster' },
};

/** Instructions by their opcode, the more special ones first. */
const instructions: readonly (readonly [RegExp, Emit])[] = [
  [/^\.reg\b/, declare],
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
