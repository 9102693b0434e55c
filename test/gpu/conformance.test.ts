import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';

const recorded = mkdtempSync(join(tmpdir(), 'tilewright-conformance-'));
const golden = join(packageRoot, 'harness/conformance/golden');

afterAll(() => rmSync(recorded, { recursive: true, force: true }));

/** The cases of a golden file; where and when it was recorded does not matter here. */
function casesOf(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')).cases;
}

// The recorder compares every wrapper with its reference and fails when this GPU disagrees.
it('runs every wrapper on this GPU and agrees with the committed goldens', { timeout: 300_000 }, () => {
  const recorder = join(packageRoot, 'harness/conformance/record.sh');
  execFileSync(recorder, [recorded], { stdio: ['ignore', 'inherit', 'inherit'] });
  const exact = readdirSync(golden).filter(
    (file) => file.endsWith('.json') && file !== 'fragments.json' && file !== 'wgmma.json',
  );
  expect(exact.length).toBeGreaterThan(0);
  for (const file of exact) expect(casesOf(recorded, file), file).toEqual(casesOf(golden, file));
});
