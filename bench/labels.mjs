// Parts of programs that compare verdicts of `validate` with the labels of a public suite: options, files of the suite, the report.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Flags of the command line beside `--json` and `--commit`, and the suite's folder. `usage`: printed, with exit code 2, where none is named. */
export function asked(usage, options = {}) {
  const { values: flags, positionals } = parseArgs({
    allowPositionals: true,
    options: { ...options, json: { type: 'string' }, commit: { type: 'string' } },
  });
  const [suite] = positionals;
  if (!suite) {
    console.error(`usage: ${usage}`);
    process.exit(2);
  }
  return { flags, suite };
}

/** A new folder for a program's own files, which it removes. */
export function scratchFolder(name) {
  return mkdtempSync(join(tmpdir(), `tilewright-${name}-`));
}

/** The suite's sources whose names have the text, by name. */
export function sourcesIn(suite, text) {
  return readdirSync(suite, { recursive: true })
    .filter((name) => name.endsWith('.cu') && name.includes(text))
    .sort()
    .map((name) => join(suite, name));
}

/** Results of all files by name, so many at a time; `judge` makes one of a file, and `tell` gets each as it comes. */
export async function judgedAll(files, jobs, judge, tell) {
  const waiting = [...files];
  const results = [];
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const one = await judge(next);
        results.push(one);
        tell(one);
      }
    }),
  );
  return results.sort((a, b) => a.name.localeCompare(b.name));
}

/** This checkout's commit, as a member of a report. */
export function ownCommit() {
  const tilewright = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: dirname(fileURLToPath(import.meta.url)),
    encoding: 'utf8',
  }).trim();
  return { tilewright };
}

/** Writes the file that `--json` names: how it was made, and what was found. `own`: what it says of this checkout. */
export function writeReport({ json, commit }, command, found, own = {}) {
  const date = new Date().toISOString().slice(0, 10);
  const report = { command, ...(commit && { commit }), ...own, date, ...found };
  writeFileSync(json, `${JSON.stringify(report, null, 1)}\n`);
}
