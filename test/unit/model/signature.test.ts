import { expect, it } from 'vitest';
import { wrapped } from '../../../src/model/signature.ts';

it('documentation is wrapped between words; a longer word has a line of its own', () => {
  expect(wrapped('rows of A and of C', 9)).toEqual(['rows of A', 'and of C']);
  expect(wrapped('a workspace_of_many_bytes here', 9)).toEqual(['a', 'workspace_of_many_bytes', 'here']);
  expect(wrapped('', 9)).toEqual(['']);
});
