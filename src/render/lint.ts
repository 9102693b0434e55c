import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UsageError } from '../errors.ts';
import type { AnyFamily } from '../model/family.ts';
import type { Variant } from '../model/variant.ts';
import { onDisk } from '../util/disk.ts';
import { includeNames, locateHeader } from '../util/includes.ts';
import { kit, packageRoot } from '../util/package-root.ts';
import { describeCudaFinding, lintCuda, lintHeader } from './cuda-lint.ts';
import { describeFinding, type LintFinding } from './finding.ts';
import { renderVariant, templatesOf } from './render.ts';
import { influences, namesFor } from './schema.ts';
import { lintTemplate } from './template-lint.ts';

/**
 * Compares a family's templates with its parameters, both ways: every name in a template must be a parameter or derived,
 * and every parameter that matters for a template's variants must be read there, by itself or through a derived name.
 * Then checks the rendered text of a few variants of each template, and the device headers that it includes, by the rules of
 * `cuda-lint.ts`.
 *
 * `variants` stand for the space: all that are to be built, or a fair sample. A template that none uses is passed over.
 */
export function lintFamily(family: AnyFamily, folder: string, variants: readonly Variant[]): LintFinding[] {
  const findings = family.templates.flatMap((template) => {
    const own = variants.filter((variant) => variant.template === template);
    return own.length === 0 ? [] : lintOne(family, folder, template, own);
  });
  // A partial is visited once per template that includes it.
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/** Throws a UsageError with all findings of `lintFamily`, if there are any: what is not sound is not rendered. */
export function mustLint(family: AnyFamily, folder: string, variants: readonly Variant[]): void {
  const findings = lintFamily(family, folder, variants);
  if (findings.length === 0) return;
  const lines = findings.map(
    (finding) => `  ${describeFinding({ ...finding, file: join(folder, finding.file) })}`,
  );
  throw new UsageError(`the templates of ${family.name} do not fit its family.ts:\n${lines.join('\n')}`);
}

function lintOne(
  family: AnyFamily,
  folder: string,
  template: string,
  variants: readonly Variant[],
): LintFinding[] {
  const names = namesFor(family, variants);
  const { used, findings } = lintTemplate(templatesOf(folder), template, names);
  if (findings.length > 0) return [...findings];
  return [
    ...unread(family, folder, template, variants, used),
    ...lintRendered(family, folder, template, variants),
  ];
}

/** Parameters that matter for the template's variants and change nothing in its text. */
function unread(
  family: AnyFamily,
  folder: string,
  template: string,
  variants: readonly Variant[],
  used: ReadonlySet<string>,
) {
  const moved = influences(family, evenly(variants, 32));
  const through = new Set([...used].flatMap((name) => [...(moved.get(name) ?? [])]));
  return Object.entries(family.parameters).flatMap(([name, { readBy = 'source' }]): LintFinding[] => {
    const varies = new Set(variants.map((variant) => variant.parameters[name])).size > 1;
    const read = used.has(name) || through.has(name);
    if (readBy === 'launch' && used.has(name)) {
      return [at(folder, name, `'${name}' says readBy: 'launch', but ${template} reads it`)];
    }
    if (readBy === 'launch' || !varies || read) return [];
    return [
      at(
        folder,
        name,
        `${template} never reads '${name}', which matters for its variants; read it, or say readBy: 'launch' or activeWhen`,
      ),
    ];
  });
}

/** A finding at the parameter's declaration in `family.ts`, or at the file's start where it is not found. */
function at(folder: string, parameter: string, message: string): LintFinding {
  const file = 'family.ts';
  const path = join(folder, file);
  const lines = onDisk(`read ${path}`, () => readFileSync(path, 'utf8')).split('\n');
  const index = lines.findIndex((line) => new RegExp(`^\\s*${parameter}\\s*:`).test(line));
  const column = index < 0 ? 0 : (lines[index]?.indexOf(parameter) ?? 0);
  return { file, line: Math.max(index, 0) + 1, column: column + 1, message };
}

function lintRendered(
  family: AnyFamily,
  folder: string,
  template: string,
  variants: readonly Variant[],
): LintFinding[] {
  const included = new Map<string, string>();
  const findings = evenly(variants, 8).flatMap((variant) => {
    const { text } = renderVariant(family, folder, variant);
    const headers = headersOf(text, folder);
    for (const [path, header] of headers) included.set(path, header);
    return lintCuda(variant.id, text, [...headers.values()].join('\n')).map((finding) => ({
      file: template,
      line: 1,
      column: 1,
      message: `rendered ${describeCudaFinding(finding)}`,
    }));
  });
  return [...findings, ...lintHeaders(folder, included)];
}

/** Findings in device headers, with their lines there. */
function lintHeaders(folder: string, headers: ReadonlyMap<string, string>): LintFinding[] {
  const declarations = [...headers.values()].join('\n');
  const device = [...headers].filter(([path]) => path.endsWith('.cuh'));
  return device.flatMap(([path, text]) =>
    lintHeader(path, text, declarations).map(({ line, rule, found, instead }) => {
      return {
        file: relative(folder, path),
        line,
        column: 1,
        message: `${rule}: found \`${found}\`; ${instead}`,
      };
    }),
  );
}

/** The family's headers, and those of the kit, that a text includes, directly or not: texts by their paths. */
function headersOf(text: string, folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (code: string, beside: string) => {
    for (const name of includeNames(code)) {
      const path = locateHeader(name, [beside, folder, join(packageRoot, kit.device)]);
      if (path === undefined || found.has(path)) continue;
      const header = readFileSync(path, 'utf8');
      found.set(path, header);
      visit(header, dirname(path));
    }
  };
  visit(text, folder);
  return found;
}

function evenly<T>(items: readonly T[], count: number): T[] {
  return items.filter((_, index) => index % Math.ceil(items.length / count) === 0);
}
