/** Control characters but for line feed and tab: a terminal may take them for commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A text with every control character spelt out, as `\x1b`. */
export function printable(text: string): string {
  return text.replaceAll(control, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** The same of every text in a plain value, names of members included. */
export function printableValue<T>(value: T): T {
  if (typeof value === 'string') return printable(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(printableValue) as T;
  const members = Object.entries(value).map(([name, member]) => [printable(name), printableValue(member)]);
  return Object.fromEntries(members) as T;
}
