import { expect, test } from 'vitest';
import { declarations } from '../../../src/kernel-file/build.ts';
import { readItems } from '../../../src/kernel-file/items.ts';
import { freeSubscripts } from '../../../src/kernel-file/subscripts.ts';
import { tokenise } from '../../../src/kernel-file/tokens.ts';

test('subscripts of arrays that have addresses, or several dimensions, are free', () => {
  const declared = `# 1 "a.cu"
tw_marks_device float table[8];
tw_marks_global void f(float* p) {
  tw_marks_shared int key[4], value[4];
  float own[4], tile[2][2]; /* ä */ own[1] = key[5];
  p[0] = own[0] + table[own[2]] + tile[0][3];
}
`;
  expect(
    freeSubscripts(declared, readItems(tokenise(declared)))
      .trim()
      .split(' '),
  ).toEqual([
    ...['a.cu:1:30', 'a.cu:3:28', 'a.cu:3:38'], // the declarations
    ...['a.cu:4:23', 'a.cu:4:26'],
    'a.cu:4:52', // columns are bytes: ä has two
    ...['a.cu:5:31', 'a.cu:5:41', 'a.cu:5:44'],
  ]);
});

test('a kernel beside the one that is checked may declare what is not understood', () => {
  const preprocessed = `# 1 "a.cu"
tw_marks_global void fine(float* p) { tw_marks_shared float rows[2][4]; p[0] = rows[1][0]; }
tw_marks_global void odd() { tw_marks_shared float (*rows)[4], 3; }
`;
  const items = readItems(tokenise(preprocessed));
  const source = {
    ...{ path: 'a.cu', text: preprocessed, prelude: 'prelude.hpp' as const, preprocessed, items },
    ...{ missing: [], defines: [] },
  };
  const kept = declarations(source, 'fine');
  expect(freeSubscripts(kept.text, kept.items)).toContain(' a.cu:1:');
  expect(() => freeSubscripts(kept.text, items)).toThrow('not understood');
});
