import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { newKernel } from '../../src/scaffold.ts';
import { gen, workspace } from '../helpers/gen.ts';
import { toolEnvironment } from '../helpers/library.ts';

const consumer = (kind: string) => `cmake_minimum_required(VERSION 3.21)
project(consumer LANGUAGES C)
find_package(tilewright REQUIRED)
get_target_property(kind tilewright::emulated TYPE)
if(NOT kind STREQUAL ${kind}_LIBRARY)
  message(FATAL_ERROR "tilewright::emulated is a \${kind}")
endif()
`;

/** One compiler call per target. test/builds/bindings.test.ts compiles file by file, with every warning an error. */
const unity = 'set(CMAKE_UNITY_BUILD ON)\nset(CMAKE_UNITY_BUILD_BATCH_SIZE 0)\n';

test('gen emit --prefix installs what find_package finds, shared or as archives', {
  timeout: 600_000,
}, async () => {
  const { path, out } = workspace();
  const toolchain = join(path, 'unity.cmake');
  writeFileSync(toolchain, unity);
  // Nothing runs here, so nothing is optimised: as CMake would have it, it takes minutes to compile.
  const cheaply = { CMAKE_BUILD_TYPE: 'None', CMAKE_TOOLCHAIN_FILE: toolchain };
  newKernel('my-op', path);
  const config = "export default { families: ['kernels/*', 'templates/kernels/*'] };\n";
  writeFileSync(join(path, 'gen.config.ts'), config);
  for (const family of [
    ['scale', '--preset', 'sound'],
    ['my-op', '--preset', 'quick'],
  ])
    await gen(path, ['sweep', ...family, '--limit', '1', '--device', 'emulated']);
  const operations = () => Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).operations);
  const manifest = join(out, 'library/manifest.json');
  expect(operations()).toEqual(['my_op', 'scale']);
  rmSync(join(out, 'library'), { recursive: true });
  expect((await gen(path, ['emit', 'scale'])).code).toBe(0);
  expect(operations()).toEqual(['scale']);
  const nowhere = await gen(path, ['emit', '--prefix', join(toolchain, 'opt')]);
  expect(nowhere).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('name another folder with --prefix'),
  });
  for (const [kind, flags] of [
    ['SHARED', []],
    ['STATIC', ['--static']],
  ] as const) {
    const { code, stdout, stderr } = await gen(
      path,
      ['emit', 'scale', 'my-op', '--prefix', kind, ...flags],
      cheaply,
    );
    expect(stderr).toContain(`-DCMAKE_PREFIX_PATH=${join(path, kind)}`);
    expect(stdout).toContain('No times: this run has none');
    expect(stdout).toMatch(new RegExp(`^prefix +${kind}$`, 'm'));
    expect(code).toBe(0);
    expect(stderr).toMatch(/the library keeps scale of run scale-/);
    for (const name of ['scale', 'my_op'])
      expect(existsSync(join(path, kind, `include/tilewright/${name}.h`)), name).toBe(true);
    writeFileSync(join(path, 'CMakeLists.txt'), consumer(kind));
    const configure = ['cmake', '-S', '.', '-B', `build-${kind}`, `-DCMAKE_PREFIX_PATH=${join(path, kind)}`];
    const found = await localExecutor.run(configure, { cwd: path, env: toolEnvironment });
    expect(found.exitCode, found.stderr).toBe(0);
  }
});
