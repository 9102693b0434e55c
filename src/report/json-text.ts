const lineWidth = 110;

/**
 * JSON that people can read and diff: whatever fits into a line, and every record without inner structure (such as a
 * measurement with its samples), stands on one line.
 */
export function jsonText(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return line;
  if (indent.length + line.length <= lineWidth || isFlat(value)) return line;
  const inner = `${indent} `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((item) => inner + jsonText(item, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => `${inner}${JSON.stringify(key)}: ${jsonText(item, inner)}`);
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

function isFlat(value: object): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'number');
  return Object.values(value).every(
    (item) =>
      typeof item !== 'object' || (Array.isArray(item) && item.every((one) => typeof one === 'number')),
  );
}
