import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Handlebars from 'handlebars';
import { UsageError } from '../errors.ts';
import { onDisk } from '../util/disk.ts';

/**
 * Prints every value as it is, as text. Handlebars' own `noEscape` will not do: with it `{{a}}{{b}}` at the start of a
 * block adds two numbers instead of writing one after the other (handlebars-lang/handlebars.js#1838).
 */
class PlainTextCompiler extends Handlebars.JavaScriptCompiler {
  readonly compiler = PlainTextCompiler;

  appendEscaped(): void {
    this.pushSource(this.appendToBuffer(['String(', this.popStack(), ')']));
  }
}

/** The helpers that templates have beside the blocks `if`, `unless` and `each`, and how many arguments each takes. */
export const helpers = {
  /** `(eq path "mma")`: equal in type and value. */
  eq: { least: 2, most: 2, call: (a: unknown, b: unknown) => a === b },
  and: { least: 2, most: Infinity, call: (...all: unknown[]) => all.every(Boolean) },
  or: { least: 2, most: Infinity, call: (...all: unknown[]) => all.some(Boolean) },
  not: { least: 1, most: 1, call: (a: unknown) => !a },
  /** `{{#each (range 4) as |i|}}`: 0, 1, 2, 3. */
  range: { least: 1, most: 1, call: (count: unknown) => Array.from({ length: Number(count) }, (_, i) => i) },
} as const satisfies Record<string, Helper>;

export const blockHelpers: readonly string[] = ['if', 'unless', 'each'];

interface Helper {
  readonly least: number;
  readonly most: number;
  readonly call: (...values: unknown[]) => unknown;
}

const refused = ['log', 'lookup', 'with'];
const compileOptions: CompileOptions = {
  strict: true,
  knownHelpersOnly: true,
  knownHelpers: {
    ...Object.fromEntries(Object.keys(helpers).map((name) => [name, true])),
    ...Object.fromEntries(refused.map((name) => [name, false])),
  } as KnownHelpers,
};

function createHandlebars(): typeof Handlebars {
  const instance = Handlebars.create();
  instance.JavaScriptCompiler = PlainTextCompiler;
  for (const name of refused) instance.unregisterHelper(name);
  for (const [name, { call }] of Object.entries<Helper>(helpers)) {
    // The last argument is Handlebars' own options object.
    instance.registerHelper(name, (...values: unknown[]) => call(...values.slice(0, -1)));
  }
  return instance;
}

const plain = createHandlebars();

/**
 * Renders a text on its own, without partials; `file` is named in messages. Strict: a top-level name that the context
 * lacks is an error. Throws a UsageError with file and line.
 */
export function renderText(text: string, context: Readonly<Record<string, unknown>>, file: string): string {
  return explained(file, () => plain.compile(text, compileOptions)(context));
}

/** The templates of one folder with its `partials/*.hbs`, each read and compiled once. */
export class TemplateFolder {
  readonly folder: string;
  /** Names of the partials, as `{{> name}}` calls them. */
  readonly partials: readonly string[];
  readonly #instance = createHandlebars();
  readonly #compiled = new Map<string, HandlebarsTemplateDelegate>();

  constructor(folder: string) {
    this.folder = folder;
    const from = join(folder, 'partials');
    const files = existsSync(from) ? readdirSync(from).filter((file) => file.endsWith('.hbs')) : [];
    this.partials = files.map((file) => basename(file, '.hbs'));
    for (const name of this.partials) this.#instance.registerPartial(name, this.read(this.partialFile(name)));
  }

  partialFile(name: string): string {
    return `partials/${name}.hbs`;
  }

  read(file: string): string {
    const path = join(this.folder, file);
    if (!existsSync(path)) throw new UsageError(`there is no template ${path}`);
    return onDisk(`read ${path}`, () => readFileSync(path, 'utf8'));
  }

  render(file: string, context: Readonly<Record<string, unknown>>): string {
    return explained(join(this.folder, file), () => {
      const template = this.#compiled.get(file) ?? this.#instance.compile(this.read(file), compileOptions);
      this.#compiled.set(file, template);
      return template(context);
    });
  }
}

/** Turns what Handlebars throws into a UsageError that begins with the file and, where it is known, line and column. */
function explained(file: string, render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    const place =
      'lineNumber' in error && 'column' in error ? `:${error.lineNumber}:${Number(error.column) + 1}` : '';
    throw new UsageError(`${file}${place}: ${plainMessage(error.message)}`, { cause: error });
  }
}

function plainMessage(message: string): string {
  const unknown = /^"(.*)" not defined in/.exec(message);
  return unknown ? `unknown name '${unknown[1]}'` : message.replace(/ - \d+:\d+$/, '');
}
