import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** Version in this package's `package.json`, e.g. `0.1.0`. */
export function packageVersion(): string {
  const text = readFileSync(join(packageRoot, 'package.json'), 'utf8');
  return String((JSON.parse(text) as { version?: unknown }).version);
}
