import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asCalled } from '../../../src/cli/called.ts';
import { subjectOf } from '../../../src/cli/subject.ts';
import { folderOf } from '../../helpers/folder.ts';

const text = 'see `npx gen doctor`\n    $ npx validate op op.b64';

describe('commands in messages are those that work here', () => {
  test.each([
    ['from a package that depends on this one', '/home/x/node_modules/.bin/gen', text],
    ['from PATH', '/usr/bin/gen', 'see `gen doctor`\n    $ validate op op.b64'],
    [
      'from a file below the working directory',
      `${process.cwd()}/dist/cli.js`,
      'see `node dist/cli.js doctor`\n    $ node dist/cli.js validate op op.b64',
    ],
    [
      'from the program validate elsewhere',
      '/opt/dist/validate.js',
      'see `node /opt/dist/cli.js doctor`\n    $ node /opt/dist/cli.js validate op op.b64',
    ],
  ])('called %s', (_, script, expected) => {
    expect(asCalled(text, script)).toBe(expected);
  });
});

test('a variant alone says which family it is of', () => {
  expect(subjectOf('bsr_spmm.naive.b64')).toEqual(['bsr_spmm', 'bsr_spmm.naive.b64']);
  expect(subjectOf('bsr-spmm', 'bsr_spmm.naive.b64')).toEqual(['bsr-spmm', 'bsr_spmm.naive.b64']);
  expect(subjectOf('bsr-spmm')).toEqual(['bsr-spmm', undefined]);
});

test('a file alone says it by its first line, its name, or what it is taken for', () => {
  const folder = folderOf({ 'mine.cu': '// my_op.t64.v1\n', 'my_op.t64.v2.cu': '', 'bare.cu': '' });
  const mine = join(folder, 'mine.cu');
  expect(subjectOf(mine)).toEqual(['my_op', mine]);
  expect(subjectOf(mine, undefined, 'other.t64')).toEqual(['other', mine]);
  expect(subjectOf(join(folder, 'my_op.t64.v2.cu'))[0]).toBe('my_op');
  expect(() => subjectOf(join(folder, 'bare.cu'))).toThrow(/bare\.cu does not say which variant/);
  expect(() => subjectOf(join(folder, 'none.cu'))).toThrow(/there is no file .*none\.cu/);
});
