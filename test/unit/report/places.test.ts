import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkedReport } from '../../../src/report/checked.ts';
import { placesIn } from '../../../src/report/places.ts';
import { folderOf } from '../../helpers/folder.ts';

describe('places in a message', () => {
  it.each(['a.cu', 'ba d.cu', 'a:b.cu', 'b\tq.cu', 'q"u.cu', 'a+(b).cu', '1 at 2.cu'])(
    'are found in %j',
    (name) => {
      const message = `store by thread 0 at ${name}:22 and earlier load at own.cuh:31`;
      expect(placesIn(message, `src/${name}`)).toEqual([
        { uri: `src/${name}`, line: 22 },
        { uri: 'src/own.cuh', line: 31 },
      ]);
      expect(placesIn(`src/${name}:7: no`, `src/${name}`)).toEqual([{ uri: `src/${name}`, line: 7 }]);
    },
  );

  it('are shown with their lines', () => {
    const folder = folderOf({ 'ba d.cu': 'first\nsecond\n', 'a.cuh': 'third\n' });
    const message = 'race: store at ba d.cu:2 and load at a.cuh:1, again at ba d.cu:2';
    const verdict = { variant: 'k', device: 'emulated', verdict: 'race', evidence: { message } } as const;
    const report = checkedReport({ kernel: 'k', verdict }, join(folder, 'ba d.cu'), process.stdout);
    expect(report.split('\n').filter((line) => line.includes(' | '))).toEqual([
      expect.stringContaining('1 | third'),
      expect.stringContaining('2 | second'),
    ]);
  });
});
