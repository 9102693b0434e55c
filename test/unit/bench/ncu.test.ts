import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { profilePage } from '../../../bench/ncu/page.ts';
import { ncuMetrics, profileFileSchema } from '../../../bench/ncu/profile.ts';
import { profileOf, readNcuCsv } from '../../../bench/ncu/read.ts';
import { packageRoot } from '../../../src/util/package-root.ts';

const names = [
  'ID',
  'Kernel Name',
  'Device',
  'gpu__time_duration.sum',
  'l1tex__m_xbar2l1tex_read_bytes.sum',
  'dram__bytes_read.sum',
  'lts__t_sector_hit_rate.pct',
  'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active',
  'sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active',
  'smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio',
  'smsp__average_warps_issue_stalled_long_scoreboard_not_issued_per_issue_active.ratio',
  'smsp__average_warps_issue_stalled_wait_per_issue_active.ratio',
  'launch__grid_size',
  'device__attribute_display_name',
];
const units = ['', '', '', 'ns', 'Mbyte', 'byte', '%', '%', '%', 'inst', 'inst', 'inst', '', ''];
const row = [
  '0',
  'k',
  '0',
  '206,848',
  '1,024.5',
  '1,000',
  'n/a',
  '60',
  '61.25',
  '0.5',
  '9',
  '2',
  '132',
  'H200',
];
const csv = (...lines: readonly (readonly string[])[]) =>
  ['==PROF== Connected to process 1', ...lines.map((cells) => cells.map((one) => `"${one}"`).join(','))].join(
    '\n',
  );
const text = csv(names, units, row);

describe('readNcuCsv', () => {
  it('brings values to base units and leaves out what the tool could not count', () => {
    const [launch] = readNcuCsv(text);
    expect(launch?.kernel).toBe('k');
    expect(launch?.values['gpu__time_duration.sum']).toBeCloseTo(206.848e-6, 12);
    expect(launch?.values['l1tex__m_xbar2l1tex_read_bytes.sum']).toBe(1024.5e6);
    expect(launch?.values).not.toHaveProperty('lts__t_sector_hit_rate.pct');
    expect(launch?.values).not.toHaveProperty('device__attribute_display_name');
  });

  it('says what it got where it is no such output', () => {
    expect(() => readNcuCsv('==ERROR== ERR_NVGPUCTRPERM')).toThrow(/ERR_NVGPUCTRPERM/);
    expect(() => readNcuCsv('')).toThrow(/empty/);
  });

  it('gives no launch where none matched', () => {
    expect(readNcuCsv(csv(names, units))).toEqual([]);
  });
});

describe('a profile', () => {
  const [launch = { kernel: '', device: '', values: {} }] = readNcuCsv(text);
  const subject = { variant: 'family.v', workload: 'square', device: '0' };
  const profile = profileOf(launch, subject);

  it('takes the first metric that is there, every tensor pipe, and stalls without those of warps that could issue', () => {
    expect(profile.figures.tensor).toBe(60);
    expect(profile.figures).not.toHaveProperty('l2Hit');
    expect(Object.values(profile.tensorPipes)).toEqual([60, 61.25]);
    expect(profile.stalls).toEqual([
      { reason: 'wait', cycles: 2 },
      { reason: 'long_scoreboard', cycles: 0.5 },
    ]);
  });

  it('becomes a page that says what is nearest to its peak', () => {
    const file = {
      ...{ command: 'bench/ncu.ts', date: '2026-01-02T00:00:00Z', ncu: '2025.3', gpu: 'H200' },
      profiles: [profile, { ...profile, workload: 'other', variant: 'family.w' }],
    };
    const page = profilePage(file, 'square');
    expect(page).toContain('highest first: tensor pipe, of cycles 60 %');
    expect(page).toContain('4.95 TB/s from L2 into the SMs');
    expect(page).toContain('Warps wait most for `wait`, `long_scoreboard`.');
    expect(page).not.toContain('family.w');
  });

  it('is kept with the page that was written of it', () => {
    const read = (name: string) => readFileSync(join(packageRoot, 'docs/results', name), 'utf8');
    const file = profileFileSchema.parse(JSON.parse(read('ncu-h200.json')));
    expect(file.profiles.length).toBeGreaterThan(0);
    for (const { workload } of file.profiles)
      expect(profilePage(file, workload)).toBe(read(`ncu-${workload}.md`));
  });

  it('asks for metrics by names that ncu takes', () => {
    expect(ncuMetrics.every((name) => /^[a-z0-9]+__[a-z0-9_]+(\.[a-z_]+)*$/.test(name))).toBe(true);
  });
});
