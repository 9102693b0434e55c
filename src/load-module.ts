import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Jiti } from 'jiti';
import { messageOf, UsageError } from './errors.ts';
import { isDiskFault } from './util/disk.ts';
import { privateFolder } from './util/ownership.ts';
import { userCache } from './util/user-cache.ts';

const here = fileURLToPath(import.meta.url);

// Plug-ins outside this package import by these names even where npm cannot resolve them, e.g. under `npx`.
const alias = Object.fromEntries(
  [
    ['tilewright/family', 'model/family'],
    ['tilewright/config', 'config'],
  ].map(([name, file]) => [name, join(dirname(here), `${file}${extname(here)}`)]),
);

let translator: Promise<Jiti> | undefined;

/** Made on first use: commands that read no TypeScript start without it. `keep`: whether translations are kept. */
async function makeTranslator(keep = true): Promise<Jiti> {
  const { createJiti } = await import('jiti');
  // Code from the cache is executed: its default would be a folder under /tmp, where anyone can put a file first.
  const translated = keep ? privateFolder(join(userCache(process.env), 'translated')) : undefined;
  return createJiti(import.meta.url, { alias, interopDefault: false, fsCache: translated ?? false });
}

/**
 * Default export of a TypeScript file of the user's, whether this package runs from `src/` or compiled. Throws a
 * UsageError that begins with file and line for a file that does not parse, does not run, or exports no default.
 */
export async function loadDefault(path: string): Promise<unknown> {
  const loaded = await load(path);
  if (loaded.default === undefined) {
    const names = Object.keys(loaded).filter((name) => name !== 'default');
    const found = names.length > 0 ? `it exports ${names.join(', ')}` : 'it exports nothing';
    throw new UsageError(`${path} has no default export (${found}); write \`export default ...\``);
  }
  return loaded.default;
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  translator ??= makeTranslator();
  const keeping = translator !== withoutCache;
  const jiti = await translator;
  const pending = whilePending();
  try {
    return await Promise.race([jiti.import<Readonly<Record<string, unknown>>>(path), pending.stuck]);
  } catch (error) {
    if (keeping && isDiskFault(error)) return await loadAnew(path);
    throw new UsageError(describe(error, path), { cause: error });
  } finally {
    pending.end();
  }
}

let withoutCache: Promise<Jiti> | undefined;

/** A full disk, on which no translation can be kept, is no fault of the file. */
function loadAnew(path: string): Promise<Readonly<Record<string, unknown>>> {
  withoutCache ??= makeTranslator(false);
  translator = withoutCache;
  return load(path);
}

/** Rejects when nothing is left that could settle the promise which a file waits for: Node would end without a word. */
function whilePending(): { readonly stuck: Promise<never>; end(): void } {
  let stop = () => {};
  const stuck = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('it waits for a promise that nothing settles'));
  });
  process.once('beforeExit', stop);
  return { stuck, end: () => void process.off('beforeExit', stop) };
}

/** `family.ts:12:3: Unexpected token`, from what jiti, Node's resolver or the file itself threw. */
function describe(error: unknown, path: string): string {
  if (!(error instanceof Error)) return `${path}: it threw ${messageOf(error)}`;
  const syntax = /^ParseError: (.*?)\s*\n\s*(\S+:\d+):(\d+)/s.exec(error.message);
  if (syntax) return `${syntax[2]}:${Number(syntax[3]) + 1}: ${syntax[1]}`;
  const [first = ''] = error.message.split('\n');
  // Lines survive jiti's translation, columns do not.
  const frame = new RegExp(`(${escaped(dirname(path))}/[^\\n]*?:\\d+):\\d+\\)?$`, 'm').exec(
    error.stack ?? '',
  );
  return `${frame?.[1] ?? path}: ${first}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
