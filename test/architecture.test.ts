// Who may import whom, how large files and functions may grow, and that nothing goes round in circles. Syntax only: fast.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import fastGlob from 'fast-glob';
import { type CallExpression, Node, Project, type SourceFile, SyntaxKind } from 'ts-morph';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../src/util/package-root.ts';

/**
 * Modules of `src/` (a folder, or a file at the top) and what each may import. `name:type` allows types alone, which
 * leave no trace at run time. Stages do not import each other: they meet in the pipeline, through the model.
 */
const table: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  util: ['errors'],
  model: ['zod'],
  arch: ['errors', 'model', 'util'],
  // Stages.
  space: ['errors', 'model', 'util', 'zod'],
  render: ['errors', 'model', 'util', 'handlebars'],
  compile: ['errors', 'model', 'util', 'zod', 'exec:type'],
  gate: ['errors', 'model', 'util', 'device'],
  measure: ['errors', 'model', 'util', 'device'],
  select: ['errors', 'model', 'util'],
  emit: ['errors', 'model', 'util', 'render', 'load-module', 'exec:type', 'ts-morph'],
  // What stages stand on.
  exec: ['errors', 'util', 'execa'],
  device: ['errors', 'model', 'util', 'zod', 'exec:type'],
  toolchain: ['errors', 'model', 'util', 'zod', 'exec:type'],
  store: ['errors', 'model', 'util', 'zod'],
  report: ['errors', 'model', 'store', 'util'],
  // Plug-ins and configuration.
  'load-module': ['errors', 'jiti'],
  config: ['errors', 'load-module', 'zod'],
  discover: ['errors', 'load-module', 'model', 'shipped', 'space', 'util', 'fast-glob'],
  shipped: ['errors', 'model', 'space', 'util', 'zod'],
  scaffold: ['errors', 'util'],
  // The line itself, and the ways to start it.
  request: ['exec:type', 'model', 'space:type', 'store:type'],
  setup: [
    'arch',
    'compile:type',
    'device',
    'errors',
    'exec:type',
    'model',
    'request:type',
    'toolchain',
    'util',
  ],
  line: [
    'compile',
    'device',
    'emit:type',
    'errors',
    'model',
    'request',
    'setup',
    'store',
    'toolchain',
    'util',
  ],
  pipeline: [
    ...['space', 'render', 'compile', 'gate', 'measure', 'select', 'emit'],
    ...['device:type', 'line', 'model', 'request', 'setup', 'store', 'toolchain', 'util'],
  ],
  cli: [
    ...['arch', 'compile', 'config', 'discover', 'errors', 'exec', 'line', 'model', 'pipeline', 'render'],
    ...['report', 'request', 'scaffold', 'setup', 'space', 'store', 'toolchain', 'util', 'commander', 'zod'],
  ],
  validate: ['cli'],
  // What other packages may import.
  index: ['config', 'errors', 'model', 'pipeline'],
};

/** Packages that only one file may import: slow to load, or a seam worth keeping narrow. */
const homes: Readonly<Record<string, string>> = {
  'ts-morph': 'emit/typescript.ts',
  execa: 'exec/local.ts',
  jiti: 'load-module.ts',
  'fast-glob': 'discover.ts',
};

interface Import {
  readonly from: string;
  /** Relative to the package for its own files, else the package's name. */
  readonly to: string;
  readonly typeOnly: boolean;
}

const project = new Project({
  skipFileDependencyResolution: true,
  skipAddingFilesFromTsConfig: true,
  compilerOptions: { noLib: true, allowImportingTsExtensions: true },
});
const paths = fastGlob.sync(['src/**/*.ts', 'templates/**/*.ts'], { cwd: packageRoot, absolute: true });
const files = project.addSourceFilesAtPaths(paths);
const nameOf = (file: SourceFile) => relative(packageRoot, file.getFilePath());
const imports = files.flatMap(importsOf);

function importsOf(file: SourceFile): Import[] {
  const from = nameOf(file);
  const to = (specifier: string) =>
    specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier;
  const declared = [...file.getImportDeclarations(), ...file.getExportDeclarations()].flatMap(
    (declaration) => {
      const specifier = declaration.getModuleSpecifierValue();
      if (specifier === undefined) return [];
      const named = Node.isImportDeclaration(declaration)
        ? declaration.getNamedImports()
        : declaration.getNamedExports();
      const bare = Node.isImportDeclaration(declaration) && declaration.getDefaultImport() === undefined;
      const typeOnly =
        declaration.isTypeOnly() || (bare && named.length > 0 && named.every((name) => name.isTypeOnly()));
      return [{ from, to: to(specifier), typeOnly }];
    },
  );
  const called = file.getDescendantsOfKind(SyntaxKind.CallExpression).flatMap((call) => {
    const specifier = dynamicImport(call);
    return specifier === undefined ? [] : [{ from, to: to(specifier), typeOnly: false }];
  });
  return [...declared, ...called].filter((found) => !found.to.startsWith('node:'));
}

function dynamicImport(call: CallExpression): string | undefined {
  if (call.getExpression().getKind() !== SyntaxKind.ImportKeyword) return undefined;
  const [argument] = call.getArguments();
  return argument && Node.isStringLiteral(argument) ? argument.getLiteralValue() : undefined;
}

/** `space` for `src/space/id.ts`, `config` for `src/config.ts`, a package's name for itself. */
function moduleOf(path: string): string {
  const [top, name = path] = path.split('/');
  return top === 'src' ? name.replace(/\.ts$/, '') : path;
}

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const [own, target] = [moduleOf(from), moduleOf(to)];
  const allowed = table[own] ?? [];
  return own === target || allowed.includes(target) || (typeOnly && allowed.includes(`${target}:type`));
}

const arrow = ({ from, to }: Import) => `${from} -> ${to}`;

describe('imports', () => {
  const ofSource = imports.filter(({ from }) => from.startsWith('src/'));

  it('are found', () => {
    expect(ofSource.length).toBeGreaterThan(100);
  });

  it('of src follow the table', () => {
    expect(ofSource.filter((found) => !isAllowed(found)).map(arrow)).toEqual([]);
  });

  it('of src come from modules that the table has', () => {
    const modules = files
      .map(nameOf)
      .filter((name) => name.startsWith('src/'))
      .map(moduleOf);
    expect(modules.filter((name) => !(name in table))).toEqual([]);
  });

  it.each(Object.entries(homes))('of %s are made by src/%s alone', (name, home) => {
    const others = ofSource.filter(
      ({ from, to, typeOnly }) => to === name && from !== `src/${home}` && !typeOnly,
    );
    expect(others.map(arrow)).toEqual([]);
  });

  it('of plug-ins stay in their folder, but for the model and zod', () => {
    const strangers = imports.filter(({ from, to }) => {
      const [top, kind, name] = from.split('/');
      return (
        top === 'templates' &&
        !to.startsWith('src/model/') &&
        to !== 'zod' &&
        !to.startsWith(`templates/${kind}/${name}/`)
      );
    });
    expect(strangers.map(arrow)).toEqual([]);
  });

  it('do not go round in circles', () => {
    expect(findCycle()).toBeUndefined();
  });
});

/** A cycle of imports that are there at run time, as the files along it. */
function findCycle(): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to, typeOnly } of imports) {
    if (!typeOnly) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (finished.has(file)) return undefined;
    for (const other of next.get(file) ?? []) {
      const cycle = visit(other, [...path, file]);
      if (cycle) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  return [...next.keys()].map((file) => visit(file, [])).find((cycle) => cycle !== undefined);
}

describe('sizes', () => {
  const linesOf = (file: SourceFile) => file.getFullText().trimEnd().split('\n').length;
  const own = files.filter((file) => nameOf(file).startsWith('src/'));
  const functions = own
    .flatMap((file) => file.getDescendants())
    .filter(
      (node) =>
        Node.isFunctionDeclaration(node) ||
        Node.isMethodDeclaration(node) ||
        Node.isConstructorDeclaration(node),
    )
    .map((node) => node.getEndLineNumber() - node.getStartLineNumber() + 1)
    .sort((a, b) => a - b);

  it('files have at most 300 lines, the pipeline fits on a page of 120', () => {
    expect(own.filter((file) => linesOf(file) > 300).map(nameOf)).toEqual([]);
    const pipeline = own.find((file) => nameOf(file) === 'src/pipeline.ts');
    expect(pipeline && linesOf(pipeline)).toBeLessThanOrEqual(120);
  });

  it('functions have a median of at most 10 lines, nine of ten at most 30, none more than 60', () => {
    const at = (share: number) => functions[Math.floor(share * (functions.length - 1))];
    expect(at(0.5)).toBeLessThanOrEqual(10);
    expect(at(0.9)).toBeLessThanOrEqual(30);
    expect(at(1)).toBeLessThanOrEqual(60);
  });
});

describe('the C++ side', () => {
  const included = (pattern: string) =>
    fastGlob.sync(pattern, { cwd: packageRoot }).flatMap((file) => {
      const text = readFileSync(join(packageRoot, file), 'utf8');
      return [...text.matchAll(/^\s*#\s*include\s*"([^"]+)"/gm)].map((match) => ({
        file,
        header: match[1] ?? '',
      }));
    });

  it('of the runner knows no family and nothing that is generated', () => {
    const headers = included('harness/{src,include,cuda,emulated,simt}/**/*.{hpp,cpp}');
    expect(headers.length).toBeGreaterThan(20);
    expect(headers.filter(({ header }) => /kernels\/|generated\//.test(header))).toEqual([]);
  });

  it('of kernels has inline assembly in one file', () => {
    const sources = fastGlob.sync('templates/**/*.{hbs,hpp,cuh,h}', { cwd: packageRoot });
    const withAssembly = sources.filter((file) =>
      /\basm\s*(volatile\s*)?\(/.test(readFileSync(join(packageRoot, file), 'utf8')),
    );
    expect(withAssembly).toEqual(['templates/include/tw/ptx.cuh']);
  });
});
