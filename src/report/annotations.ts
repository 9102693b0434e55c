import type { Judged } from './junit.ts';
import { placesIn } from './places.ts';

/** Findings as workflow commands of GitHub Actions, shown beside the line in a pull request. */
export function annotation(one: Judged, file: string): string {
  if ('refusal' in one) return command('warning', `${one.kernel} was not checked`, one.refusal, file);
  const { verdict, evidence } = one.verdict;
  if (verdict === 'passed' || one.known) return '';
  return command(
    'error',
    `${one.kernel}: ${verdict}`,
    `${evidence.message}\n${evidence.reproduce ?? ''}`,
    file,
  );
}

function command(level: string, title: string, message: string, file: string): string {
  const [place = { uri: file, line: 1 }] = placesIn(message, file);
  const at = `file=${property(place.uri)},line=${place.line},title=${property(title)}`;
  return `::${level} ${at}::${data(message.trimEnd())}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
