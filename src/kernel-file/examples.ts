// Parts of descriptions that messages propose.
import type { Parameter } from './signature.ts';

/** An argument in a description, or the field `p.in` of one. */
export function described(name: string, text: string): string {
  return describedEach([[name, text]]);
}

/** Several arguments, or fields, described alike. */
export function describedAll(names: readonly string[], text: string): string {
  return describedEach(names.map((name) => [name, text]));
}

/** Values for all parts of a `float3`. */
export function fieldsExample({ name, lanes }: Parameter): string {
  const parts = ['x', 'y', 'z', 'w'].slice(0, lanes);
  return describedEach(parts.map((part, i) => [`${name}.${part}`, `${i + 1}`]));
}

/** Arguments by name, and fields by path: those of one struct stand together. */
function describedEach(given: readonly (readonly [name: string, text: string])[]): string {
  const names = new Set(given.map(([name]) => name.replace(/\..*/s, '')));
  return [...names]
    .map((argument) => {
      const fields = given
        .filter(([name]) => name.startsWith(`${argument}.`))
        .map(([name, text]) => `${name.slice(argument.length + 1)}: ${text}`);
      const own = given.find(([name]) => name === argument)?.[1];
      return `${argument}: ${own ?? `{ fields: { ${fields.join(', ')} } }`}`;
    })
    .join(', ');
}
