import { groupBy } from '../util/group-by.ts';
import { operators } from './operators/index.ts';
import type { MutantResult, MutationInfo } from './result.ts';
import { devicesTally, rules, score, type Tally, tally } from './score.ts';

type Row = readonly (string | number)[];

/** A file of results as Markdown: what was done, the score by path, by operator and by tier, and every survivor. */
export function mutationPage(info: MutationInfo, results: readonly MutantResult[]): string {
  const full = results.some(({ depth }) => depth === 'full');
  return [
    heading(info, results, full),
    table(
      ['path', ...columns(full)],
      byKey(results, ({ path }) => path, full),
    ),
    table(
      ['operator', ...columns(full)],
      byKey(results, ({ operator }) => operator, full),
    ),
    killersOf(results),
    byDevices(info, results),
    rivals(info, results),
    survivors(results),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function heading(info: MutationInfo, results: readonly MutantResult[], full: boolean): string {
  const { refused, identical, argued, killed, survived } = tally(results);
  const undecided = results.filter((one) => one.undecided !== undefined).length;
  const elsewhere = results.filter(({ killedIn }) => killedIn !== undefined).length;
  const left = full
    ? results.filter(
        (one) => one.outcome === 'survived' && one.depth !== 'full' && one.undecided === undefined,
      )
    : [];
  const depths = full ? 'quick, then full for what survived' : 'quick';
  return [
    `${dateText(info)}${info.retried ? ` (survivors again ${dateText(info.retried)})` : ''}, emulated device, depth ${depths}:`,
    `${results.length} of ${info.mutants} mutants of ${info.variants.length} variants of ${info.family}, spread over paths and operators.`,
    `${refused} did not compile, ${identical} gave the same machine code, ${argued} are equivalent for a written reason;`,
    `of the other ${killed + survived} the gate killed ${killed}${elsewhere === 0 ? '' : `, ${elsewhere} of them in another variant of the path than the first`}.`,
    ...(undecided > 0 ? [`Of the others, ${undecided} got no answer for want of time or memory.`] : []),
    ...(left.length > 0 ? [`${left.length} of those that survived were not tried at depth full.`] : []),
  ].join('\n');
}

/** Date and commit of results, as a page names them. */
export function dateText({ date, commit }: Pick<MutationInfo, 'date' | 'commit'>): string {
  const dirty = commit?.endsWith('-dirty') ? ' with changes' : '';
  return date.slice(0, 10) + (commit === undefined ? '' : `, commit ${commit.slice(0, 7)}${dirty}`);
}

function columns(full: boolean): string[] {
  return [
    'defects',
    'killed at quick',
    ...(full ? ['killed at full'] : []),
    'survived',
    'equivalent',
    'refused',
  ];
}

function byKey(results: readonly MutantResult[], keyOf: (one: MutantResult) => string, full: boolean): Row[] {
  const rows = [...groupBy(results, keyOf)].map(([key, own]) => [key, ...cells(tally(own), full)]);
  return [...rows, ['**all**', ...cells(tally(results), full)]];
}

function cells(counts: Tally, full: boolean): Row {
  const { killed, quick, survived, identical, argued, refused } = counts;
  const share = (count: number, depth: 'quick' | 'full') =>
    killed + survived === 0 ? '-' : `${count} (${percent(score(counts, depth))})`;
  return [
    killed + survived,
    share(quick, 'quick'),
    ...(full ? [share(killed, 'full')] : []),
    survived,
    identical + argued,
    refused,
  ];
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Table of the killers: the gate's verdict and the tier of the case that gave it. */
function killersOf(results: readonly MutantResult[]): string {
  const killed = results.filter(({ outcome }) => outcome === 'killed');
  if (killed.length === 0) return '';
  const tierOf = ({ tier }: MutantResult) => (tier === undefined ? 'before any case' : `${tier}`);
  const verdicts = [...groupBy(killed, ({ verdict }) => verdict ?? 'compile').keys()].sort();
  const rows = [...groupBy(killed, tierOf)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tier, own]) => [
      tier,
      ...verdicts.map((name) => own.filter(({ verdict }) => (verdict ?? 'compile') === name).length || ''),
    ]);
  return table(['killed in tier', ...verdicts], rows);
}

/** Table of kills by device: the emulated device, a GPU, both. With the defects that only the GPU killed. */
function byDevices({ gpu = 'unknown' }: MutationInfo, results: readonly MutantResult[]): string {
  if (devicesTally(results).asked === 0) return '';
  const row = (name: string, own: readonly MutantResult[]): Row => {
    const { asked, both, emulated, gpu: alone, neither } = devicesTally(own);
    return [name, asked, both, emulated, alone, neither];
  };
  const only = results.filter((one) => one.outcome === 'survived' && one.gpu?.outcome === 'killed');
  return [
    `The same defects on the GPU (${gpu}), without delays put in, at the same depths:`,
    table(
      ['path', 'defects', 'killed by both', 'only by the emulated device', 'only by the GPU', 'by neither'],
      [
        ...[...groupBy(results, ({ path }) => path)].map(([path, own]) => row(path, own)),
        row('**all**', results),
      ],
    ),
    ...(only.length > 0 ? ['Only the GPU killed:', ...only.map(gpuKill)] : []),
  ].join('\n\n');
}

function gpuKill({ path, operator, file, line, id, gpu }: MutantResult): string {
  return `- \`${path}\` ${operator}, ${file}:${line} (${id}): ${gpu?.verdict}, ${gpu?.message}`;
}

/** The same outputs by the rules of others. Only where there are outputs of that case. */
function rivals({ rulesCase, sound }: MutationInfo, results: readonly MutantResult[]): string {
  const asked = results.filter(
    ({ outcome, opinions }) => (outcome === 'killed' || outcome === 'survived') && opinions !== undefined,
  );
  if (rulesCase === undefined || asked.length === 0) return '';
  const seen = asked.filter(({ outcome }) => outcome === 'killed').length;
  const rows = rules.map(({ name, source, accepts }): Row => {
    const refused = asked.filter(
      ({ opinions, variant }) => opinions === 'crash' || (opinions && !accepts(opinions, sound?.[variant])),
    ).length;
    return [name, `${refused} (${percent(refused / asked.length)})`, source];
  });
  return [
    `What other projects' acceptance rules say of the same ${asked.length} defects, looking at the outputs of the case \`${rulesCase}\`, launched once (a crash or a hang counts as noticed):`,
    '',
    table(
      ['rule', 'noticed', 'as documented'],
      [['this gate', `${seen} (${percent(seen / asked.length)})`, 'all cases, and the detector'], ...rows],
    ),
  ].join('\n');
}

function survivors(results: readonly MutantResult[]): string {
  const left = results.filter(({ outcome }) => outcome === 'survived');
  if (left.length === 0) return 'None survived.';
  return ['Survivors, and what would kill each:', ...left.map(survivor)].join('\n\n');
}

/** A survivor as a diff, with the check that its operator asks for. */
export function survivor({ path, operator, file, line, before, after, id }: MutantResult): string {
  const killer = operators.find(({ name }) => name === operator)?.killer;
  const diff = [...lines('-', before), ...lines('+', after)].join('\n');
  return `\`${path}\` ${operator}, ${file}:${line} (${id})${killer ? `: ${killer}` : ''}\n\n\`\`\`diff\n${diff}\n\`\`\``;
}

function lines(sign: string, text: string): string[] {
  return text.split('\n').map((line) => `${sign} ${line}`);
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly Row[]): string {
  const line = (row: Row) => `| ${row.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
