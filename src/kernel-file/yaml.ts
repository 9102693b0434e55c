import { isScalar, type Pair, parseDocument, Scalar, visit, type YAMLMap, type YAMLSeq } from 'yaml';
import { UsageError } from '../errors.ts';

/**
 * The value of a description's text, YAML or JSON. In lists and maps in brackets a comma between parentheses is that of a call:
 * `[ceil_div(N, 32), B]` has two elements, where YAML has three.
 */
export function yamlValue(text: string, where: string): unknown {
  const document = parseDocument(text, { uniqueKeys: false }); // halves of calls may be equal
  const [error] = document.errors;
  if (error) throw new UsageError(`${where}: the description is no YAML: ${error.message.split('\n')[0]}`);
  visit(document, {
    Seq: (_, list) => void (list.flow && joinInList(list)),
    Map: (_, map) => {
      if (map.flow) joinInMap(map);
      mustBeUnique(map, where);
    },
  });
  return document.toJS();
}

function joinInList(list: YAMLSeq): void {
  list.items = joined(list.items, textOf, (_, text) => new Scalar(text));
}

/** `{ a: max(1, n) }` is to YAML a key `a`, of which `max(1` is the value, and a key `n)` without one. */
function joinInMap(map: YAMLMap): void {
  const isKey = ({ value }: Pair) => value === null || (isScalar(value) && value.value === null);
  map.items = joined(
    map.items,
    (pair, isFirst) => (isFirst ? textOf(pair.value) : isKey(pair) ? textOf(pair.key) : undefined),
    (pair, text) => {
      pair.value = new Scalar(text);
      return pair;
    },
  );
}

/** Items with those that are the parts of one call put together, where its last parenthesis is among them. */
function joined<T>(
  items: readonly T[],
  text: (item: T, isFirst: boolean) => string | undefined,
  whole: (first: T, text: string) => T,
): T[] {
  const result: T[] = [];
  for (let at = 0; at < items.length; at++) {
    const first = items[at] as T;
    const parts = [text(first, true) ?? ''];
    let end = at;
    while (depth(parts) > 0 && end + 1 < items.length) {
      const part = text(items[++end] as T, false);
      if (part === undefined) break;
      parts.push(part);
    }
    const isCall = parts.length > 1 && depth(parts) === 0;
    result.push(isCall ? whole(first, parts.join(', ')) : first);
    if (isCall) at = end;
  }
  return result;
}

function depth(parts: readonly string[]): number {
  const text = parts.join('');
  return text.split('(').length - text.split(')').length;
}

/** The words of a scalar without quotes. */
function textOf(node: unknown): string | undefined {
  return isScalar(node) && node.type === Scalar.PLAIN ? (node.source ?? String(node.value)) : undefined;
}

function mustBeUnique(map: YAMLMap, where: string): void {
  const keys = map.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
  const twice = keys.find((key, i) => key !== '' && keys.indexOf(key) !== i);
  if (twice !== undefined)
    throw new UsageError(
      `${where}: the description is no YAML: Map keys must be unique: '${twice}' is there twice`,
    );
}
