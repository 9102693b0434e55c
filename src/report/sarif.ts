import { verdictNames } from '../model/verdict.ts';
import { packageVersion } from '../util/package-version.ts';
import { type Judged, nameOf } from './junit.ts';
import { type Place, placesIn } from './places.ts';

/** Findings as SARIF 2.1.0, which code hosts show beside the lines. */
export function sarifReport(all: readonly Judged[], file: string): string {
  const results = all.flatMap((one) => resultFor(one, file) ?? []);
  const rules = [...verdictNames.filter((name) => name !== 'passed'), 'not-checked'].map((id) => ({ id }));
  const driver = { name: 'tilewright', version: packageVersion(), rules };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultFor(one: Judged, file: string): object | undefined {
  if ('refusal' in one) return result('not-checked', 'warning', one.kernel, one.refusal, file);
  const { verdict, evidence } = one.verdict;
  if (verdict === 'passed') return undefined;
  const found = result(verdict, 'error', nameOf(one), evidence.message, file);
  return one.known ? { ...found, suppressions: [{ kind: 'external' }] } : found;
}

function result(ruleId: string, level: string, kernel: string, message: string, file: string): object {
  const [place = { uri: file, line: 1 }, ...related] = placesIn(message, file);
  return {
    ruleId,
    level,
    message: { text: `${kernel}: ${message}` },
    locations: [location(place)],
    ...(related.length > 0 && { relatedLocations: related.map(location) }),
  };
}

function location({ uri, line }: Place): object {
  return { physicalLocation: { artifactLocation: { uri }, region: { startLine: line } } };
}
