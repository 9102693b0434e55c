import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isOwnSource } from '../../../src/cli/subject.ts';
import { folderOf } from '../../helpers/folder.ts';

it('a pipe by the name of a source is refused, not waited for', () => {
  const pipe = join(folderOf(), 'fifo.cu');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  expect(() => isOwnSource(pipe, { install: true })).toThrow(
    `cannot read ${pipe}: it is a pipe, a socket or a device, not a file`,
  );
});
