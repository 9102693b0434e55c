import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { type JournalRecord, recordSchema } from '../model/event.ts';
import { ifThere, onDisk, readRegular, writeAll } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';

/**
 * An append-only file of records, one JSON line each. Only its last line can be torn, by a process that was killed: it is left
 * out when the journal is read and cut off before anything is appended. A line that the disk does not take is taken back.
 */
export class Journal {
  readonly path: string;
  /** Records that it held when it was read. */
  readonly held: readonly JournalRecord[];
  /** Bytes of whole lines. */
  #size: number;
  #file: number | undefined;
  #closed = false;

  /** Reads it; the file is not touched. Throws a UsageError for a damaged one. */
  constructor(path: string) {
    this.path = path;
    const bytes = ifThere(`read ${path}`, () => readRegular(path)) ?? Buffer.alloc(0);
    this.#size = bytes.lastIndexOf('\n') + 1;
    const text = onDisk(`read ${path}`, () => bytes.toString('utf8', 0, this.#size));
    const lines = text.split('\n').slice(0, -1);
    this.held = lines.map((line, index) => parseLine(line, `${path}:${index + 1}`));
  }

  append(record: JournalRecord): void {
    onDisk(`write ${this.path}`, () => this.#write(Buffer.from(`${JSON.stringify(record)}\n`)));
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#closed = true;
  }

  #write(line: Buffer): void {
    const file = this.#file ?? this.#open();
    try {
      writeAll(file, line);
    } catch (error) {
      ftruncateSync(file, this.#size);
      throw error;
    }
    this.#size += line.length;
  }

  #open(): number {
    if (this.#closed) throw new Error(`${this.path} is closed`);
    const file = openSync(this.path, 'a');
    this.#file = file;
    ftruncateSync(file, this.#size);
    return file;
  }
}

function parseLine(line: string, place: string): JournalRecord {
  const json = parseJson(line);
  const parsed = recordSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const why = json === undefined ? 'it is no JSON' : z.prettifyError(parsed.error);
  throw new UsageError(
    `${place} is no record of a journal: ${why}\n  delete the line, or begin a new run without --resume`,
  );
}
