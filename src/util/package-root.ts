import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder that holds `kit/`, `templates/` and `harness/`. Found from this file, never from the working directory: it is two
 * levels up from both `src/util` and `dist/util`.
 */
export const packageRoot: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Folders of the headers that kernels, families, the runner and emitted libraries share, below the package's. */
export const kit = { device: 'kit/device', host: 'kit/host' } as const;
