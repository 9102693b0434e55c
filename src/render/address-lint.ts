const wideType = '(?:long\\s+long|(?:std::)?(?:u?int64_t|size_t|ptrdiff_t|uintptr_t))';
/** Names of a declaration: those behind commas too, as in `long long ldb, ldc;`. */
const declarators = /^[\s&]*(?:const\s+)?(\w+)(?:\s*(?:=[^;,(){}]*)?,\s*(\w+))*/;
/** Numbers, sizes, and constants by their names. */
const constant = /^(?:\d\w*|k[A-Z]\w*|sizeof\b.*)$/s;

/** Names of variables and members that texts declare with 64 bits. */
function wideNames(...texts: readonly string[]): Set<string> {
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(new RegExp(`\\b${wideType}\\b(?!\\s*[>*)])([^;{}()]*)`, 'g'))].flatMap(
        ([, rest = '']) =>
          declarators.test(rest)
            ? rest.split(',').flatMap((one) => /(\w+)\s*(?:=.*)?$/s.exec(one.trim())?.[1] ?? [])
            : [],
      ),
    ),
  );
}

/** Pointers of the kernel's arguments, as they are used, and variables that begin with one. */
function basesOf(code: string, headers: string): string[] {
  const members = [...headers.matchAll(/\*\s*(?:const\s+)?(\w+)\s*[;,]/g)].map(
    ([, name = '']) => `args\\.${name}`,
  );
  if (members.length === 0) return [];
  const derived = new RegExp(`\\*\\s*(?:const\\s+)?(\\w+)\\s*=\\s*(?:${members.join('|')})\\b`, 'g');
  return [
    ...new Set([...members, ...[...code.matchAll(derived)].map(([, name = '']) => `(?<![.\\w])${name}`)]),
  ];
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

/** The largest product of an expression that is made before anything has 64 bits. */
function degreeOf(expression: string, isWide: (text: string) => boolean): Degree {
  const terms = parts(expression, '+-').map((term) => {
    const sum = { factors: 0, variable: 0 };
    for (const factor of parts(term, '*')) {
      if (isWide(factor)) break;
      const inner =
        factor.startsWith('(') && factor.endsWith(')') ? degreeOf(factor.slice(1, -1), isWide) : undefined;
      sum.factors += inner?.factors ?? 1;
      sum.variable += inner?.variable ?? (constant.test(factor) ? 0 : 1);
    }
    return sum;
  });
  return terms.reduce((most, one) => (rank(one) > rank(most) ? one : most), { factors: 0, variable: 0 });
}

const rank = ({ factors, variable }: Degree) => (variable === 0 ? 0 : 10 * variable + factors);

/** Whether a text has a type of 64 bits, a variable of one, or a member of one. Members' names may end with `_`. */
function widthIn(code: string, wholeText: string, headers: string): (text: string) => boolean {
  const everywhere = [...wideNames(wholeText)];
  const variables = new Set([...wideNames(code), ...everywhere.filter((name) => name.endsWith('_'))]);
  const members = new Set([...everywhere, ...wideNames(headers)]);
  const named = new RegExp(`\\b${wideType}\\b`);
  return (text) =>
    named.test(text) ||
    [...text.matchAll(/(\.|->)?\b([a-zA-Z_]\w*)/g)].some(([, dot, name = '']) =>
      (dot === undefined ? variables : members).has(name),
    );
}

/** Functions and types of a text, each with where it begins: they end with a brace in the first column. */
function definitions(code: string): { readonly at: number; readonly text: string }[] {
  let at = 0;
  return code.split(/(?<=^\})/m).map((text) => {
    const definition = { at, text };
    at += text.length;
    return definition;
  });
}

/** An address that 32 bits may be too few for: where it begins in the text, and its text. */
interface NarrowAddress {
  readonly at: number;
  readonly found: string;
}

/**
 * Addresses in global memory that are made of a product of two variables, or of a variable and two constants, in 32 bits:
 * places in large operands have numbers beyond 2^31. `code`: a kernel without comments; `headers`: what declares its `args`.
 */
export function narrowAddresses(code: string, headers: string): NarrowAddress[] {
  const bases = basesOf(code, headers);
  if (bases.length === 0) return [];
  const use = new RegExp(`(?:${bases.join('|')})\\s*(?:\\+(?![+=])|\\[)`, 'g');
  return definitions(code).flatMap(({ at, text }) => {
    const isWide = widthIn(text, code, headers);
    return [...text.matchAll(use)].flatMap(({ 0: base, index }) => {
      const rest = text.slice(index + base.length);
      // Types of casts in square brackets: `<` ends an expression.
      const { factors, variable } = degreeOf(rest.replace(/_cast\s*<([^<>]*)>/g, '_cast[$1]'), isWide);
      if (variable < 2 && (variable === 0 || factors < 3)) return [];
      return [{ at: at + index, found: base + (parts(rest, '')[0] ?? '') }];
    });
  });
}
