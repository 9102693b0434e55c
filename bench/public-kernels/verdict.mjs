// Verdicts of `validate` on the kernels of public repositories.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const validate = join(dirname(fileURLToPath(import.meta.url)), '../../dist/validate.js');
const run = promisify(execFile);

/** Verdicts in the output of `validate --json`, one for each kernel and device. */
export function verdictsIn(stdout) {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map(({ verdict, evidence, message }) => ({
      word: verdict ?? 'refused',
      message: (evidence?.message ?? message ?? '').split('\n')[0],
      ...(evidence?.sanitizer && { sanitizer: evidence.sanitizer }),
    }));
}

/** A verdict for each device, or the reason of a refusal; `given`: a file that gets the description; `keys`: digests of what was compiled. */
export async function verdictsOn({ path, include, description }, given, options = []) {
  writeFileSync(given, JSON.stringify(description));
  const folders = include.flatMap((folder) => ['--include', folder]);
  const argv = [validate, path, '--description', given, '--json', '--quiet', ...folders, ...options];
  const begin = performance.now();
  const { stdout, stderr } = await run(process.execPath, argv, {
    maxBuffer: 1 << 28,
    timeout: 300_000,
  }).catch((error) => ({ stdout: error.stdout ?? '', stderr: error.stderr ?? String(error) }));
  const verdicts = verdictsIn(stdout);
  return {
    verdicts: verdicts.length > 0 ? verdicts : [{ word: 'refused', message: stderr.split('\n')[0] }],
    keys: [...stdout.matchAll(/"key":"(\w+)"/g)].map(([, key]) => key),
    seconds: Math.round((performance.now() - begin) / 100) / 10,
  };
}
