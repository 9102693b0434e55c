import { UsageError } from '../errors.ts';

/** A number, or an expression over sizes. */
export type Expression = string | number;

/** Sizes by name. */
export type Sizes = Readonly<Record<string, number>>;

const token =
  /\s*(?:(\d+(?:\.\d+)?)[uUlLfF]*|([A-Za-z_][\w.]*)|(<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%(),<>&|^]))/y;

const functions: Readonly<Record<string, (...values: number[]) => number>> = {
  ceil_div: (a, b) => Math.ceil((a ?? 0) / (b ?? 1)),
  cdiv: (a, b) => Math.ceil((a ?? 0) / (b ?? 1)),
  min: Math.min,
  max: Math.max,
};

const binary: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
  { '||': (a, b) => Number(a !== 0 || b !== 0) },
  { '&&': (a, b) => Number(a !== 0 && b !== 0) },
  { '|': (a, b) => Number(BigInt(Math.trunc(a)) | BigInt(Math.trunc(b))) },
  { '^': (a, b) => Number(BigInt(Math.trunc(a)) ^ BigInt(Math.trunc(b))) },
  { '&': (a, b) => Number(BigInt(Math.trunc(a)) & BigInt(Math.trunc(b))) },
  { '==': (a, b) => Number(a === b), '!=': (a, b) => Number(a !== b) },
  {
    '<=': (a, b) => Number(a <= b),
    '>=': (a, b) => Number(a >= b),
    '<': (a, b) => Number(a < b),
    '>': (a, b) => Number(a > b),
  },
  { '<<': (a, b) => a * 2 ** b, '>>': (a, b) => Math.floor(a / 2 ** b) },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => Math.trunc(a / b), '%': (a, b) => a % b },
];

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; text.slice(at).trim() !== ''; ) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (!match)
      throw new UsageError(`'${text}' is no expression: '${text.slice(at).trim()}' is not understood`);
    tokens.push(match[1] ?? match[2] ?? match[3] ?? '');
    at = token.lastIndex;
  }
  return tokens;
}

/**
 * Value of an expression over sizes with C's operators on whole numbers (`/` truncates), `min`, `max` and `ceil_div`. Throws a
 * UsageError that names the sizes there are.
 */
export function evaluate(expression: string | number, sizes: Sizes): number {
  if (typeof expression === 'number') return expression;
  const tokens = tokensOf(expression);
  let at = 0;
  const fail = (why: string) => new UsageError(`'${expression}': ${why}`);
  const expect = (text: string) => {
    if (tokens[at++] !== text) throw fail(`there is no '${text}' where one is needed`);
  };
  const level = (depth: number): number => {
    const operators = binary[depth];
    if (!operators) return unary();
    let value = level(depth + 1);
    for (let operator = operators[tokens[at] ?? '']; operator; operator = operators[tokens[at] ?? '']) {
      at++;
      value = operator(value, level(depth + 1));
    }
    return value;
  };
  const unary = (): number => {
    const word = tokens[at++] ?? '';
    if (word === '-') return -unary();
    if (word === '(') {
      const value = level(0);
      expect(')');
      return value;
    }
    if (/^\d/.test(word)) return Number(word);
    const call = functions[word];
    if (call && tokens[at] === '(') {
      const values: number[] = [];
      do {
        at++;
        values.push(level(0));
      } while (tokens[at] === ',');
      expect(')');
      return call(...values);
    }
    const size = sizes[word];
    if (size !== undefined) return size;
    throw fail(`there is no size '${word}'; there are: ${Object.keys(sizes).join(', ') || 'none'}`);
  };
  const value = level(0);
  if (at < tokens.length) throw fail(`'${tokens[at]}' is too much`);
  return value;
}

/** Whether an expression has a value with these sizes. */
export function isKnown(expression: string, sizes: Sizes): boolean {
  try {
    return Number.isFinite(evaluate(expression, sizes));
  } catch {
    return false;
  }
}

/** Product of expressions over sizes: the elements of a shape, or the threads of a block. */
export function productOf(expressions: readonly (string | number)[], sizes: Sizes): number {
  return expressions.reduce<number>((product, one) => product * evaluate(one, sizes), 1);
}
