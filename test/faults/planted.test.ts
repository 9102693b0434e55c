import { chmodSync, cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { folderOf } from '../helpers/folder.ts';
import { edit, gen, workspace } from '../helpers/gen.ts';

const nobody = 65534;
const asRoot = describe.skipIf(process.getuid?.() !== 0);
if (process.getuid?.() !== 0) console.log('skipped: to act as a second user takes root');

/** Copies a folder as another user, into one that everybody may write. */
async function plant(from: string, to: string): Promise<void> {
  const script = 'umask 022; mkdir -p "$2" && cp -r "$1"/. "$2" && chmod 777 "$2"';
  const argv = ['setpriv', `--reuid=${nobody}`, '--clear-groups', 'sh', '-c', script, 'sh', from, to];
  const { exitCode, stderr } = await localExecutor.run(argv);
  expect(exitCode, stderr).toBe(0);
  expect(statSync(to).uid).toBe(nobody);
}

/** A folder that everybody may write, as /tmp is. */
function openFolder(): string {
  const folder = folderOf();
  chmodSync(folder, 0o1777);
  return folder;
}

asRoot('code that another user has planted where translations are kept is not run', () => {
  const places = { TMPDIR: 'jiti', TILEWRIGHT_CACHE: 'translated' };

  test.each(Object.entries(places))('in a folder of %s', { timeout: 120_000 }, async (variable, name) => {
    const { path } = workspace();
    const own = folderOf();
    await gen(path, ['list'], { TMPDIR: own, TILEWRIGHT_CACHE: own });
    const made = ['jiti', 'translated'].map((one) => join(own, one)).find((one) => existsSync(one));
    if (made === undefined) throw new Error('no translation was kept');
    const forged = join(openFolder(), 'forged');
    cpSync(made, forged, { recursive: true });
    for (const file of readdirSync(forged))
      edit(join(forged, file), (text) => `console.log('planted');${text}`);
    chmodSync(forged, 0o755);
    const shared = openFolder();
    await plant(forged, join(shared, name));
    const env = { TMPDIR: folderOf(), TILEWRIGHT_CACHE: folderOf(), [variable]: shared };
    const { stdout, code } = await gen(path, ['list'], env);
    expect(code).toBe(0);
    expect(stdout).not.toContain('planted');
  });

  test('what is kept is closed to others', async () => {
    const { path } = workspace();
    const cache = folderOf();
    await gen(path, ['list'], { TILEWRIGHT_CACHE: cache });
    expect(statSync(join(cache, 'translated')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(cache, 'translated')).join()).toContain('family');
  });
});
