import { watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { checkOwnSource } from './kernel-file.ts';
import { mustSuitOwnSource } from './kernel-file-options.ts';
import type { Options } from './options.ts';
import { remark } from './output.ts';

/** Files that a check may read. */
const readable = /\.(cu|cuh|c|cc|cpp|h|hpp|py|npy|yaml|yml|json)$/;

/** Editors write in several steps, milliseconds apart. */
const quiet = 150;

/** `validate x.cu --watch`: checks again whenever a file beside the source, its description or its headers changes; until interrupted. */
export async function watchOwnSource(
  file: string,
  kernel: string | undefined,
  options: Options,
): Promise<never> {
  mustSuitOwnSource(options);
  const { description, include = [] } = options;
  const folders = [file, ...(description === undefined ? [] : [description])].map((one) =>
    dirname(resolve(one)),
  );
  for (;;) {
    const change = nextChange([...folders, ...include.map((one) => resolve(one))]);
    await checkOwnSource(file, kernel, options).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      remark(error.message);
    });
    remark(`${file}: waiting for a change`);
    await change;
  }
}

/** Resolves a moment after the next change of a readable file in one of the folders. */
function nextChange(folders: readonly string[]): Promise<void> {
  return new Promise((settle) => {
    let timer: NodeJS.Timeout | undefined;
    const watchers = [...new Set(folders)].map((folder) =>
      watch(folder, (_, name) => {
        if (name === null || !readable.test(name)) return;
        clearTimeout(timer);
        timer = setTimeout(() => {
          for (const one of watchers) one.close();
          settle();
        }, quiet);
      }),
    );
  });
}
