import { z } from 'zod';
import { parseJson } from '../util/json.ts';

/** A settled key as src/tuner/record.cpp of an emitted library writes it, without its digest. */
const recordSchema = z.object({
  schema: z.literal(1),
  key: z.string().min(1),
  /** Id of the key's choice; of a kernel that is not to be taken where `refused` says why. */
  variant: z.string().min(1),
  /** SHA-256 of the variant's source, hex. */
  hash: z.string(),
  refused: z.string().optional(),
  /** Variants and microseconds, best first. */
  measured: z.array(z.tuple([z.string(), z.number()])),
  /** Seconds since 1970. */
  time: z.number(),
});
export type TuningRecord = Readonly<z.infer<typeof recordSchema>>;

const tail = /,"sum":"([0-9a-f]{16})"\}\n$/;

/** FNV-1a, 64 bits, as 16 hexadecimal digits. */
export function digestOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash.toString(16).padStart(16, '0');
}

/** The record in a file's text, or the reason that it is none. */
export function parseRecord(text: string): TuningRecord | string {
  const found = tail.exec(text);
  if (!found) return 'is cut or no record';
  const body = text.slice(0, found.index);
  if (digestOf(body) !== found[1]) return 'was changed: its digest does not fit';
  return recordSchema.safeParse(parseJson(`${body}}`)).data ?? 'is of another schema';
}

/** Path of a record below its environment's folder. */
export function placeOf({ key, variant, refused }: TuningRecord): string {
  return refused === undefined ? `k/${digestOf(key)}.json` : `r/${digestOf(`${key} ${variant}`)}.json`;
}
