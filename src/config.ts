import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, normalize, resolve } from 'node:path';
import { z } from 'zod';
import { automatic, parseDevices } from './backends/index.ts';
import { UsageError } from './errors.ts';
import { loadDefault } from './load-module.ts';

const count = z.number().int().positive();

/** Devices as a file names them. */
const choiceSchema = z.string().transform((text, context) => {
  try {
    return parseDevices(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

const oneArch =
  "must be one architecture, e.g. 'sm_90a': a run compiles for one; begin a run for each further one with --arch";

/** Contents of `gen.config.ts`. Flags of the command line win over it. */
const configSchema = z.strictObject({
  /** Folder for everything that is generated. Relative to the config file, like every path here. */
  out: z.string().min(1).default('generated'),
  /** Architecture to compile for, e.g. `'sm_80'`. Absent: that of the GPU, else sm_90a. */
  arch: z
    .string({ error: ({ input }) => (Array.isArray(input) ? oneArch : undefined) })
    .regex(/^sm_\d+[af]?$/, "must look like 'sm_90a'")
    .optional(),
  /** Compilations and emulated devices at a time. Absent: as many as there are cores. */
  jobs: count.default(() => availableParallelism()),
  /** Globs of folders with kernel families, beside the package's own. */
  families: z.array(z.string().min(1)).default(['templates/kernels/*']),
  /** Seconds without a sign of life after which a variant is a `hang`. */
  watchdogSeconds: z.number().positive().default(30),
  /** Devices that gate: `'auto'` (the emulated device, then the GPUs where there are any), `'emulated'`, `'cuda'`, `'cuda:0,2'`. */
  device: choiceSchema.default(automatic),
});

/** Configuration as a user writes it: every field is optional. */
export type UserConfig = Readonly<z.input<typeof configSchema>>;
type Parsed = Readonly<z.output<typeof configSchema>>;
/** With defaults filled in, paths made absolute, and globs beside the folder that they start at. */
export type Config = Omit<Parsed, 'families'> & {
  readonly families: readonly { readonly from: string; readonly pattern: string }[];
};

/** Types a `gen.config.ts`; returns it unchanged. */
export function defineConfig(config: UserConfig): UserConfig {
  return config;
}

/**
 * The configuration for a working directory: that of `file` if given, else of the nearest `gen.config.ts` upwards, else
 * the defaults. Throws a UsageError that names every wrong field.
 */
export async function loadConfig(cwd: string = process.cwd(), file?: string): Promise<Config> {
  const path = file === undefined ? findConfig(cwd) : resolve(cwd, file);
  if (path === undefined) return absolute(configSchema.parse({}), cwd);
  if (!existsSync(path)) throw new UsageError(`there is no config file ${path}`);
  const parsed = configSchema.safeParse(await loadDefault(path));
  if (!parsed.success) throw new UsageError(`${path}:\n${z.prettifyError(parsed.error)}`);
  return absolute(parsed.data, dirname(path));
}

function absolute(config: Parsed, from: string): Config {
  const families = config.families.map((pattern) => ({ from, pattern: normalize(pattern) }));
  return { ...config, out: resolve(from, config.out), families };
}

/** Stops at the first folder with a `package.json` or `.git`: a config further up belongs to another project. */
function findConfig(folder: string): string | undefined {
  const path = join(folder, 'gen.config.ts');
  if (existsSync(path)) return path;
  const top = ['package.json', '.git'].some((mark) => existsSync(join(folder, mark)));
  const parent = dirname(folder);
  return top || parent === folder ? undefined : findConfig(parent);
}
