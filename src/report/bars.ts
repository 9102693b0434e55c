import { type ComparedCase, ceilingOf, ofSameProblem } from './compared.ts';
import type { Case } from './headline.ts';
import { ours, palette, round, sheet, text } from './svg.ts';

const width = 300;
const [left, right, top, step, thickness] = [134, 36, 22, 15, 10];

/** A bar of a panel. */
interface Bar {
  readonly name: string;
  readonly tflops: number;
  readonly fill: string;
}

/**
 * A picture with a panel per workload: effective TFLOPS of ours and of every other system that solves the same problem, and
 * what the machine allows by the cases of `sweeps`. Of several comparisons of a workload, the first. Nothing of no cases.
 */
export function systemsPlot(cases: readonly ComparedCase[], sweeps: readonly Case[]): string | undefined {
  const first = cases.filter(
    (one, index) => cases.findIndex(({ workload }) => workload === one.workload) === index,
  );
  if (first.length === 0) return undefined;
  const colourOf = palette(first.flatMap(({ others }) => others.map(({ system }) => system)));
  const panels = first.map((one) => ({ title: one.workload, bars: barsOf(one, sweeps, colourOf) }));
  const rows = Math.max(...panels.map(({ bars }) => bars.length));
  const size = { width, height: top + rows * step + 8 };
  return sheet(
    panels.map(({ title, bars }) => panelOf(title, bars)),
    size,
    [text(left, 14, 'effective TFLOPS', 'fill="#444"')],
    18,
  );
}

function barsOf(one: ComparedCase, sweeps: readonly Case[], colourOf: (system: string) => string): Bar[] {
  const { workload, own } = one;
  const ceiling = ceilingOf(workload, sweeps);
  const same = ofSameProblem(one).toSorted((a, b) => b.tflops - a.tflops);
  return [
    ...(ceiling ? [{ name: `limit: ${ceiling.name}`, tflops: ceiling.tflops, fill: '#dddddd' }] : []),
    { name: own.system, tflops: own.tflops, fill: ours },
    ...same.map(({ system, tflops }) => ({ name: system, tflops, fill: colourOf(system) })),
  ];
}

function panelOf(title: string, bars: readonly Bar[]): string[] {
  const most = Math.max(...bars.map(({ tflops }) => tflops));
  return [
    text(left, 14, title, 'font-weight="bold"'),
    ...bars.flatMap(({ name, tflops, fill }, index) => {
      const y = top + index * step;
      const length = round(((width - left - right) * tflops) / most);
      return [
        text(left - 5, y + thickness - 1, name, 'text-anchor="end"'),
        `<rect x="${left}" y="${y}" width="${length}" height="${thickness}" fill="${fill}"/>`,
        text(round(left + length + 4), y + thickness - 1, tflops.toFixed(tflops < 100 ? 1 : 0), ''),
      ];
    }),
  ];
}
