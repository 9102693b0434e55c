import { expect, test } from 'vitest';
import { familyUnit } from '../../../src/compile/family-source.ts';
import { folderOf } from '../../helpers/folder.ts';

const signature = { name: 'my_op', text: '', computes: 'product' as const };

test('an operation that computes a product needs neither an oracle nor baselines of its own', () => {
  const text = familyUnit('cuda', { familyFolder: folderOf({}), signature });
  expect(text).toContain('ProductProblem<my_op::Shape, my_op::Call>');
  expect(text).toContain('vendor::cublaslt_baselines<my_op::Shape, my_op::Call>()');
});

test('what the family says itself comes first, and the CPU has no baselines', () => {
  const familyFolder = folderOf({ 'oracle.hpp': '', 'vendor.hpp': '' });
  const text = '#include "oracle.hpp"\n#include "vendor.hpp"\n';
  expect(familyUnit('cuda', { familyFolder, signature })).toBe(text);
  expect(familyUnit('emulated', { familyFolder, signature })).toContain('make_baselines() { return {}; }');
});
