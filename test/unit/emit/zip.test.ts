import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { zipOf } from '../../../src/emit/zip.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import { folderOf } from '../../helpers/folder.ts';

const listing = `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
for one in archive.infolist():
    print(one.filename, oct(one.external_attr >> 16), one.date_time[0], one.file_size)
`;

test('an archive holds its files in their order, with their modes and no date', async () => {
  const entries = [
    { path: 'lib/tool', data: Buffer.from('x'.repeat(1000)), executable: true },
    { path: 'ä.txt', data: Buffer.alloc(0) },
  ];
  const file = join(folderOf(), 'archive.zip');
  writeFileSync(file, zipOf(entries));
  const { stdout } = await localExecutor.run(['python3', '-c', listing, file], { env: { PYTHONUTF8: '1' } });
  expect(stdout.trim().split('\n')).toEqual(['lib/tool 0o100755 1980 1000', 'ä.txt 0o100644 1980 0']);
});
