import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wgmmaShapes } from '../../kit/device/tw/wgmma_shapes.ts';

const root = join(import.meta.dirname, '../..');
const header = readFileSync(join(root, 'kit/device/tw/ptx.cuh'), 'utf8');
const conformance = join(root, 'harness/conformance');

/** Names of the wrappers in namespace ptx, with the comment above each; helpers in ptx::detail are left out. */
function wrappers(): ReadonlyMap<string, string> {
  const visible = header.replace(/namespace detail \{[\s\S]*?\n\} {2}\/\/ namespace detail/g, '');
  const declaration = /((?:^\/\/\/.*\n)+)(?:template <[^>]*>\n)?TW_DEVICE [^(]*?\b(\w+)\(/gm;
  return new Map([...visible.matchAll(declaration)].map((match) => [match[2] ?? '', match[1] ?? '']));
}

/** Helpers that are no instruction of their own. */
const COMPOSED = ['warp_id', 'unpack', 'bar_sync_of', 'bar_arrive_of', 'cluster_sync', 'wgmma_descriptor'];
/** Wrappers that no output can show: they end the kernel. */
const NOT_SHOWN = ['trap'];

describe('ptx.cuh', () => {
  it('documents every wrapper with the section of the PTX ISA manual', () => {
    const undocumented = [...wrappers()]
      .filter(([name, comment]) => !COMPOSED.includes(name) && !comment.includes('PTX ISA: '))
      .map(([name]) => name);
    expect(undocumented).toEqual([]);
  });

  it('has the shapes of wgmma as they are generated', () => {
    expect(readFileSync(join(root, 'kit/device/tw/wgmma_shapes.cuh'), 'utf8')).toBe(wgmmaShapes());
  });

  it('has a conformance case for every wrapper', () => {
    const cases = readdirSync(conformance)
      .filter((file) => file.endsWith('.cu'))
      .map((file) => readFileSync(join(conformance, file), 'utf8'))
      .join('\n');
    const uncovered = [...wrappers().keys()].filter(
      (name) => !NOT_SHOWN.includes(name) && !new RegExp(`ptx::${name}\\b`).test(cases),
    );
    expect(wrappers().size).toBeGreaterThan(60);
    expect(uncovered).toEqual([]);
  });
});
