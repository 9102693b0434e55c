import {
  as,
  first,
  type Instruction,
  type Operand,
  pointer,
  put,
  space,
  type Translation,
} from './instruction.ts';

/** mbarriers, bulk copies and wgmma, as kit/device/tw/ptx.cuh has them. */

const shared = (operand: Operand | undefined) =>
  operand?.address && `static_cast<std::uint32_t>((${operand.address}) + ${operand.offset})`;

/** A call with the mbarrier in brackets, and what stands behind it. */
function onBarrier(name: string, place: number, least = '') {
  return (one: Instruction): string | undefined => {
    const address = shared(one.operands[place]);
    const value = one.operands[place + 1] ? first(one, place + 1) : least;
    return address && `simt::${name}(${[address, value].filter(Boolean).join(', ')});`;
  };
}

/** The scope of an mbarrier operation: the thread block's unless it says `.cluster`. */
const scopeOf = (one: Instruction) =>
  one.opcode.includes('.cluster.') ? 'simt::Scope::cluster' : 'simt::Scope::block';

/** An arrival at the scope of the cluster, or at the barrier of another block. */
function arriveInCluster(name: string, one: Instruction): string | undefined {
  const address = shared(one.operands[1]);
  const count = one.operands[2] ? first(one, 2) : '1';
  return address && name === 'mbarrier_arrive'
    ? `simt::${name}(${address}, ${count}, ${scopeOf(one)});`
    : undefined;
}

/** `mbarrier.arrive state, [barrier]`: the state stands for the phase. */
function arrive(name: string): Translation {
  return (one, match) => {
    const call = one.opcode.includes('cluster') ? arriveInCluster(name, one) : onBarrier(name, 1)(one);
    const [state, barrier] = one.operands;
    if (!call || state?.text === '_' || !match) return call;
    return `${put(first(one, 0), `std::uint64_t{simt::mbarrier_parity(${shared(barrier)})}`)} ${call}`;
  };
}

function tryWait(one: Instruction): string | undefined {
  const address = shared(one.operands[1]);
  return (
    address &&
    `${first(one, 0)} = simt::mbarrier_try_wait(${address}, static_cast<std::uint32_t>(${first(one, 2)}) & 1, ${scopeOf(one)});`
  );
}

function bulkLoad(one: Instruction): string | undefined {
  const [to, from, , barrier] = one.operands;
  const source = pointer(from);
  const address = shared(barrier);
  const destination = shared(to);
  return (
    destination &&
    source &&
    address &&
    `simt::bulk_load(${destination}, ${source}, ${first(one, 2)}, ${address}, 0);`
  );
}

/** C++ of the map and the coordinates in `[%1, {%2, %3}]`. */
function boxOf(operand: Operand | undefined, rank: string | undefined) {
  const { address, coordinates = [] } = operand ?? {};
  if (address === undefined || coordinates.length !== Number(rank)) return undefined;
  const at = `const int tw_at[] = {${coordinates.map((one) => `static_cast<int>(${one})`).join(', ')}};`;
  return { at, map: `reinterpret_cast<const CUtensorMap*>(${space}pointer(${address}, 0))` };
}

/** A tensor copy to shared memory, to that of several blocks where a mask follows. */
function tensorLoad(
  { operands: [to, from, barrier, mask] }: Instruction,
  match: RegExpExecArray,
): string | undefined {
  const [, rank, multicast] = match;
  const box = boxOf(from, rank);
  const [destination, address] = [shared(to), shared(barrier)];
  if (!box || !destination || !address || (multicast && !mask)) return undefined;
  const blocks = multicast ? `static_cast<std::uint16_t>(${mask?.vector[0]})` : '0';
  return `{ ${box.at} simt::tensor_load(${destination}, ${box.map}, tw_at, ${address}, ${blocks}); }`;
}

function tensorStore({ operands: [to, from] }: Instruction, match: RegExpExecArray): string | undefined {
  const box = boxOf(to, match[1]);
  const source = shared(from);
  return (
    box && source && `{ ${box.at} simt::tensor_store(${box.map}, ${source}, tw_at, simt::BulkReduce::none); }`
  );
}

function bulkStore(one: Instruction): string | undefined {
  const [to, from] = one.operands;
  const destination = pointer(to);
  const source = shared(from);
  return destination && source && `simt::bulk_store(${destination}, ${source}, ${first(one, 2)});`;
}

/** wgmma.mma_async: accumulators, A as descriptor or four registers, B's descriptor, whether to add, signs, majors. */
function multiply(one: Instruction, match: RegExpExecArray): string | undefined {
  const [d, a, b] = one.operands;
  const [, columns = '', type = ''] = match;
  if (!d || !a || !b || d.vector.length !== Number(columns) / 2) return undefined;
  const inRegisters = a.vector.length === 4;
  const [adds = '1', signA = '1', signB = '1', ...majors] = one.operands
    .slice(3)
    .map(({ vector }) => vector[0] ?? '');
  const [majorA = '0', majorB = '0'] = inRegisters ? ['0', majors[0] ?? '0'] : majors;
  const array = (kind: string, names: readonly string[]) =>
    `${space}array_of<${kind}>({${names.map((name) => `&(${name})`).join(', ')}})`;
  const shape = `{${columns}, simt::MmaType::${type}, (${majorA}) != 0, (${majorB}) != 0}`;
  const left = inRegisters
    ? `${array('std::uint32_t', a.vector)}, 0`
    : `nullptr, ${as('std::uint64_t', first(one, 1))}`;
  return `simt::wgmma(${array('float', d.vector)}, ${shape}, ${left}, ${as('std::uint64_t', first(one, 2))}, (${adds}) != 0, ${signA}, ${signB});`;
}

/** `elect.sync _|p, mask`. */
function elect(one: Instruction): string | undefined {
  const [, predicate] = one.operands[0]?.text.split('|') ?? [];
  return predicate && /^\w+$/.test(predicate)
    ? `tw_reg_${predicate} = simt::elect_one(${first(one, 1)});`
    : undefined;
}

/** `mapa`: of an address within shared memory, or of a generic one. */
function mapAddress(one: Instruction, match: RegExpExecArray): string | undefined {
  const [to, from, rank] = [0, 1, 2].map((i) => first(one, i));
  const inWindow = match[1] !== undefined;
  return put(
    to ?? '',
    inWindow
      ? `simt::map_shared_rank(static_cast<std::uint32_t>(${from}), static_cast<std::uint32_t>(${rank}))`
      : `reinterpret_cast<std::uint64_t>(simt::map_shared_pointer(${space}pointer(${from}, 0), static_cast<std::uint32_t>(${rank})))`,
  );
}

const scope =
  '(?:\\.(?:release|acquire|relaxed))?(?:\\.(?:cta|cluster))?(?:\\.shared(?:::cta|::cluster)?)?\\.b64$';
const mbarrier = (text: string) => new RegExp(`^mbarrier\\.${text}${scope}`);

export const hopper: readonly (readonly [RegExp, Translation])[] = [
  [mbarrier('init'), onBarrier('mbarrier_init', 0)],
  [mbarrier('inval'), onBarrier('mbarrier_inval', 0)],
  [mbarrier('arrive'), arrive('mbarrier_arrive')],
  [mbarrier('arrive\\.expect_tx'), arrive('mbarrier_arrive_expect_tx')],
  [mbarrier('expect_tx'), onBarrier('mbarrier_expect_tx', 0)],
  [mbarrier('(?:try|test)_wait(?:\\.parity)?'), tryWait],
  [
    /^cp\.async\.mbarrier\.arrive(\.noinc)?(?:\.shared(?:::cta)?)?\.b64$/,
    (one, m) => onBarrier('cp_async_mbarrier_arrive', 0, String(m[1] !== undefined))(one),
  ],
  [/^fence\.proxy\.async(?:\.(?:shared::cta|shared::cluster|global))?$/, () => 'simt::fence_proxy_async();'],
  [/^fence\.mbarrier_init\.release\.cluster$/, () => 'simt::fence_mbarrier_init();'],
  [
    /^cp\.async\.bulk\.shared::(?:cluster|cta)\.global\.mbarrier::complete_tx::bytes(?:\.L2::cache_hint)?$/,
    bulkLoad,
  ],
  [/^cp\.async\.bulk\.global\.shared::cta\.bulk_group(?:\.L2::cache_hint)?$/, bulkStore],
  [
    /^cp\.async\.bulk\.tensor\.([1-5])d\.shared::(?:cluster|cta)\.global(?:\.tile)?\.mbarrier::complete_tx::bytes(\.multicast::cluster)?(?:\.L2::cache_hint)?$/,
    tensorLoad,
  ],
  [
    /^cp\.async\.bulk\.tensor\.([1-5])d\.global\.shared::cta(?:\.tile)?\.bulk_group(?:\.L2::cache_hint)?$/,
    tensorStore,
  ],
  [
    /^prefetch\.tensormap$/,
    ({ operands: [map] }) =>
      pointer(map) && `simt::tensor_prefetch(reinterpret_cast<const CUtensorMap*>(${pointer(map)}));`,
  ],
  [/^cp\.async\.bulk\.commit_group$/, () => 'simt::bulk_commit();'],
  [
    /^cp\.async\.bulk\.wait_group(\.read)?$/,
    (one, m) => `simt::bulk_wait(${first(one, 0)}, ${m[1] !== undefined});`,
  ],
  [/^wgmma\.fence\.sync\.aligned$/, () => 'simt::wgmma_fence();'],
  [/^wgmma\.commit_group\.sync\.aligned$/, () => 'simt::wgmma_commit();'],
  [/^wgmma\.wait_group\.sync\.aligned$/, (one) => `simt::wgmma_wait(${first(one, 0)});`],
  [/^wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k16\.f32\.(f16|bf16)\.\2$/, multiply],
  [
    /^setmaxnreg\.(inc|dec)\.sync\.aligned\.u32$/,
    (one, m) => `simt::setmaxnreg(${first(one, 0)}, ${m[1] === 'inc'});`,
  ],
  [/^elect\.sync$/, elect],
  [/^mapa(\.shared::cluster)?\.u(?:32|64)$/, mapAddress],
  [
    /^getctarank\.u(?:32|64)$/,
    (one) => put(first(one, 0), `simt::shared_rank(${space}pointer(${first(one, 1)}, 0))`),
  ],
  [
    /^barrier\.cluster\.arrive(\.release|\.relaxed)?(\.aligned)?$/,
    (_, m) => `simt::cluster_arrive(${m[1] !== '.relaxed'}, ${m[2] !== undefined});`,
  ],
  [/^barrier\.cluster\.wait(?:\.acquire)?(?:\.aligned)?$/, () => 'simt::cluster_wait();'],
  [/^griddepcontrol\.wait$/, () => 'simt::griddep_wait();'],
];
