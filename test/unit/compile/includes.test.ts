import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { includeHash } from '../../../src/compile/includes.ts';
import { folderOf } from '../../helpers/folder.ts';

const text = '#include "a.hpp"\n  # include <vector>\nint x;\n';

function tree() {
  return folderOf({
    'a.hpp': '#include "deep/b.hpp"\n',
    'deep/b.hpp': '#include "c.hpp"\n',
    'deep/c.hpp': '// c\n',
    'other.hpp': '',
  });
}

describe('includeHash', () => {
  test('is the same for the same text and headers, wherever they lie', () => {
    expect(includeHash(text, [tree()])).toBe(includeHash(text, [tree()]));
  });

  test.each(['a.hpp', 'deep/b.hpp', 'deep/c.hpp'])('changes with %s', (name) => {
    const folder = tree();
    const before = includeHash(text, [folder]);
    writeFileSync(join(folder, name), '#include "deep/b.hpp"\n#include "c.hpp"\n// changed\n');
    expect(includeHash(text, [folder])).not.toBe(before);
  });

  test('does not change with a header that nobody includes', () => {
    const folder = tree();
    const before = includeHash(text, [folder]);
    writeFileSync(join(folder, 'other.hpp'), '// changed\n');
    expect(includeHash(text, [folder])).toBe(before);
  });

  test('ends on headers that include each other', () => {
    const folder = folderOf({ 'a.hpp': '#include "b.hpp"\n', 'b.hpp': '#include "a.hpp"\n' });
    expect(includeHash(text, [folder])).toMatch(/^[0-9a-f]{64}$/);
  });

  test('finds headers beside a source', () => {
    const folder = tree();
    expect(includeHash(text, [], folder)).not.toBe(includeHash(text, []));
  });
});
