const wideType = '(?:long\\s+long|(?:std::)?(?:u?int64_t|size_t|ptrdiff_t|uintptr_t))';
const narrowType = '(?:int|unsigned|(?:std::)?u?int32_t)';
/** A declared name, and what it begins with: `ldb`, `x = 3`. */
const declared = /^[\s&]*(?:const\s+)?(\w+)\s*(?:=.*)?$/s;
/** Numbers, sizes, and constants and parameters of templates by their names. */
const constant = /^(?:\d\w*|[A-Z]\w*|k[A-Z]\w*|sizeof\b.*)$/s;
/** A pointer that is declared: the star stands at its type, or before `const`. */
const pointer = /(?:[\w>]\*\s+(?:const\s+)?|\*const\s+)(\w+)/g;

/**
 * Names of variables, parameters and members that a text declares with a type, those behind commas too, as in
 * `long long ldb, ldc;`.
 */
function declaredWith(type: string, text: string): string[] {
  const declarations = text.matchAll(new RegExp(`\\b${type}\\b(?!\\s*[>*)])(?=([^;{}()]*))`, 'g'));
  return [...declarations].flatMap(([, rest = '']) => {
    const names = rest.split(',').map((one) => declared.exec(one)?.[1]);
    return names.slice(0, [...names, undefined].indexOf(undefined)) as string[]; // what follows has a type of its own
  });
}

/** Variables of 64 bits, or of a type that a template is given: its calls say how wide. */
function wideVariables(text: string): string[] {
  const types = [...text.matchAll(/\b(?:class|typename)\s+([A-Z]\w*)/g)].map(([, name = '']) => name);
  return declaredWith(`(?:${[wideType, ...types].join('|')})`, text);
}

/** Members of 64 bits, which are declared without a value. */
function wideMembers(text: string): string[] {
  const declarations = text.matchAll(new RegExp(`\\b${wideType}\\s+(\\w+(?:,\\s*\\w+)*);`, 'g'));
  return [...declarations].flatMap(([, names = '']) => names.split(/,\s*/));
}

/** Counters of loops that all end at a constant. */
function countersIn(text: string): string[] {
  const loop = /\bfor \((?:int|unsigned)\s+(\w+)\s*=[^;]*;\s*\1\s*<\s*([^;&|]+)/g;
  const counters = [...text.matchAll(loop)].flatMap(([, name = '', bound = '']) =>
    [...bound.matchAll(/\w+/g)].every(([word]) => constant.test(word)) ? [name] : [],
  );
  const all = declaredWith(narrowType, text);
  const times = (name: string, names: readonly string[]) => names.filter((one) => one === name).length;
  return counters.filter((name) => times(name, all) === times(name, counters));
}

/** Names that a text declares pointers by. */
function pointersIn(text: string): string[] {
  return [...new Set([...text.matchAll(pointer)].map(([, name = '']) => name))];
}

/** Uses of pointers to which something is added: variables of a text, and members by one of these names. */
function usesIn(text: string, pointerMembers: readonly string[]): RegExp {
  const variable = `(?<![.\\w>])(?:${pointersIn(text).join('|') || '(?!)'})`;
  const member = `\\b\\w+(?:\\.|->)(?:${pointerMembers.join('|') || '(?!)'})`;
  return new RegExp(`(?:${variable}|${member})\\s*(?:\\+=?(?!\\+)|\\[)`, 'g');
}

/** Parts of an expression between `operators` that no bracket encloses, up to its end. */
function parts(text: string, operators: string): string[] {
  const found = [''];
  let depth = 0;
  for (const character of text) {
    if ('([{'.includes(character)) depth++;
    if (')]}'.includes(character) && --depth < 0) break;
    if (depth === 0 && ';,?:<>=&|'.includes(character)) break;
    if (depth === 0 && operators.includes(character)) found.push('');
    else found[found.length - 1] += character;
  }
  return found.map((part) => part.trim()).filter((part) => part !== '');
}

/** Factors of a 32-bit product, and how many of them are not known when the kernel is compiled. */
interface Degree {
  readonly factors: number;
  readonly variable: number;
}

/** Kinds of an expression's factors. */
interface Names {
  /** Whether a text has a type of 64 bits, a variable of one, or a member of one. */
  readonly isWide: (text: string) => boolean;
  /** Whether a factor is known when the kernel is compiled, or less than such a number. */
  readonly isConstant: (text: string) => boolean;
}

/** The largest product of an expression that is made before anything has 64 bits. */
function degreeOf(expression: string, names: Names): Degree {
  const terms = parts(expression, '+-').map((term) => {
    const sum = { factors: 0, variable: 0 };
    for (const factor of parts(term, '*')) {
      if (names.isWide(factor)) break;
      const inner =
        factor.startsWith('(') && factor.endsWith(')') ? degreeOf(factor.slice(1, -1), names) : undefined;
      sum.factors += inner?.factors ?? 1;
      sum.variable += inner?.variable ?? (names.isConstant(factor) ? 0 : 1);
    }
    return sum;
  });
  return terms.reduce((most, one) => (rank(one) > rank(most) ? one : most), { factors: 0, variable: 0 });
}

const rank = ({ factors, variable }: Degree) => 10 * variable + factors;

/** Names in a part of a definition. `members`: those of 64 bits; a class's own may end with `_`. */
function namesIn(part: string, definition: string, members: ReadonlySet<string>): Names {
  const narrow = new Set(declaredWith(narrowType, part));
  const variables = new Set(wideVariables(definition).filter((name) => !narrow.has(name)));
  const counters = new Set(countersIn(part));
  const named = new RegExp(`\\b${wideType}\\b`);
  const cast = new RegExp(`^static_cast\\[${narrowType}\\]`);
  const isWideName = (dot: string | undefined, name: string) =>
    dot === undefined ? variables.has(name) || (name.endsWith('_') && members.has(name)) : members.has(name);
  return {
    isWide: (text) =>
      !cast.test(text) &&
      (named.test(text) ||
        [...text.matchAll(/(\.|->)?\b([a-zA-Z_]\w*)\b(?!\.|->)/g)].some(([, dot, name = '']) =>
          isWideName(dot, name),
        )),
    isConstant: (text) =>
      constant.test(text) || counters.has(text) || constant.test(text.split('%').at(-1)?.trim() ?? ''),
  };
}

/** A stretch of a text, and where it begins. */
interface Stretch {
  readonly at: number;
  readonly text: string;
}

/** A text in stretches that end with a brace at an indentation. */
function stretches({ at: first, text }: Stretch, end: RegExp): Stretch[] {
  let at = first;
  return text.split(end).map((one) => {
    const stretch = { at, text: one };
    at += one.length;
    return stretch;
  });
}

/** Functions and types. */
const definitions = /(?<=^\})/m;
/** Member functions, and blocks of functions. */
const members = /(?<=^ {2}\})/m;

/** A product of 32 bits for an address that these may be too few for: where it begins in the text, and its text. */
interface NarrowAddress {
  readonly at: number;
  readonly found: string;
}

/** Variables of 64 bits that begin with a value. */
const wideValue = new RegExp(`\\b${wideType}\\s+\\w+\\s*=(?!=)`, 'g');

/**
 * Addresses that are made of a product of two variables, or of a variable and two constants, in 32 bits: places in large operands have
 * numbers beyond 2^31. Variables of 64 bits that are given such a product, too. `code`: a kernel, or a device header, without
 * comments; `headers`: what declares the members that it uses, which have 64 bits where any struct has one of that name and width.
 */
export function narrowAddresses(code: string, headers: string): NarrowAddress[] {
  const wide = new Set(wideMembers(`${code}\n${headers}`));
  const pointerMembers = pointersIn(headers);
  return stretches({ at: 0, text: code }, definitions).flatMap((definition) => {
    const uses = usesIn(definition.text, pointerMembers);
    return stretches(definition, members).flatMap(({ at, text }) => {
      const names = namesIn(text, definition.text, wide);
      return [...text.matchAll(uses), ...text.matchAll(wideValue)].flatMap(({ 0: before, index }) => {
        const rest = text.slice(index + before.length);
        // Types of casts in square brackets: `<` ends an expression.
        const { factors, variable } = degreeOf(rest.replace(/_cast\s*<([^<>]*)>/g, '_cast[$1]'), names);
        if (variable < 2 && (variable === 0 || factors < 3)) return [];
        return [{ at: at + index, found: before + (parts(rest, '')[0] ?? '') }];
      });
    });
  });
}
