/** What a JSON text says; undefined where it is none, because it was cut short, say. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
