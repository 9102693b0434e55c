import { printableValue } from './printable.ts';

/** Control characters in a JSON text: literal or escaped. */
const suspicious = /[\u007f-\u009f]|\\u00[01789]|\\[bfr]/;

/**
 * The value of a JSON text, with texts that can be printed: files and programs of others write such texts. Undefined where it
 * is no JSON, because it was cut short, say.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return suspicious.test(text) ? printableValue(value) : value;
  } catch {
    return undefined;
  }
}
