import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { automatic } from '../../src/backends/index.ts';
import { loadConfig } from '../../src/config.ts';
import { folderOf } from '../helpers/folder.ts';

const configured = (text: string) =>
  folderOf({ 'gen.config.ts': text, 'package.json': '{}', 'deep/er/file': '' });

describe('loadConfig', () => {
  it('has defaults, relative to the working directory', async () => {
    const folder = folderOf({ 'package.json': '{}' });
    expect(await loadConfig(folder)).toEqual({
      out: join(folder, 'generated'),
      jobs: availableParallelism(),
      families: [{ from: folder, pattern: 'templates/kernels/*' }],
      watchdogSeconds: 30,
      device: automatic,
    });
  });

  it('is found from a folder below, and its paths are relative to it', async () => {
    const folder = configured(`import { defineConfig } from 'tilewright/config';
export default defineConfig({ out: 'build/kernels', arch: 'sm_80', families: ['./ops/*'], jobs: 3 });
`);
    expect(await loadConfig(join(folder, 'deep/er'))).toMatchObject({
      out: join(folder, 'build/kernels'),
      families: [{ from: folder, pattern: 'ops/*' }],
      arch: 'sm_80',
      jobs: 3,
    });
  });

  it('is not taken from another project further up', async () => {
    const folder = folderOf({ 'gen.config.ts': 'export default { jobs: 3 };', 'inner/package.json': '{}' });
    expect((await loadConfig(join(folder, 'inner'))).out).toBe(join(folder, 'inner/generated'));
  });

  it.each([
    ['an unknown field', '{ job: 2 }', /gen\.config\.ts:\n.*Unrecognized key: "job"/],
    ['a wrong type', "{ jobs: 'two' }", /expected number, received string\s+→ at jobs/],
    ['no jobs', '{ jobs: 0 }', /→ at jobs/],
    ['a wrong arch', "{ arch: 'hopper' }", /must look like 'sm_90a'\s+→ at arch/],
    [
      'a list of archs',
      "{ arch: ['sm_80', 'sm_90a'] }",
      /must be one architecture, e\.g\. 'sm_90a': a run compiles for one; begin a run .* --arch\s+→ at arch/,
    ],
    ['an arch that is no text', '{ arch: 80 }', /expected string, received number\s+→ at arch/],
    [
      'a wrong device',
      "{ device: 'gpu' }",
      /there is no device 'gpu': choose auto, emulated, cuda, .*\s+→ at device/,
    ],
    ['no object', '7', /expected object, received number/],
    ['what does not parse', '{ jobs: }', /gen\.config\.ts:1:24: Unexpected token/],
  ])('refuses %s', async (_, text, message) => {
    await expect(loadConfig(configured(`export default ${text};\n`))).rejects.toThrow(message);
  });

  it('names a config file that is not there', async () => {
    const folder = folderOf();
    await expect(loadConfig(folder, 'my.config.ts')).rejects.toThrow(
      `there is no config file ${folder}/my.config.ts`,
    );
  });
});
