import { createHash } from 'node:crypto';

/** SHA-256 of the parts, hex. Parts are told apart: `('ab')` and `('a', 'b')` differ. */
export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}
