import type { CompileContext, RunnerCompilers } from '../compile/context.ts';
import { UsageError } from '../errors.ts';
import { type Description, readDescriptions } from './description.ts';
import type { Item } from './items.ts';
import { kernelsIn } from './signature.ts';
import { type ReadSource, readSource } from './source.ts';

/** A kernel of a source with the description that is meant for it. */
export interface Subject {
  /** With the macros that the description defines. */
  readonly source: ReadSource;
  readonly item: Item;
  readonly description: Description;
}

interface SubjectRequest {
  /** This kernel alone. */
  readonly kernel?: string;
  /** File of descriptions, in place of the source's own. */
  readonly description?: string;
  readonly include: readonly string[];
}

/** The kernels to check: those described, else all that the source defines. */
export async function subjectsOf(
  source: ReadSource,
  { kernel: wanted, description: elsewhere, include }: SubjectRequest,
  { compilers, context }: { readonly compilers: RunnerCompilers; readonly context: CompileContext },
): Promise<Subject[]> {
  const read = new Map<string, Promise<ReadSource>>();
  const asDefined = (description: Description): Promise<ReadSource> => {
    const flags = Object.entries(description.defines ?? {}).map(([name, value]) => `-D${name}=${value}`);
    if (flags.length === 0) return Promise.resolve(source);
    const key = flags.join(' ');
    const own = read.get(key) ?? readSource(source.path, compilers, context, include, flags);
    read.set(key, own);
    return own;
  };
  const described: Subject[] = [];
  for (const description of readDescriptions(source.path, source.text, elsewhere)) {
    const own = await asDefined(description);
    described.push({ source: own, description, item: kernelIn(own, description.kernel) });
  }
  if (wanted === undefined && described.length > 0) return described;
  if (wanted === undefined) return allKernels(source).map((item) => ({ source, item, description: {} }));
  const own = described.filter(({ item }) => nameOf(item) === plainName(wanted));
  const exact = own.filter(({ description }) => description.kernel === wanted);
  if (exact.length > 0) return exact;
  const [first] = own;
  if (first && !wanted.includes('<')) return own;
  const item = first?.item ?? kernelIn(source, wanted);
  return [{ source: first?.source ?? source, item, description: { ...first?.description, kernel: wanted } }];
}

function allKernels({ items, path }: ReadSource): Item[] {
  const kernels = kernelsIn(items);
  if (kernels.length > 0) return kernels;
  throw new UsageError(`${path} defines no kernel (a function with __global__)`);
}

/** The kernel of that name; without one, the only kernel. */
function kernelIn(source: ReadSource, name: string | undefined): Item {
  const kernels = allKernels(source);
  const known = kernels.map(nameOf).join(', ');
  const [only] = kernels;
  if (name === undefined && only && kernels.length === 1) return only;
  if (name === undefined)
    throw new UsageError(
      `${source.path} has several kernels: say in each description which is meant, e.g. kernel: ${known.split(', ')[0]} (there are: ${known})`,
    );
  const item = kernels.find((one) => nameOf(one) === plainName(name));
  if (item) return item;
  throw new UsageError(`${source.path} defines no kernel '${plainName(name)}'; it defines: ${known}`);
}

function nameOf({ names }: Item): string | undefined {
  return names.at(-1);
}

function plainName(kernel: string): string {
  return kernel.replace(/<.*/s, '').split('::').at(-1)?.trim() ?? '';
}
