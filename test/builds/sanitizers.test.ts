// The emulated library inside of programs that sanitizers watch: it runs, and they find nothing in it.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Library } from '../../src/emit/emit.ts';
import { installLibrary } from '../../src/emit/install.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, toolEnvironment, toolFolders } from '../helpers/library.ts';

const root = mkdtempSync(join(tmpdir(), 'tilewright-sanitizers-'));
const source = join(packageRoot, 'test/fixtures/c/threads.c');
let library: Library;

beforeAll(async () => {
  const where = 'path == "mma" && block == 64 && input == "f16" && output == "f16" && producers == 4';
  library = await emitTestLibrary({ out: root, where, cuda: false });
}, 120_000);
afterAll(() => rm(root, { recursive: true, force: true }));

test.each(['thread', 'address,undefined'])(
  '16 threads under -fsanitize=%s',
  {
    timeout: 600_000,
  },
  async (sanitizer) => {
    const flags = [`-fsanitize=${sanitizer}`, '-fno-sanitize-recover=all', '-g1'];
    const prefix = join(root, sanitizer);
    await installLibrary(library.path, prefix, localExecutor, {
      ...{ shared: false, cuda: 'off', toolFolders },
      define: {
        CMAKE_BUILD_TYPE: 'None',
        CMAKE_CXX_FLAGS: `-O1 ${flags.join(' ')}`,
        CMAKE_UNITY_BUILD: 'ON',
      },
    });
    const program = join(prefix, 'threads');
    const links = ['-I', join(prefix, 'include'), '-L', join(prefix, 'lib'), '-ltilewright_emulated'];
    const argv = [
      'gcc',
      '-std=c11',
      ...flags,
      source,
      '-o',
      program,
      ...links,
      '-lstdc++',
      '-lm',
      '-lpthread',
    ];
    const compiled = await localExecutor.run(argv, { env: toolEnvironment });
    expect(compiled.exitCode, compiled.stderr).toBe(0);
    const { exitCode, stdout, stderr } = await localExecutor.run([program], {
      env: { ASAN_OPTIONS: 'detect_stack_use_after_return=1' },
      timeoutMs: 120_000,
    });
    expect(stderr).toBe('');
    expect(stdout).toBe('OK\n');
    expect(exitCode).toBe(0);
  },
);
