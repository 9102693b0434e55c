import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Event, JournalRecord, Summary } from '../../../src/model/event.ts';
import type { Measurement } from '../../../src/model/measurement.ts';
import { finalReport } from '../../../src/report/final.ts';
import {
  bandwidth,
  brief,
  duration,
  fold,
  kernelTime,
  plural,
  shortPath,
  together,
} from '../../../src/report/format.ts';
import { Progress } from '../../../src/report/progress.ts';
import { paintFor, visibleLength, widthOf } from '../../../src/report/style.ts';
import { cutEnd, cutMiddle, table } from '../../../src/report/table.ts';
import { grouped } from '../../../src/util/grouped.ts';

class Screen {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number;
  constructor(isTTY: boolean, columns = 80) {
    this.isTTY = isTTY;
    this.columns = columns;
  }
  write(text: string): void {
    this.text += text;
  }
}

test.each([
  [0.0421, '42 ms'],
  [12.34, '12.3 s'],
  [250, '4 min 10 s'],
  [7300, '2 h 1 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test('figures as people read them', () => {
  expect(kernelTime(152.13e-6)).toBe('152.1 us');
  expect(kernelTime(1.2744e-3)).toBe('1.274 ms');
  expect(bandwidth(11.2e6, 8.8e-6)).toBe('1273');
  expect(plural(1, 'variant')).toBe('1 variant');
  expect(plural(2000, 'variant')).toBe('2,000 variants');
  expect(grouped(1048576)).toBe('1,048,576');
  expect(shortPath('/a/b/c', '/a')).toBe('b/c');
  expect(shortPath('/ab/c', '/a')).toBe('/ab/c');
  expect(brief('race at x.t64.cu:17 and x.t64.cu', 'x.t64')).toBe('race at line 17 and the source');
});

test('a line is broken between words, and not within what belongs together', () => {
  expect(fold('    a message of many words', 14, 4)).toBe('    a message\n    of many\n    words');
  expect(fold(`time  8 s (${together('gate 4.6 s')}, ${together('emit 2.2 s')})`, 24, 6)).toBe(
    'time  8 s (gate 4.6 s,\n      emit 2.2 s)',
  );
  expect(fold('unbreakable', 4)).toBe('unbreakable');
});

describe('colour', () => {
  test.each([
    ['on a terminal', true, {}, true],
    ['not into a pipe', false, {}, false],
    ['not with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['not on a dumb terminal', true, { TERM: 'dumb' }, false],
    ['into a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['not with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
  ])('%s', (_, isTTY, environment, coloured) => {
    const text = paintFor(new Screen(isTTY), environment)('bad', 'x');
    expect(text !== 'x').toBe(coloured);
    expect(visibleLength(text)).toBe(1);
  });

  test('width is bounded', () => {
    expect([20, 80, 300].map((columns) => widthOf(new Screen(true, columns)))).toEqual([40, 80, 120]);
  });
});

describe('table', () => {
  const columns = [
    { title: 'name' },
    { title: 'figure', align: 'right' },
    { title: 'extra', align: 'right', optional: 1 },
  ] as const;
  const rows = [
    ['short', '1.0', 'a'],
    ['rather.long.name', '10.5', 'b'],
  ];

  test('aligns what fits', () => {
    expect(table(columns, rows, 80)).toEqual([
      'name              figure  extra',
      '----------------  ------  -----',
      'short                1.0      a',
      'rather.long.name    10.5      b',
    ]);
  });

  test('gives up what is optional', () => {
    expect(table(columns, rows, 26)).toEqual([
      'name              figure',
      '----------------  ------',
      'short                1.0',
      'rather.long.name    10.5',
    ]);
  });

  test('takes two lines a row rather than cut a name', () => {
    const lines = table(columns, rows, 20);
    expect(lines).toContain('rather.long.name');
    expect(lines.every((line) => line.length <= 20)).toBe(true);
  });

  test('colours take no room', () => {
    const paint = paintFor(new Screen(true), {});
    const [, , first = ''] = table(columns, [[paint('good', 'short'), '1.0', 'a']], 80);
    expect(visibleLength(first)).toBe('short     1.0      a'.length);
  });

  test('cutEnd says when something is missing', () => {
    expect(cutEnd('25672 bytes of registers', 10)).toBe('25672 byt…');
    expect(cutEnd('short', 10)).toBe('short');
  });

  test('cutMiddle keeps both ends', () => {
    expect(cutMiddle('bsr_spmm.mma.b64.tn128', 14)).toBe('bsr_…b64.tn128');
    expect(cutMiddle('short', 14)).toBe('short');
  });
});

const verdict = (variant: string, over: object = {}): Event & JournalRecord => ({
  event: 'verdict',
  variant,
  device: 'emulated',
  verdict: 'passed',
  evidence: { message: 'passed', maxErrorOverBound: 0.25, cases: 11, seconds: 0.2 },
  parameters: {},
  ...over,
});
const wrong = verdict('scale.t128', {
  verdict: 'wrong',
  evidence: { message: '1 of 1000 elements fail', reproduce: 'npx validate scale scale.t128 --seed 2' },
});

describe('progress', () => {
  // The terminal of a person, wherever this runs.
  beforeEach(() => {
    vi.stubEnv('CI', undefined);
    vi.stubEnv('TERM', 'xterm');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const play = (screen: Screen, events: readonly Event[], gates = true) => {
    let now = 0;
    const progress = new Progress(screen, gates, () => (now += 1000));
    for (const event of events) progress.handle(event);
    return screen.text;
  };
  const events: readonly Event[] = [
    { event: 'start', run: '/r/scale-1', family: 'scale', arch: 'sm_90a', resumed: false },
    { event: 'space', points: 36, legal: 4, variants: 4, rejected: {} },
    { event: 'note', message: `not timing: ${'this machine has no NVIDIA GPU '.repeat(3)}` },
    verdict('scale.t64'),
    wrong,
    verdict('scale.t256'),
  ];

  test('is one rewritten line on a terminal, with rate and time left', () => {
    const text = play(new Screen(true), events);
    expect(text).toContain('\r\u001b[K');
    expect(text).toMatch(/judged 3\/4 {2}failed 1 {2}\d\.\d\/s, .* left/);
    const visible = text.replaceAll('\r\u001b[K', '\n').split('\n').map(visibleLength);
    expect(Math.max(...visible)).toBeLessThanOrEqual(80);
  });

  test('begins with the run and what of the space it looks at', () => {
    const start = { event: 'start', run: '/r/scale-1', family: 'scale', arch: 'sm_90a' } as const;
    const said = (more: object) => play(new Screen(false), [{ ...start, resumed: false, ...more }]);
    expect(said({ preset: 'shipped' })).toBe('run /r/scale-1: preset shipped\n');
    expect(said({ preset: 'full', where: 'threads == 64', resumed: true })).toBe(
      'resuming /r/scale-1: preset full and threads == 64\n',
    );
  });

  test('tells no rate of a gate that is done, however long the rest takes', () => {
    const last = { event: 'note', passing: true, message: 'library: 4/9 built' } as const;
    const text = play(new Screen(true), [...events, verdict('scale.t512'), last]);
    expect(text.split('\r\u001b[K').at(-1)).toBe(
      'compiled 0/4  judged 4/4  failed 1\u001b[2m  library: 4/9 built\u001b[22m',
    );
  });

  test('counts a variant once, whatever each device says of it', () => {
    const later = [
      verdict('scale.t64', { device: 'cuda', verdict: 'wrong', evidence: { message: 'no' } }),
      verdict('scale.t256', { device: 'cuda' }),
    ];
    expect(play(new Screen(true), [...events, ...later])).toMatch(/judged 3\/4 {2}failed 2 .* left[^\r]*$/);
  });

  test('times a variant once, on however many workloads', () => {
    const measured = (workload: string, l2: 'hot' | 'cold'): Event => ({
      ...{ event: 'measurement', subject: 'scale.t64', kind: 'variant', workload, l2 },
      ...{ samples: [1], median: 1, mad: 0, flops: 1, bytes: 1, tflops: 1 },
    });
    const times = [measured('a', 'hot'), measured('a', 'cold'), measured('b', 'hot')];
    expect(play(new Screen(true), [...events, ...times])).toMatch(/failed 1 {2}timed 1 [^\r]*$/);
  });

  test('tells neither rate nor time left of a run that does not gate', () => {
    const text = play(new Screen(true), events, false);
    expect(text).toContain('compiled 0/4  failed 1');
    expect(text).not.toMatch(/judged|left/);
  });

  test('says on the same line how far a long job is; elsewhere not each time', () => {
    const job: readonly Event[] = [7, 8, 9].map((files) => ({
      ...{ event: 'note', passing: true },
      message: `runner: ${files} of 42 parts built`,
    }));
    const space = { event: 'space', points: 9, legal: 4, variants: 4, rejected: {} } as const;
    const lines = play(new Screen(true), [space, ...job])
      .split('\r\u001b[K')
      .slice(1);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain('failed 0\u001b[2m  runner: 9 of 42 parts built');
    expect(play(new Screen(true), job)).not.toContain('\n');
    expect(play(new Screen(false), [space, ...job]).split('\n')[1]).toBe(
      'compiled 0/4  judged 0/4  failed 0  runner: 7 of 42 parts built',
    );
    expect(play(new Screen(false), job)).toBe('runner: 7 of 42 parts built\n');
  });

  test('is a few plain lines elsewhere, failures always', () => {
    const text = play(new Screen(false), events);
    expect(text).not.toContain('\u001b');
    expect(text.split('\n')).toEqual([
      'run /r/scale-1',
      '36 points, 4 selected and legal, 4 variants to evaluate',
      `not timing: ${'this machine has no NVIDIA GPU '.repeat(3)}`,
      'compiled 0/4  judged 1/4  failed 0',
      'wrong     scale.t128 (emulated): 1 of 1000 elements fail',
      '',
    ]);
  });
});

describe('final report', () => {
  const summary: Summary = {
    event: 'summary',
    funnel: { points: 36, legal: 2, rendered: 2, compiled: 2, passed: 1, timed: 0 },
    verdicts: { passed: 1, wrong: 1 },
    cache: { hits: 4, compiled: 0 },
    seconds: { compile: 0.1, gate: 0.4, total: 1.5 },
    run: '/r/scale-1',
    library: '/r/library',
    untimed: 'this machine has no NVIDIA GPU',
  };
  const records = [verdict('scale.t64'), wrong];

  test('without times says why, the failures with a command, the funnel, the cache and where things lie', () => {
    expect(finalReport({ summary, records }, new Screen(false))).toMatchInlineSnapshot(`
      "passed variant  error/bound  cases  regs    gate
      --------------  -----------  -----  ----  ------
      scale.t64             0.250     11     -  200 ms
      No times: this machine has no NVIDIA GPU.

      wrong: 1 variant
        scale.t128 (emulated)
          1 of 1000 elements fail
          $ npx validate scale scale.t128 --seed 2

      funnel   36 points -> 2 selected and legal -> 2 rendered -> 2 compiled -> 1 passed -> 0 timed
      verdict  1 passed, 1 wrong
      cache    compiled nothing: 4 artifacts from the cache
      time     1.5 s (compile 100 ms, gate 400 ms)

      run      /r/scale-1
      library  /r/library
      "
    `);
  });

  test('breaks long lines of a terminal between words, and leaves them whole for programs', () => {
    const long: Summary = {
      ...summary,
      funnel: { points: 1, legal: 1326, rendered: 1326, compiled: 1326, passed: 1326, timed: 1326 },
      seconds: { devices: 7.4, render: 0.663, compile: 89, gate: 89, time: 233, emit: 0.507, total: 331 },
    };
    const lines = (screen: Screen) => finalReport({ summary: long, records: [] }, screen).split('\n');
    vi.stubEnv('NO_COLOR', '1');
    const seen = lines(new Screen(true));
    vi.unstubAllEnvs();
    expect(Math.max(...seen.map(visibleLength))).toBeLessThanOrEqual(80);
    expect(seen.slice(0, 2)).toEqual([
      'funnel   1 point -> 1,326 selected and legal -> 1,326 rendered -> 1,326 compiled',
      '         -> 1,326 passed -> 1,326 timed',
    ]);
    expect(lines(new Screen(false))).toContain(
      'funnel   1 point -> 1,326 selected and legal -> 1,326 rendered -> 1,326 compiled -> 1,326 passed -> 1,326 timed',
    );
  });

  test('with times ranks variants against the best baseline', () => {
    const measured = (
      subject: string,
      kind: Measurement['kind'],
      median: number,
      l2: Measurement['l2'] = 'hot',
    ) =>
      ({
        event: 'measurement',
        subject,
        kind,
        workload: '4096/bs64',
        l2,
        samples: [median] as number[],
        median,
        mad: 1e-6,
        flops: 1e9,
        bytes: 1e6,
        tflops: 1e9 / median / 1e12,
      }) as const;
    const timed: JournalRecord[] = [
      ...records,
      measured('scale.t64', 'variant', 100e-6),
      measured('scale.t64', 'variant', 120e-6, 'cold'),
      measured('cusparse-bsr', 'baseline', 1.5e-3),
      measured('blocked-ell', 'baseline', 150e-6),
    ];
    const { untimed: _, ...rest } = summary;
    const outcome = { summary: { ...rest, funnel: { ...summary.funnel, timed: 1 } }, records: timed };
    const text = finalReport(outcome, new Screen(false, 100));
    const narrow = finalReport(outcome, new Screen(true, 56)).split('\n');
    expect(narrow[0]).not.toContain('GB/s');
    expect(narrow.find((line) => line.includes('cusparse-bsr'))).toContain('baseline');
    expect(text.split('\n').slice(0, 5)).toMatchInlineSnapshot(`
      [
        "4096/bs64       hot L2    +-   cold L2  TFLOPS  GB/s  vs blocked-ell",
        "------------  --------  ----  --------  ------  ----  --------------  --------",
        "scale.t64     100.0 us  1.0%  120.0 us    10.0    10           1.50x",
        "blocked-ell   150.0 us  0.7%         -     6.7     7           1.00x  baseline",
        "cusparse-bsr  1.500 ms  0.1%         -     0.7     1           0.10x  baseline",
      ]
    `);
  });
});
