// The crates as seen by a registry and by a machine with an installed library. Builds the library three times: not part of `npm test`.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { installLibrary } from '../../src/emit/install.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { toolFolders } from '../helpers/library.ts';
import { cargo, cargoWith, rustOut, useCrates } from '../helpers/rust.ts';

const { test, missing } = useCrates('rust');

describe('cargo package', () => {
  const flags = ['--allow-dirty', '--no-verify'];

  test('takes tilewright-sys with the library in it, and tilewright', async () => {
    const listed = await cargo('rust', 'package', '-p', 'tilewright-sys', ...flags, '--list');
    expect(listed.code, listed.text).toBe(0);
    expect(listed.text).toContain('vendor/manifest.json');
    const { code, text } = await cargo('rust', 'package', '--workspace', ...flags);
    expect(code, text).toBe(0);
    for (const name of ['tilewright-sys', 'tilewright'])
      expect(text).toMatch(new RegExp(`Packaging ${name} v`));
  });

  test('takes the crates for Burn, with the other crates in place of a registry', async () => {
    const others = ['tilewright', 'tilewright-sys'].flatMap((name) => [
      '--config',
      `patch.crates-io.${name}.path="../${name}"`,
    ]);
    for (const name of ['burn-sparse', 'burn-sparse-cuda']) {
      const { code, text } = await cargo(`rust/${name}`, 'package', ...flags, ...others);
      expect(code, text).toBe(0);
      expect(text).toContain(`Packaging ${name} v`);
    }
  });
});

describe.each([true, false])('an installed library, shared: %s', (shared) => {
  const prefix = join(rustOut, shared ? 'shared' : 'static');
  const example = ['run', '-p', 'tilewright', '--no-default-features', '--example', 'library'];
  const libraries = { LD_LIBRARY_PATH: join(prefix, 'lib') };

  beforeAll(async () => {
    if (missing() !== undefined) return;
    rmSync(prefix, { recursive: true, force: true });
    const define = { CMAKE_CXX_FLAGS: '-O1', CMAKE_BUILD_TYPE: 'None', CMAKE_INSTALL_LIBDIR: 'lib' };
    const options = { cuda: 'off', shared, define, toolFolders } as const;
    await installLibrary(join(rustOut, 'library'), prefix, localExecutor, options);
  }, 900_000);

  test('is linked where TILEWRIGHT_DIR names its prefix', async () => {
    const { code, text } = await cargoWith({ TILEWRIGHT_DIR: prefix, ...libraries }, 'rust', ...example);
    expect(code, text).toBe(0);
    expect(text).toContain('Emulated');
  });

  test('is found by pkg-config', async () => {
    const found = { PKG_CONFIG_PATH: join(prefix, 'lib', 'pkgconfig'), ...libraries };
    const { code, text } = await cargoWith(found, 'rust', ...example);
    expect(code, text).toBe(0);
    expect(text).toContain('Emulated');
  });

  test('is asked for in a sentence where it is not', async () => {
    const nowhere = { PKG_CONFIG_PATH: '/nowhere', PKG_CONFIG_LIBDIR: '/nowhere' };
    const { code, text } = await cargoWith(nowhere, 'rust', ...example);
    expect(code).not.toBe(0);
    expect(text).toContain('set TILEWRIGHT_DIR to the library');
    const wrong = await cargoWith({ TILEWRIGHT_DIR: '/nowhere' }, 'rust', ...example);
    expect(wrong.text).toContain('TILEWRIGHT_DIR=/nowhere has no libtilewright_emulated');
  });
});
