/** Control characters but for line feed and tab, and Unicode's ends of lines: a terminal may take them for commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** A text with every such character spelt out, as `\x1b` or `\u2028`. */
export function printable(text: string): string {
  return text.replaceAll(control, (one) => {
    const code = one.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
  });
}

/** Whether a text can be a part of a message, a command and a table. */
export function isOneLine(text: string): boolean {
  return printable(text) === text && !/[\n\t]/.test(text);
}

/** The same of every text in a plain value, names of members included. */
export function printableValue<T>(value: T): T {
  if (typeof value === 'string') return printable(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(printableValue) as T;
  const members = Object.entries(value).map(([name, member]) => [printable(name), printableValue(member)]);
  return Object.fromEntries(members) as T;
}
