import { UsageError } from '../errors.ts';
import type { Edit } from './edits.ts';
import type { Instruction, Operand } from './ptx/instruction.ts';
import { translate } from './ptx/instructions.ts';
import { join, matching, splitCommas, type Token } from './tokens.ts';
import { placeOf } from './variables.ts';

/** Edits that put calls of the emulated device in the place of inline PTX. Throws a UsageError with the line of what is unknown. */
export function assemblerEdits(tokens: readonly Token[]): Edit[] {
  const edits: Edit[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind !== 'word' || !/^(asm|__asm|__asm__)$/.test(token.text)) continue;
    const open = tokens.findIndex(({ text }, at) => at > i && text === '(');
    const close = matching(tokens, open);
    const last = tokens[close] as Token;
    const newlines = '\n'.repeat(Math.max(0, last.line - token.line)); // what follows keeps its line
    const text = blockFor(tokens.slice(open + 1, close), placeOf(token), token.begin) + newlines;
    edits.push({ begin: token.begin, end: last.end, text });
    i = close;
  }
  return edits;
}

/** C++ for the contents of `asm`'s parentheses: the instructions, then the operands behind colons. */
function blockFor(tokens: readonly Token[], where: string, number: number): string {
  const [template = [], outputs = [], inputs = []] = splitColons(tokens);
  const operands = [...splitCommas(outputs), ...splitCommas(inputs)]
    .filter((part) => part.length > 0)
    .map((part) => join(part.slice(part.findIndex(({ text }) => text === '('))));
  const text = withOwnLabels(withPlainNames(template.map((token) => unquoted(token)).join('')), number);
  const statements = statementsIn(text).map((statement) => {
    const [, labels = '', rest = ''] = /^((?:tw_label_\w+:\s*)*)(.*)$/.exec(statement) ?? [];
    const instruction = parse(rest, operands);
    const code = /^\}?$/.test(rest) ? ';' : instruction && translate(instruction);
    if (code !== undefined) return `${labels}${code}`;
    throw new UsageError(
      `${where}: the emulated device does not support the inline PTX '${statement.slice(0, 60)}'`,
    );
  });
  return `do { ${statements.join(' ')} } while (false)`;
}

/** The parts between `:` outside parentheses; `::` is two. */
function splitColons(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.text === ':' || token.text === '::') {
      parts.push(...(token.text === '::' ? [[], []] : [[]]));
      continue;
    }
    const end = token.text === '(' || token.text === '[' ? matching(tokens, i) : i;
    parts.at(-1)?.push(...tokens.slice(i, end + 1));
    i = end;
  }
  return parts;
}

function unquoted({ kind, text }: Token): string {
  if (kind !== 'text') return '';
  const raw = /R"([^(]*)\(([\s\S]*)\)\1"$/.exec(text);
  if (raw) return raw[2] ?? '';
  return text
    .replace(/^[^"]*"|"$/g, '')
    .replace(/\\[nt]/g, ' ')
    .replace(/\\(.)/g, '$1');
}

/** Registers that the text declares as `%%p` become `p`: only special registers keep the signs. */
function withPlainNames(text: string): string {
  const declared = [...text.matchAll(/\.reg\s+\.\w+\s+([^;]+)/g)].flatMap(
    ([, names = '']) => names.match(/%%\w+/g) ?? [],
  );
  return declared.reduce(
    (plain, name) => plain.replaceAll(new RegExp(`${name}\\b`, 'g'), name.slice(2)),
    text,
  );
}

/** Labels of the block become C++'s, which are the function's: each block gets names of its own. */
function withOwnLabels(text: string, number: number): string {
  const labels = [...text.matchAll(/(?:^|[;{}\s])([A-Za-z_$][\w$]*(?:%=)?)\s*:(?!:)/g)].map(
    ([, name = '']) => name,
  );
  return labels.reduce((plain, name) => {
    const own = `tw_label_${name.replaceAll(/\W/g, '_')}_${number}`;
    return plain.replaceAll(new RegExp(`(?<![\\w$.%])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'), own);
  }, text);
}

/** Instructions and declarations, without the braces around them. */
function statementsIn(text: string): string[] {
  return text
    .replace(/\/\/[^\n]*/g, ' ')
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .split(';')
    .map((one) => one.replace(/^\s*\{(?=\s*(\.reg|[A-Za-z_$@]))/, ' ').trim())
    .filter((one) => !/^\}?$/.test(one))
    .map((one) => one.replace(/^\}\s*/, '').replace(/\s+/g, ' '));
}

/** `@p cp.async.cg.shared.global [%0], [%1], 16`; undefined for what is no instruction, such as a label. */
function parse(statement: string, operands: readonly string[]): Instruction | undefined {
  const match = /^(?:@(!?)(%?\w+)\s+)?(\.?[a-z][\w.:]*)\s*(.*)$/.exec(statement);
  if (!match || /^\w+:/.test(statement)) return undefined;
  const [, negated, predicate, opcode = '', rest = ''] = match;
  const value = (text: string) => register(text, operands);
  return {
    opcode: opcode.split('.'),
    operands: splitOperands(rest).map((text) => ({
      vector: (/^\{(.*)\}$/.exec(text)?.[1] ?? text).split(',').map((one) => value(one.trim())),
      ...addressIn(text, value),
      text,
    })),
    ...(predicate !== undefined && { guard: `${negated ? '!' : ''}${value(predicate)}` }),
  };
}

type Address = Pick<Operand, 'address' | 'offset' | 'coordinates'>;

function addressIn(text: string, value: (text: string) => string): Address {
  const box = /^\[\s*([%\w]+)\s*,\s*\{([^}]*)\}\s*\]$/.exec(text);
  if (box)
    return {
      ...{ address: value(box[1] ?? ''), offset: '0' },
      coordinates: (box[2] ?? '').split(',').map((one) => value(one.trim())),
    };
  const match = /^\[\s*([%\w]+)\s*(?:\+\s*([%\w]+)\s*)?\]$/.exec(text);
  if (!match) return {};
  return { address: value(match[1] ?? ''), offset: match[2] === undefined ? '0' : value(match[2]) };
}

function splitOperands(text: string): string[] {
  return [...text.matchAll(/\{[^}]*\}|\[[^\]]*\]|[^,\s][^,]*/g)].map(([one]) => one.trim());
}

/** C++ of `%3`, of a register of the block, of a number or of a special register (`%%tid.x`). */
function register(text: string, operands: readonly string[]): string {
  const number = /^%(\d+)$/.exec(text)?.[1];
  if (number !== undefined) return operands[Number(number)] ?? text;
  const float = /^0[fF]([0-9a-fA-F]{8})$/.exec(text)?.[1];
  if (float !== undefined) return `::tw::assembly::as<float>(0x${float}u)`;
  return /^[A-Za-z_]\w*$/.test(text) ? `tw_reg_${text}` : text;
}
