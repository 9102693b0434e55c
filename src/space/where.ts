// The condition language of `--where`, e.g. `block == 64 && tileN >= 128 || path in ["mma", "simt"]`. Names are the
// family's parameters; operators are || && ! == != < <= > >= in + - * / % and parentheses. Never evaluated as code.
import type { AnyFamily } from '../model/family.ts';
import type { ParameterValue } from '../model/parameter.ts';
import { didYouMean } from '../util/suggest.ts';
import type { Rule, Values } from './plan.ts';
import { fail, type Token, tokenize } from './where-tokens.ts';

/** A parsed condition: the parameters that it reads and the question. */
export type Where = Omit<Rule, 'name'>;

/** Throws a UsageError that shows the place, for a condition that is malformed or can never mean anything. */
export function parseWhere(text: string, family: AnyFamily): Where {
  const parser = new Parser(text, family);
  const node = parser.parse();
  return { on: [...parser.names], holds: (values) => node.value(values) === true };
}

type Type = 'number' | 'string' | 'boolean';

interface Node {
  readonly type: Type;
  readonly at: number;
  /** Set for a bare parameter and for a literal: lets a comparison be checked against the legal values. */
  readonly parameter?: string;
  readonly literal?: ParameterValue;
  readonly value: (values: Readonly<Values>) => ParameterValue;
}

type Operate = (a: ParameterValue, b: ParameterValue) => ParameterValue;

interface Operator {
  /** Binds the tighter, the higher. */
  readonly power: number;
  readonly operands: Type | 'alike';
  readonly result: Type;
  readonly operate: Operate;
}

const arithmetic = (power: number, operate: (a: number, b: number) => number): Operator => ({
  power,
  operands: 'number',
  result: 'number',
  operate: operate as Operate,
});
const comparison = (operands: Operator['operands'], operate: Operate): Operator => ({
  power: 3,
  operands,
  result: 'boolean',
  operate,
});

const operators: Readonly<Record<string, Operator>> = {
  '||': { power: 1, operands: 'boolean', result: 'boolean', operate: (a, b) => a || b },
  '&&': { power: 2, operands: 'boolean', result: 'boolean', operate: (a, b) => a && b },
  '==': comparison('alike', (a, b) => a === b),
  '!=': comparison('alike', (a, b) => a !== b),
  '<': comparison('number', (a, b) => a < b),
  '<=': comparison('number', (a, b) => a <= b),
  '>': comparison('number', (a, b) => a > b),
  '>=': comparison('number', (a, b) => a >= b),
  '+': arithmetic(4, (a, b) => a + b),
  '-': arithmetic(4, (a, b) => a - b),
  '*': arithmetic(5, (a, b) => a * b),
  '/': arithmetic(5, (a, b) => a / b),
  '%': arithmetic(5, (a, b) => a % b),
};
const powerOfIn = 3;

/** Parentheses, `!` and `-` within each other. */
const deepest = 100;

/** Precedence climbing over the tokens; builds closures and checks types on the way. */
class Parser {
  readonly names = new Set<string>();
  readonly #text: string;
  readonly #family: AnyFamily;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string, family: AnyFamily) {
    this.#text = text;
    this.#family = family;
    this.#tokens = tokenize(text);
  }

  parse(): Node {
    const node = this.#expression(0);
    const rest = this.#peek();
    if (rest.kind !== 'end') this.#fail(rest.at, `expected an operator or the end, found '${rest.text}'`);
    return this.#expect(node, 'boolean', 'the condition');
  }

  #expression(least: number): Node {
    let left = this.#operand();
    for (;;) {
      const token = this.#peek();
      const power = token.text === 'in' ? powerOfIn : (operators[token.text]?.power ?? -1);
      if (token.kind === 'text' || power < least || power < 0) return left;
      this.#next++;
      left = token.text === 'in' ? this.#membership(left) : this.#binary(left, token, power);
    }
  }

  #binary(left: Node, token: Token, power: number): Node {
    const right = this.#expression(power + 1);
    const { operands, result, operate } = operators[token.text] as Operator;
    if (operands === 'alike') this.#expectAlike(left, right);
    else for (const side of [left, right]) this.#expect(side, operands, `a side of '${token.text}'`);
    return { type: result, at: left.at, value: (values) => operate(left.value(values), right.value(values)) };
  }

  #membership(left: Node): Node {
    this.#take('[');
    const list: Node[] = [];
    while (this.#peek().text !== ']') {
      if (list.length > 0) this.#take(',');
      const item = this.#operand();
      this.#expectAlike(left, item);
      list.push(item);
    }
    this.#take(']');
    return {
      type: 'boolean',
      at: left.at,
      value: (values) => {
        const value = left.value(values);
        return list.some((item) => item.value(values) === value);
      },
    };
  }

  #operand(): Node {
    if (this.#depth === deepest)
      this.#fail(this.#peek().at, `at most ${deepest} levels go within each other`);
    this.#depth++;
    const node = this.#nested();
    this.#depth--;
    return node;
  }

  #nested(): Node {
    const token = this.#peek();
    this.#next++;
    if (token.text === '(' && token.kind === 'operator') {
      const inner = this.#expression(0);
      this.#take(')');
      return inner;
    }
    if (token.text === '!' || token.text === '-') return this.#unary(token);
    if (token.kind === 'number') return literal(Number(token.text), token.at);
    if (token.kind === 'text') return literal(token.text, token.at);
    if (token.kind === 'name') return this.#name(token);
    const found = token.kind === 'end' ? 'the condition ends' : `found '${token.text}'`;
    return this.#fail(token.at, `expected a parameter, a number, a text in quotes or '(', ${found}`);
  }

  #unary(token: Token): Node {
    const operand = this.#operand();
    const type = token.text === '!' ? 'boolean' : 'number';
    this.#expect(operand, type, `what follows '${token.text}'`);
    const { value } = operand;
    return { type, at: token.at, value: (v) => (type === 'boolean' ? !value(v) : -(value(v) as number)) };
  }

  #name(token: Token): Node {
    const name = token.text;
    if (name === 'true' || name === 'false') return literal(name === 'true', token.at);
    const { parameters } = this.#family;
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (!parameter) return this.#failName(token);
    this.names.add(name);
    const type = typeof parameter.values[0] as Type;
    return { type, at: token.at, parameter: name, value: (values) => values[name] as ParameterValue };
  }

  #failName(token: Token): never {
    const parameters = Object.entries(this.#family.parameters);
    const names = parameters.map(([name]) => name);
    const owner = parameters.find(([, parameter]) => parameter.values.includes(token.text));
    const hint = owner
      ? `; '${token.text}' is a value of ${owner[0]}: write it in quotes, "${token.text}"`
      : didYouMean(token.text, names);
    return this.#fail(token.at, `unknown parameter '${token.text}'; there are ${names.join(', ')}${hint}`);
  }

  /** Both sides of an (in)equality: one type, and a literal must be a value that the parameter can take. */
  #expectAlike(left: Node, right: Node): void {
    if (left.type !== right.type) {
      this.#fail(
        right.at,
        `a ${left.type} cannot be compared with a ${right.type}${this.#valuesOf(left, right)}`,
      );
    }
    for (const [side, other] of [
      [left, right],
      [right, left],
    ] as const) {
      if (side.parameter === undefined || other.literal === undefined) continue;
      const values = this.#family.parameters[side.parameter]?.values ?? [];
      if (values.includes(other.literal)) continue;
      const hint = typeof other.literal === 'string' ? didYouMean(other.literal, values.map(String)) : '';
      this.#fail(
        other.at,
        `${side.parameter}: ${other.literal} is not allowed${this.#valuesOf(side)}${hint}`,
      );
    }
  }

  #valuesOf(...nodes: readonly Node[]): string {
    const parts = nodes.flatMap(({ parameter }) =>
      parameter === undefined
        ? []
        : [`; choose ${parameter} from ${this.#family.parameters[parameter]?.values.join(', ')}`],
    );
    return parts.join('');
  }

  #expect(node: Node, type: Type, what: string): Node {
    if (node.type === type) return node;
    return this.#fail(node.at, `${what} must be a ${type}, this is a ${node.type}${this.#valuesOf(node)}`);
  }

  #take(text: string): void {
    const token = this.#peek();
    if (token.kind !== 'operator' || token.text !== text) {
      this.#fail(
        token.at,
        `expected '${text}', found ${token.kind === 'end' ? 'the end' : `'${token.text}'`}`,
      );
    }
    this.#next++;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', at: this.#text.length };
  }

  #fail(at: number, message: string): never {
    return fail(this.#text, at, message);
  }
}

function literal(value: ParameterValue, at: number): Node {
  return { type: typeof value as Type, at, literal: value, value: () => value };
}
