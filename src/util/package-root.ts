import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder that holds `templates/` and `harness/`. Found from this file, never from the working directory: it is two
 * levels up from both `src/util` and `dist/util`.
 */
export const packageRoot: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
