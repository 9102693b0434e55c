import { UsageError } from '../errors.ts';
import type { Edit } from './edits.ts';
import { declaredNames, type Item, markOf } from './items.ts';
import { matching, type Token } from './tokens.ts';

/**
 * Edits that turn a declaration of shared memory, up to its `;`, into references to memory of the emulated device. The type
 * survives as a typedef, so that arrays, structs and types that depend on a template's parameters need no care.
 */
export function shareMemory(statement: readonly Token[], inFunction: boolean): Edit[] {
  const isExtern = statement.some(({ text }) => text === 'extern');
  const first = statement[0] as Token;
  if (!inFunction && !isExtern)
    throw new UsageError(
      `${placeOf(first)}: shared memory outside a function must be extern; declare it in the kernel`,
    );
  const names = namesIn(statement);
  const references = names.map(({ text: name }) => {
    const type = `tw_type_${name}`;
    if (isExtern) {
      const base = inFunction ? 'simt::shared_base()' : 'simt::dynamic_shared_memory()';
      return ` ${inFunction ? '' : 'static '}auto& ${name} = *reinterpret_cast<${type}*>(${base});`;
    }
    const key = `tw_key_${name}`;
    const place = `simt::shared_variable(&${key}, "${name}", sizeof(${type}), alignof(${type}))`;
    return ` static const char ${key}{}; auto& ${name} = *static_cast<${type}*>(${place});`;
  });
  const last = statement.at(-1) as Token;
  return [
    insert(first.begin, 'typedef '),
    ...statement
      .filter((token) => markOf(token) || token.text === 'static' || token.text === 'extern')
      .map(remove),
    ...alignments(statement),
    ...names.map((token) => rename(token, `tw_type_${token.text}`)),
    insert(last.end, references.join('')),
  ];
}

/** Constants of C++ need no device memory. */
function isPlainConstant(statement: readonly Token[]): boolean {
  const body = statement.findIndex(({ text }) => text === '{' || text === '=');
  const head = body < 0 ? statement : statement.slice(0, body);
  return head.some(({ text }) => text === 'const' || text === 'constexpr' || text === 'extern');
}

/** Names of the variables of a declaration that lie in device memory. */
export function variableNames({ kind, marks, tokens }: Item): string[] {
  const inMemory = kind === 'variable' && (marks.has('device') || marks.has('constant'));
  return inMemory && !isPlainConstant(tokens) ? namesIn(tokens).map(({ text }) => text) : [];
}

/** Edits that put a `__device__` or `__constant__` variable into device memory; constants of C++ stay as they are. */
export function deviceMemory(statement: readonly Token[]): Edit[] {
  const marks = statement.filter(markOf);
  if (isPlainConstant(statement)) return marks.map(remove);
  const names = namesIn(statement);
  const constant = marks.some((token) => markOf(token) === 'constant');
  const references = names.map(
    ({ text: name }) =>
      ` static tw::DeviceVariable<decltype(tw_initial_${name})> tw_holder_${name}(tw_initial_${name}, "${name}", ${constant});` +
      ` static auto& ${name} = tw_holder_${name}.value();`,
  );
  return [
    insert((statement[0] as Token).begin, 'static '),
    ...[...marks, ...statement.filter(({ text }) => text === 'static')].map(remove),
    ...names.map((token) => rename(token, `tw_initial_${token.text}`)),
    insert((statement.at(-1) as Token).end, references.join('')),
  ];
}

/** The declarations of shared memory in a function, each from its first word to its `;`. */
export function sharedStatements(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (markOf(tokens[i] as Token) !== 'shared') continue;
    let begin = i;
    while (begin > 0 && !/^[;{}:)]$/.test(tokens[begin - 1]?.text ?? '')) begin--;
    let end = i;
    while (end < tokens.length && tokens[end]?.text !== ';') {
      if (tokens[end]?.text === '{' || tokens[end]?.text === '(') end = matching(tokens, end);
      end++;
    }
    statements.push(tokens.slice(begin, end + 1));
    i = end;
  }
  return statements;
}

/** Names of the variables in shared memory that a declaration has, or is. */
export function sharedNames({ kind, marks, tokens }: Item): string[] {
  const statements = kind === 'variable' && marks.has('shared') ? [tokens] : sharedStatements(tokens);
  return statements.flatMap(namesIn).map(({ text }) => text);
}

function namesIn(statement: readonly Token[]): Token[] {
  return declaredNames(statement).map((name) => {
    if (name) return name;
    throw new UsageError(`${placeOf(statement[0] as Token)}: this declaration is not understood`);
  });
}

/** A typedef takes no `alignas`, but the attribute that means the same. */
function alignments(statement: readonly Token[]): Edit[] {
  return statement.flatMap((token, i) => {
    if (token.text !== 'alignas') return [];
    const close = statement[matching(statement, i + 1)] as Token;
    return [rename(token, '__attribute__((aligned'), insert(close.end, '))')];
  });
}

export function placeOf({ file, line }: Token): string {
  return `${file}:${line}`;
}

function insert(at: number, text: string): Edit {
  return { begin: at, end: at, text };
}

export function remove({ begin, end }: Token): Edit {
  return { begin, end, text: '' };
}

function rename({ begin, end }: Token, text: string): Edit {
  return { begin, end, text };
}
