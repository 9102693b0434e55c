import { figures, type Profile } from './profile.ts';

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

/** Profile of a launch, as a page shows it. */
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
