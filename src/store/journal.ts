import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { type JournalRecord, recordSchema } from '../model/event.ts';
import { onDisk } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';

/**
 * An append-only file of records, one JSON line each. A line is written by one call, so that a killed process tears at
 * most the last one; a torn last line is dropped when the journal is opened again.
 */
export class Journal {
  readonly path: string;
  /** What it held when it was opened. */
  readonly held: readonly JournalRecord[];
  readonly #file: number;

  constructor(path: string) {
    this.path = path;
    this.held = readJournal(path);
    this.#file = onDisk(`write ${path}`, () => openSync(path, 'a'));
  }

  append(record: JournalRecord): void {
    onDisk(`write ${this.path}`, () => writeSync(this.#file, `${JSON.stringify(record)}\n`));
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Reads a journal and cuts off what a killed process left unfinished. Throws a UsageError for a damaged one. */
function readJournal(path: string): JournalRecord[] {
  if (!existsSync(path)) return [];
  const text = onDisk(`read ${path}`, () => readFileSync(path, 'utf8'));
  const end = text.lastIndexOf('\n') + 1;
  if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)));
  return text
    .slice(0, end)
    .split('\n')
    .slice(0, -1)
    .map((line, index) => parseLine(line, `${path}:${index + 1}`));
}

function parseLine(line: string, place: string): JournalRecord {
  const parsed = recordSchema.safeParse(parseJson(line));
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `${place} is no record of a journal: ${z.prettifyError(parsed.error)}\n  delete the line, or begin a new run without --resume`,
  );
}
