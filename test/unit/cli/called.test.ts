import { describe, expect, test } from 'vitest';
import { asCalled } from '../../../src/cli/called.ts';
import { subjectOf } from '../../../src/cli/options.ts';

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
  expect(subjectOf('mine.cu')).toEqual(['mine.cu', undefined]);
});
