import type { Verdict } from '../model/verdict.ts';

/** A kernel of somebody's own source, judged or refused. */
export type Judged = {
  readonly kernel: string;
  /** The GPU that it was judged on; absent: the emulated device. */
  readonly gpu?: string;
  /** All that was found is in the baseline. */
  readonly known?: boolean;
} & ({ readonly verdict: Verdict } | { readonly refusal: string });

/** JUnit report of checked kernels: each is a test case, one that could not be checked an error. */
export function junitReport(all: readonly Judged[], file: string): string {
  const failed = all.filter(hasFailed).length;
  const errors = all.filter((one) => 'refusal' in one).length;
  const counts = `tests="${all.length}" failures="${failed}" errors="${errors}"`;
  const cases = all.map((one) => testCase(one, file)).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n<testsuite name="${escaped(file)}" ${counts}>\n${cases}</testsuite>\n</testsuites>\n`;
}

/** Whether something was found that the baseline does not have. */
export function hasFailed(one: Judged): boolean {
  return 'verdict' in one && one.verdict.verdict !== 'passed' && !one.known;
}

function testCase(one: Judged, file: string): string {
  const head = `<testcase classname="${escaped(file)}" name="${escaped(nameOf(one))}"`;
  if ('refusal' in one)
    return `${head}><error type="not checked" message="${escaped(one.refusal)}"/></testcase>\n`;
  const { verdict, evidence } = one.verdict;
  const time = ` time="${(evidence.seconds ?? 0).toFixed(3)}"`;
  if (verdict === 'passed') return `${head}${time}/>\n`;
  const message = escaped(evidence.message);
  if (one.known) return `${head}${time}><skipped message="known: ${message}"/></testcase>\n`;
  return `${head}${time}><failure type="${verdict}" message="${message}">${message}\n${escaped(evidence.reproduce ?? '')}</failure></testcase>\n`;
}

/** `softmax on NVIDIA H200`. */
export function nameOf({ kernel, gpu }: Pick<Judged, 'kernel' | 'gpu'>): string {
  return gpu === undefined ? kernel : `${kernel} on ${gpu}`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
