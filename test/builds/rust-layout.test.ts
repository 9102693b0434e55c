// The Rust crates as text, for every family that there is; test/builds/rust.test.ts compiles and runs them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFamily } from '../../src/discover.ts';
import { bindingFolder, loadPackageBinding } from '../../src/emit/binding.ts';
import type { Manifest } from '../../src/model/manifest.ts';
import { callFields, problemFields } from '../../src/model/signature.ts';
import { renderText } from '../../src/render/engine.ts';
import { packageRoot } from '../../src/util/package-root.ts';

const names = readdirSync(join(packageRoot, 'templates/kernels'));

describe.each(names)('the Rust modules of %s', (name) => {
  it.each(['tilewright-sys', 'tilewright'])('of %s have every field of its signature', async (crate) => {
    const { family } = await loadFamily(name);
    const signature = family.operation;
    const manifest = {
      operations: { [signature.name]: { signature } },
      provenance: { generator: { version: '1.2.3' } },
      licence: { spdx: 'MIT' },
    } as unknown as Manifest;
    const binding = await loadPackageBinding('rust');
    const files = binding.files(manifest, () => false);
    const own = files.find(({ to }) => to === `${crate}/src/${signature.name}.rs`);
    const from = join(bindingFolder('rust'), own?.from ?? '');
    const text = renderText(readFileSync(from, 'utf8'), own?.context ?? {}, from);
    for (const field of [...problemFields(signature), ...callFields(signature)])
      expect(text).toMatch(new RegExp(`^    pub (r#)?${field.name}: \\S+`, 'm'));
    expect(text).not.toContain('undefined');
  });
});
