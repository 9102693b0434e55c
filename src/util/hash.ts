import { createHash } from 'node:crypto';

/** SHA-256 of the data as it is, hex: what `sha256sum` says of a file that holds it. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Hash over several parts, hex. Parts are told apart: `('ab')` and `('a', 'b')` differ. For keys, not for contents. */
export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}
