import { code, markdownTable, section } from './markdown.ts';

/** What Nsight Compute found of one launch of a kernel. Percentages are of 100, times seconds, sizes bytes. */
export interface Profile {
  readonly variant: string;
  readonly workload: string;
  /** Seconds of a launch as the toolkit itself measured it, where that is known. */
  readonly median?: number;
  readonly device: string;
  /** By the names of `figures` below; what the tool did not report is absent. */
  readonly figures: Readonly<Record<string, number>>;
  /** Cycles that a warp waits per instruction that it issues, by reason, most first. */
  readonly stalls: readonly { readonly reason: string; readonly cycles: number }[];
  /** Pipes of the tensor cores by the tool's own names, per cent. */
  readonly tensorPipes: Readonly<Record<string, number>>;
}

/** Profiles of one session, as a file. */
export interface ProfileFile {
  readonly command: string;
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly commit?: string;
  /** What `ncu --version` says. */
  readonly ncu: string;
  readonly gpu: string;
  readonly profiles: readonly Profile[];
}

interface Figure {
  readonly label: string;
  readonly unit: 'percent' | 'seconds' | 'bytes' | 'hertz' | 'count' | 'cycles';
  /** Names of the tool for it, best first: they change between its releases. */
  readonly metrics: readonly string[];
}

const elapsed = 'avg.pct_of_peak_sustained_elapsed';
const active = 'avg.pct_of_peak_sustained_active';

const figures: Readonly<Record<string, Figure>> = {
  seconds: {
    label: 'time of the launch under the profiler',
    unit: 'seconds',
    metrics: ['gpu__time_duration.sum'],
  },
  smClock: {
    label: 'SM clock',
    unit: 'hertz',
    metrics: [
      'sm__cycles_elapsed.avg.per_second',
      'gpc__cycles_elapsed.avg.per_second',
      'smsp__cycles_elapsed.avg.per_second',
    ],
  },
  smActive: { label: 'SMs that have work', unit: 'percent', metrics: [`sm__cycles_active.${elapsed}`] },
  smBusy: {
    label: 'instruction pipes (SM busy)',
    unit: 'percent',
    metrics: [`sm__instruction_throughput.${active}`],
  },
  tensor: {
    label: 'tensor pipe, of cycles',
    unit: 'percent',
    metrics: [`sm__pipe_tensor_cycles_active.${elapsed}`, `sm__pipe_tensor_cycles_active.${active}`],
  },
  issue: {
    label: 'issue slots',
    unit: 'percent',
    metrics: [`sm__inst_issued.${active}`, `sm__issue_active.${active}`],
  },
  l1: { label: 'L1 and shared memory', unit: 'percent', metrics: [`l1tex__throughput.${active}`] },
  l2: { label: 'L2', unit: 'percent', metrics: [`lts__throughput.${elapsed}`, `lts__t_sectors.${elapsed}`] },
  l2Hit: { label: 'L2 hits', unit: 'percent', metrics: ['lts__t_sector_hit_rate.pct'] },
  l2Bytes: { label: 'bytes through L2', unit: 'bytes', metrics: ['lts__t_bytes.sum'] },
  l2ToSm: {
    label: 'bytes from L2 into the SMs',
    unit: 'bytes',
    metrics: ['l1tex__m_xbar2l1tex_read_bytes.sum'],
  },
  dram: {
    label: 'DRAM',
    unit: 'percent',
    metrics: [`dram__throughput.${elapsed}`, `gpu__dram_throughput.${elapsed}`],
  },
  dramRead: { label: 'bytes read from DRAM', unit: 'bytes', metrics: ['dram__bytes_read.sum'] },
  dramWritten: { label: 'bytes written to DRAM', unit: 'bytes', metrics: ['dram__bytes_write.sum'] },
  occupancy: { label: 'resident warps', unit: 'percent', metrics: [`sm__warps_active.${active}`] },
  registers: { label: 'registers per thread', unit: 'count', metrics: ['launch__registers_per_thread'] },
  sharedBytes: {
    label: 'shared memory of a block',
    unit: 'bytes',
    metrics: ['launch__shared_mem_per_block', 'launch__shared_mem_per_block_dynamic'],
  },
  grid: { label: 'thread blocks', unit: 'count', metrics: ['launch__grid_size'] },
  threads: { label: 'threads of a block', unit: 'count', metrics: ['launch__block_size'] },
  instructions: {
    label: 'instructions issued',
    unit: 'count',
    metrics: ['smsp__inst_executed.sum', 'sm__inst_executed.sum'],
  },
};

/** Every metric that a page can use: asked for by name, beside the tool's own sections. */
export const ncuMetrics: readonly string[] = Object.values(figures).flatMap(({ metrics }) => metrics);

const stallPatterns = [
  /^smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio$/,
  /^smsp__average_warp_latency_issue_stalled_(\w+)\.ratio$/,
];
const tensorPattern =
  /^sm__(?:pipe_tensor|inst_executed_pipe_tensor)\w*\.avg\.pct_of_peak_sustained_(?:active|elapsed)$/;

/** One launch as `ncu --csv --page raw` prints it: values by metric, in seconds, bytes, hertz and per cent. */
export interface RawLaunch {
  readonly kernel: string;
  readonly device: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Units of the tool as ours; whatever else it writes (cycles, warps, instructions) counts one. */
const scales: readonly (readonly [RegExp, number])[] = [
  [/^(ns|nsecond|nanosecond)s?$/i, 1e-9],
  [/^(us|usecond|microsecond)s?$/i, 1e-6],
  [/^(ms|msecond|millisecond)s?$/i, 1e-3],
  [/^(k|kilo)(byte|hz)/i, 1e3],
  [/^(m|mega)(byte|hz)/i, 1e6],
  [/^(g|giga)(byte|hz)/i, 1e9],
  [/^(t|tera)(byte|hz)/i, 1e12],
  [/^cycle\/n(s|second)$/i, 1e9],
  [/^cycle\/u(s|second)$/i, 1e6],
];

/** Reads `ncu --csv --page raw`: a line of names, a line of units, then one line per launch. Throws where it is none. */
export function readNcuCsv(text: string): RawLaunch[] {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('"'));
  const [names = [], units = [], ...rows] = lines.map(csvCells);
  if (!names.includes('Kernel Name')) {
    throw new Error(
      `this is no output of \`ncu --csv --page raw\`: ${text.trim().slice(0, 200) || '(empty)'}`,
    );
  }
  return rows.map((row) => {
    const values: Record<string, number> = {};
    for (const [index, name] of names.entries()) {
      const value = numberOf(row[index] ?? '');
      if (value !== undefined && name.includes('__')) values[name] = value * scaleOf(units[index] ?? '');
    }
    const cell = (name: string) => row[names.indexOf(name)] ?? '';
    return { kernel: cell('Kernel Name'), device: cell('Device'), values };
  });
}

function csvCells(line: string): string[] {
  return [...line.matchAll(/"((?:[^"]|"")*)"/g)].map((match) => (match[1] ?? '').replaceAll('""', '"'));
}

/** `1,234.5`; undefined for texts, for `n/a` and for what the tool could not count (`nan`). */
function numberOf(cell: string): number | undefined {
  const text = cell.replaceAll(',', '');
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? undefined : value;
}

function scaleOf(unit: string): number {
  return scales.find(([pattern]) => pattern.test(unit))?.[1] ?? 1;
}

/** What a page shows of a launch. */
export function profileOf(
  { values }: RawLaunch,
  subject: Pick<Profile, 'variant' | 'workload' | 'median' | 'device'>,
): Profile {
  const found = Object.entries(figures).flatMap(([name, { metrics }]) => {
    const metric = metrics.find((one) => values[one] !== undefined);
    return metric === undefined ? [] : [[name, rounded(values[metric] ?? 0)] as const];
  });
  const tensorPipes = Object.entries(values)
    .filter(([name]) => tensorPattern.test(name))
    .map(([name, value]) => [name, rounded(value)]);
  return {
    ...subject,
    figures: Object.fromEntries(found),
    stalls: stallsOf(values),
    tensorPipes: Object.fromEntries(tensorPipes),
  };
}

function stallsOf(values: RawLaunch['values']): Profile['stalls'] {
  for (const pattern of stallPatterns) {
    const found = Object.entries(values).flatMap(([name, value]) => {
      const reason = pattern.exec(name)?.[1];
      return reason === undefined || reason.endsWith('_not_issued')
        ? []
        : [{ reason, cycles: rounded(value) }];
    });
    if (found.length > 0) return found.filter(({ cycles }) => cycles > 0).sort((a, b) => b.cycles - a.cycles);
  }
  return [];
}

function rounded(value: number): number {
  return Number(value.toPrecision(5));
}

/** A page on the profiles of one workload. */
export function profilePage(file: ProfileFile, workload: string): string {
  const profiles = file.profiles.filter((profile) => profile.workload === workload);
  const { commit, gpu, ncu, date, command } = file;
  const origin = `Nsight Compute (${ncu}) on ${gpu}, ${date.slice(0, 10)}${commit ? `, commit ${code(commit)}` : ''}.`;
  const lines = [
    `# Profile: ${workload}`,
    '',
    `${origin} Written by ${code('bench/ncu.ts')}; do not edit.`,
    `Command: ${code(command)}.`,
    'Clocks as they are, caches as the pass before left them. One launch, replayed until every counter was read.',
    '',
    ...profiles.flatMap(profileSection),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Units with a peak of their own, by which to tell what is nearest to its limit. */
const units = ['tensor', 'l2', 'dram', 'l1', 'issue'] as const;

function profileSection(profile: Profile): string[] {
  const rows = Object.entries(figures).flatMap(([name, { label, unit }]) => {
    const value = profile.figures[name];
    return value === undefined ? [] : [[label, shown(value, unit)]];
  });
  const median =
    profile.median === undefined ? [] : [['time in a CUDA graph', shown(profile.median, 'seconds')]];
  const stalls = profile.stalls.slice(0, 6).map(({ reason, cycles }) => [code(reason), cycles.toFixed(2)]);
  const pipes = Object.entries(profile.tensorPipes).map(([name, value]) => [
    code(name),
    shown(value, 'percent'),
  ]);
  return [
    ...section(
      `## ${code(profile.variant)}`,
      [boundBy(profile)],
      markdownTable(['figure', ''], [...median, ...rows]),
    ),
    ...section('### Why warps wait', markdownTable(['reason', 'cycles per instruction issued'], stalls)),
    ...section('### Tensor cores, by the tool’s own names', markdownTable(['metric', ''], pipes)),
  ];
}

/** In words: the units by how near they are to their peak, and what warps wait for. */
function boundBy({ figures: values, stalls }: Profile): string {
  const ranked = units
    .flatMap((name) => (values[name] === undefined ? [] : [{ name, share: values[name] }]))
    .sort((a, b) => b.share - a.share)
    .map(({ name, share }) => `${figures[name]?.label} ${share.toFixed(0)} %`);
  const waits = stalls.slice(0, 3).map(({ reason }) => code(reason));
  const traffic = trafficOf(values);
  return [
    ranked.length > 0 ? `Shares of each unit's peak, highest first: ${ranked.join(', ')}.` : '',
    traffic,
    waits.length > 0 ? `Warps wait most for ${waits.join(', ')}.` : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function trafficOf({ seconds, l2ToSm, dramRead, dramWritten }: Profile['figures']): string {
  if (seconds === undefined || seconds <= 0) return '';
  const rate = (bytes: number) => `${(bytes / seconds / 1e12).toFixed(2)} TB/s`;
  const parts = [
    ...(l2ToSm === undefined ? [] : [`${rate(l2ToSm)} from L2 into the SMs`]),
    ...(dramRead === undefined ? [] : [`${rate(dramRead + (dramWritten ?? 0))} of DRAM`]),
  ];
  return parts.length > 0 ? `Traffic: ${parts.join(', ')}.` : '';
}

function shown(value: number, unit: Figure['unit']): string {
  switch (unit) {
    case 'percent':
      return `${value.toFixed(1)} %`;
    case 'seconds':
      return `${(value * 1e6).toFixed(1)} us`;
    case 'hertz':
      return `${(value / 1e6).toFixed(0)} MHz`;
    case 'bytes':
      return value < 1e6 ? `${value.toLocaleString('en-US')} B` : `${(value / 1e6).toFixed(1)} MB`;
    default:
      return value.toLocaleString('en-US');
  }
}
