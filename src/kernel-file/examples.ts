// Parts of descriptions that messages propose.
import type { Parameter } from './signature.ts';

/** An argument in a description, or the field `p.in` of one. */
export function described(name: string, text: string): string {
  const dot = name.indexOf('.');
  return dot < 0
    ? `${name}: ${text}`
    : `${name.slice(0, dot)}: { fields: { ${name.slice(dot + 1)}: ${text} } }`;
}

/** Several arguments, or fields, described alike: fields of one struct together. */
export function describedAll(names: readonly string[], text: string): string {
  const structs = new Map<string, string[]>();
  for (const name of names) {
    const [first = '', ...path] = name.split('.');
    structs.set(first, [...(structs.get(first) ?? []), ...(path.length > 0 ? [path.join('.')] : [])]);
  }
  return [...structs]
    .map(([name, fields]) => {
      const inside = fields.map((field) => `${field}: ${text}`).join(', ');
      return `${name}: ${inside ? `{ fields: { ${inside} } }` : text}`;
    })
    .join(', ');
}

/** Values for all parts of a `float3`; of one within a struct each is a field of the struct. */
export function fieldsExample({ name, lanes }: Parameter): string {
  const parts = ['x', 'y', 'z', 'w'].slice(0, lanes);
  const dot = name.indexOf('.');
  const path = dot < 0 ? '' : `${name.slice(dot + 1)}.`;
  const values = parts.map((part, i) => `${path}${part}: ${i + 1}`).join(', ');
  return `${dot < 0 ? name : name.slice(0, dot)}: { fields: { ${values} } }`;
}
