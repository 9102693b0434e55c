import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSanitizerLog } from '../../../src/kernel-file/sanitizer.ts';
import { folderOf } from '../../helpers/folder.ts';

const race = 'Error: Race reported between Write access at f+0x50 in f.cu:7';

function read(...lines: string[]) {
  const path = join(folderOf({}), 'racecheck.log');
  writeFileSync(path, ['COMPUTE-SANITIZER', ...lines].map((line) => `========= ${line}\n`).join(''));
  return readSanitizerLog(path);
}

describe('a log of compute-sanitizer', () => {
  it('gives the number of hazards and the first', () => {
    const summary = 'RACECHECK SUMMARY: 3 hazards displayed (3 errors, 0 warnings)';
    expect(read(race, '    and Read access at f+0x90 in f.cu:9 [31 hazards]', summary)).toEqual({
      errors: 3,
      first: race,
    });
  });

  it('is not clean since one of its summaries is', () => {
    expect(read('ERROR SUMMARY: 0 errors', race, 'RACECHECK SUMMARY: 1 hazard displayed').errors).toBe(1);
  });

  it('is not clean for want of a summary', () => {
    expect(read(race).errors).toBe(1);
  });

  it('is clean where nothing is listed and summaries count nothing', () => {
    expect(read('RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)').errors).toBe(0);
    expect(readSanitizerLog('/nowhere/racecheck.log').errors).toBe(0);
  });
});
