import { code, markdownTable, section } from '../../src/report/markdown.ts';
import { type Figure, figures, type Profile, type ProfileFile } from './profile.ts';

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
