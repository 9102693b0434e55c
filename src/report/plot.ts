import type { Case } from './headline.ts';
import { baselinesOf, bestSoFar, type Step } from './ranking.ts';
import { ours, palette, round, sheet, text } from './svg.ts';

const panel = { width: 300, height: 190, left: 40, right: 12, top: 26, bottom: 30 };
const inner = {
  width: panel.width - panel.left - panel.right,
  height: panel.height - panel.top - panel.bottom,
};
const legendHeight = 24;

/** A picture with a panel per case: the best TFLOPS so far over the number of variants tried, baselines dashed. */
export function searchPlot(cases: readonly Case[]): string | undefined {
  if (cases.length === 0) return undefined;
  const baselines = cases.flatMap(({ workload }) => baselinesOf(workload).map(({ subject }) => subject));
  const names = [...new Set(baselines)].sort();
  const colourOf = palette(names);
  const panels = cases.map((one) => panelOf(one, colourOf));
  return sheet(panels, panel, legend(names, colourOf), legendHeight);
}

function legend(names: readonly string[], colourOf: (subject: string) => string): string[] {
  const entries = [
    { name: 'best TFLOPS so far', colour: ours },
    ...names.map((name) => ({ name, colour: colourOf(name) })),
  ];
  return entries.flatMap(({ name, colour }, index) => {
    const x = panel.left + index * 170;
    return [
      `<path d="M${x} 14h18" stroke="${colour}" stroke-width="1.8"${index > 0 ? ' stroke-dasharray="4 3"' : ''}/>`,
      text(x + 23, 17, name, `fill="${colour}"`),
    ];
  });
}

function panelOf({ name, workload }: Case, colourOf: (subject: string) => string): string[] {
  const steps = bestSoFar(workload);
  const baselines = baselinesOf(workload);
  const top = 1.1 * Math.max(1, steps.at(-1)?.tflops ?? 0, ...baselines.map(({ tflops }) => tflops));
  const last = Math.max(2, workload.tried);
  const x = (trial: number) => round(panel.left + (inner.width * Math.log(trial)) / Math.log(last));
  const y = (tflops: number) => round(panel.top + inner.height * (1 - tflops / top));
  const right = panel.left + inner.width;
  const bottom = panel.top + inner.height;
  return [
    text(panel.left, 14, name, 'font-weight="bold"'),
    `<path d="M${panel.left} ${panel.top}V${bottom}H${right}" fill="none" stroke="#444"/>`,
    ...ticksOf(last).map((tick) => text(x(tick), bottom + 13, String(tick), 'text-anchor="middle"')),
    text(right, bottom + 25, 'variants tried', 'text-anchor="end"'),
    ...levelsOf(top).map((level) => text(panel.left - 4, y(level) + 3, String(level), 'text-anchor="end"')),
    ...baselines.map(
      ({ subject, tflops }) =>
        `<path d="M${panel.left} ${y(tflops)}H${right}" stroke="${colourOf(subject)}" stroke-dasharray="4 3"/>`,
    ),
    `<path d="${staircase(steps, x, y)}H${right}" fill="none" stroke="${ours}" stroke-width="1.8"/>`,
  ];
}

function staircase(
  steps: readonly Step[],
  x: (trial: number) => number,
  y: (tflops: number) => number,
): string {
  const [first, ...others] = steps;
  if (!first) return `M${panel.left} ${y(0)}`;
  return [
    `M${x(first.trial)} ${y(first.tflops)}`,
    ...others.map(({ trial, tflops }) => `H${x(trial)}V${y(tflops)}`),
  ].join('');
}

function ticksOf(last: number): number[] {
  return [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000].filter((tick) => tick <= last);
}

/** Three to seven round figures up to `top`. */
function levelsOf(top: number): number[] {
  const unit = 10 ** Math.floor(Math.log10(top / 2));
  const step = unit * ([1, 2, 5].find((factor) => top / (factor * unit) < 7) ?? 10);
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) =>
    Number((index * step).toPrecision(3)),
  );
}
