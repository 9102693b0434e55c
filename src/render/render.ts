import { resolve } from 'node:path';
import type { AnyFamily } from '../model/family.ts';
import { servedValues } from '../model/operation.ts';
import type { Source, Variant } from '../model/variant.ts';
import { sha256 } from '../util/hash.ts';
import { TemplateFolder } from './engine.ts';

const folders = new Map<string, TemplateFolder>();

/** The templates of a family's folder; read once per process. */
export function templatesOf(folder: string): TemplateFolder {
  const known = folders.get(folder) ?? new TemplateFolder(folder);
  folders.set(folder, known);
  return known;
}

/** Everything that a template of the family may name: parameters, derived values and four of the engine's own. */
function contextOf(family: AnyFamily, variant: Variant): Readonly<Record<string, unknown>> {
  const { symbol, id } = variant;
  return {
    ...variant.parameters,
    ...variant.derived,
    symbol,
    id,
    family: family.name,
    summary: family.summary,
  };
}

/**
 * Renders one variant to `<out>/sources/<family>/<variant id>.cu`; writes nothing. The text depends on the family and
 * the point alone, not on the machine or the time. `folder` is the family's.
 */
export function renderVariant(
  family: AnyFamily,
  folder: string,
  variant: Variant,
  out = 'generated',
): Source {
  const body = templatesOf(folder).render(variant.template, contextOf(family, variant)).trimEnd();
  const between = body.startsWith('//') ? '\n//\n' : '\n';
  const text = `${headerOf(family, variant)}${between}${body}\n`;
  return {
    variant,
    path: resolve(out, 'sources', family.name, `${variant.id}.cu`),
    text,
    hash: sha256(text),
  };
}

/** Orders in memory of the operands that a variant serves, where the operation leaves them open: `; B row-major, C column-major`. */
function layoutsOf({ operation, serves }: AnyFamily, { parameters }: Variant): string {
  const served = servedValues(operation, serves(parameters));
  const isServed = (only?: string) => only === undefined || served[only]?.includes('yes');
  const named = new Map<string, string[]>();
  for (const [name, { layout, only }] of Object.entries(operation.operands)) {
    if (layout === undefined || !isServed(only)) continue;
    const orders = (served[layout] ?? []).map((order) => `${order}-major`).join(' or ');
    named.set(orders, [...(named.get(orders) ?? []), name.length === 1 ? name.toUpperCase() : name]);
  }
  const phrases = [...named].map(
    ([orders, names]) => `${names.join(', ').replace(/, (?=\w+$)/, ' and ')} ${orders}`,
  );
  return phrases.length === 0 ? '' : `; ${phrases.join(', ')}`;
}

/** Says what the file is, lists the parameters that matter and gives the command that renders it again. */
function headerOf(family: AnyFamily, variant: Variant): string {
  const names = variant.active ?? Object.keys(variant.parameters);
  const width = Math.max(0, ...names.map((name) => name.length));
  const parameters = names.map((name) => `//   ${name.padEnd(width)}  ${variant.parameters[name]}`);
  return [
    `// ${variant.id}`,
    `// ${family.summary}${layoutsOf(family, variant)}`,
    '//',
    ...parameters,
    '//',
    `// Rendered from ${variant.template} by: gen render ${family.name} ${variant.id}`,
  ].join('\n');
}
