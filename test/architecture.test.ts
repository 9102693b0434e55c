// Imports between modules, sizes of files and functions, and the absence of cycles. Syntax only: fast.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import fastGlob from 'fast-glob';
import { type CallExpression, Node, Project, type SourceFile, SyntaxKind } from 'ts-morph';
import { describe, expect, it } from 'vitest';
import { findCycle } from '../src/util/cycle.ts';
import { packageRoot } from '../src/util/package-root.ts';

/** Modules that every module of `src/` may import, and their own imports. */
const ground: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  util: ['errors', 'async-mutex', 'fastest-levenshtein'],
  model: ['zod'],
};

/**
 * The other modules of `src/` (a folder, or a file at the top) and what each imports beside the ground, neither more nor
 * less. `name:type`: types alone, which leave no trace at run time. Stages do not import each other, but for `emit`, which
 * uses the engine of `render`: they are joined in the pipeline, through the model.
 */
const table: Readonly<Record<string, readonly string[]>> = {
  arch: [],
  backends: ['arch'],
  // Stages.
  space: ['arch', 'zod'],
  render: ['arch', 'handlebars'],
  compile: ['backends', 'zod', 'exec:type'],
  gate: ['backends', 'device'],
  measure: ['device'],
  select: [],
  mutate: ['zod'],
  strategy: [],
  emit: ['backends', 'render', 'load-module', 'exec:type', 'fflate', 'zod'],
  // Modules below the stages.
  exec: ['execa'],
  device: ['arch', 'backends', 'zod', 'exec:type'],
  toolchain: ['backends', 'exec:type'],
  store: ['backends', 'zod'],
  report: ['backends', 'select', 'store:type', 'zod'],
  // Plug-ins and configuration.
  'load-module': ['jiti'],
  config: ['backends', 'load-module', 'zod'],
  shipped: ['space', 'zod'],
  discover: ['load-module', 'shipped', 'space', 'fast-glob'],
  scaffold: [],
  tuned: ['zod'],
  check: ['arch', 'backends', 'compile', 'emit', 'exec:type', 'render', 'select', 'space', 'ts-morph'],
  // A run itself, and the ways to start it.
  request: ['backends:type', 'exec:type', 'space:type', 'store:type'],
  setup: ['backends', 'compile:type', 'device', 'exec:type', 'render', 'request:type', 'toolchain'],
  reproduce: ['backends', 'request:type'],
  devices: ['backends', 'compile', 'device', 'request:type', 'toolchain'],
  'run-context': [
    ...[
      'backends',
      'compile',
      'device:type',
      'devices',
      'emit:type',
      'reproduce',
      'request:type',
      'setup',
      'store',
    ],
    'toolchain',
  ],
  evaluate: ['render', 'compile', 'gate', 'device:type', 'run-context:type'],
  pipeline: [
    ...['space', 'strategy', 'evaluate', 'measure', 'select', 'emit'],
    ...['render', 'device:type', 'run-context', 'request'],
  ],
  // A .cu that is nobody's variant: it compiles in its own way, and is gated as every kernel.
  'kernel-file': ['backends', 'compile', 'device:type', 'gate', 'yaml', 'zod'],
  // Kernels of another compiler, in place of variants.
  triton: ['backends', 'compile', 'yaml', 'zod'],
  cells: ['select', 'exec:type', 'zod'],
  // Mutants compiled and gated; `mutate` makes them and counts what came of them.
  'mutant-trials': [
    ...['backends', 'compile', 'device:type', 'devices', 'exec:type', 'gate', 'mutate'],
    'toolchain:type',
  ],
  cli: [
    ...[
      'arch',
      'backends',
      'cells',
      'check',
      'compile',
      'config',
      'device',
      'discover',
      'emit',
      'exec',
      'kernel-file',
      'mutate',
      'mutant-trials',
      'pipeline',
      'render',
      'report',
    ],
    ...[
      'request:type',
      'scaffold',
      'setup',
      'space',
      'store',
      'toolchain',
      'triton',
      'tuned',
      'commander',
      'zod',
    ],
  ],
  validate: ['cli'],
  // Exports for other packages.
  index: ['config'],
};

/** Packages that only these files may import: slow to load, or a seam worth keeping narrow. */
const homes: Readonly<Record<string, readonly string[]>> = {
  'ts-morph': ['check/types.ts'],
  execa: ['exec/local.ts'],
  jiti: ['load-module.ts'],
  'fast-glob': ['discover.ts'],
  fflate: ['emit/zip.ts'],
  'async-mutex': ['util/limit.ts'],
  'fastest-levenshtein': ['util/suggest.ts'],
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
const paths = fastGlob.sync(['src/**/*.ts', 'templates/**/*.ts', 'kit/**/*.ts'], {
  cwd: packageRoot,
  absolute: true,
});
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
  const allowed = ground[own] ?? [...Object.keys(ground), ...(table[own] ?? [])];
  return own === target || allowed.includes(target) || (typeOnly && allowed.includes(`${target}:type`));
}

/** Whether an import needs an entry of the table: one of types alone does not need a module as a whole. */
function uses({ to, typeOnly }: Import, target: string): boolean {
  return target === (typeOnly ? `${moduleOf(to)}:type` : moduleOf(to));
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
    expect(modules.filter((name) => !(name in table || name in ground))).toEqual([]);
  });

  it('of src need all that the table allows', () => {
    const needs = ([module, allowed]: readonly [string, readonly string[]]) =>
      allowed
        .filter((target) => !ofSource.some((found) => moduleOf(found.from) === module && uses(found, target)))
        .map((target) => `${module} -> ${target}`);
    expect(Object.entries(table).flatMap(needs)).toEqual([]);
  });

  it.each(Object.entries(homes))('of %s are made by %j alone', (name, files) => {
    const others = ofSource.filter(
      ({ from, to, typeOnly }) => to === name && !files.some((file) => from === `src/${file}`) && !typeOnly,
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
    const atRunTime = imports.filter(({ typeOnly }) => !typeOnly);
    const next = new Map<string, string[]>();
    for (const { from, to } of atRunTime) next.set(from, [...(next.get(from) ?? []), to]);
    expect(findCycle(next)).toBeUndefined();
  });
});

describe('devices', () => {
  /** The model says which names there are; backends say what each means. */
  const knows = (name: string) => name.startsWith('src/backends/') || name === 'src/model/artifact.ts';
  /** The file that reads names which another compiler gives to its targets. */
  const othersNames = 'src/triton/metadata.ts';
  const placeOf = (node: Node) => `${nameOf(node.getSourceFile())}:${node.getStartLineNumber()}`;
  const deviceName = /^(backends\.)?(cuda|emulated)\.name$/;
  const isCompared = (node: Node) => {
    const parent = node.getParent();
    if (Node.isBinaryExpression(parent)) return /^[!=]==?$/.test(parent.getOperatorToken().getText());
    if (Node.isCallExpression(parent)) return /\.(includes|indexOf)$/.test(parent.getExpression().getText());
    return Node.isCaseClause(parent);
  };

  it('are told apart by what they can do, by their names in src/backends alone', () => {
    const names = files
      .filter((file) => nameOf(file).startsWith('src/') && !knows(nameOf(file)))
      .flatMap((file) => file.getDescendants())
      .filter((node) => Node.isStringLiteral(node) || Node.isNoSubstitutionTemplateLiteral(node))
      .filter((node) => ['cuda', 'emulated'].includes(node.getLiteralText()));
    expect(names.map(placeOf)).toEqual([]);
  });

  it('are not compared by name either', () => {
    const comparisons = files
      .filter((file) => nameOf(file).startsWith('src/') && !knows(nameOf(file)))
      .filter((file) => nameOf(file) !== othersNames)
      .flatMap((file) => file.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression))
      .filter((node) => deviceName.test(node.getText()) && isCompared(node));
    expect(comparisons.map(placeOf)).toEqual([]);
  });

  it.each([
    'name === cuda.name',
    'emulated.name !== name',
    'backends.cuda.name === name',
    'devices.includes(emulated.name)',
    'switch (name) { case cuda.name: }',
  ])('are found to be compared in %s', (text) => {
    const file = new Project({ useInMemoryFileSystem: true }).createSourceFile('a.ts', text);
    const names = file.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression);
    expect(names.filter((node) => deviceName.test(node.getText()) && isCompared(node))).toHaveLength(1);
  });
});

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

describe('templates of kernels', () => {
  const templates = fastGlob.sync('templates/{kernels,_new/kernels}/**/*.hbs', {
    cwd: packageRoot,
    ignore: ['**/bindings/**'],
  });
  const linesOf = (file: string) => readFileSync(join(packageRoot, file), 'utf8').trimEnd().split('\n');

  it('have conditionals on lines of their own', () => {
    const block = /\{\{~?(#|\/|else)/;
    const alone = /^\s*\{\{~?(#|\/|else)[^}]*\}\}\s*$/;
    const inside = templates.flatMap((file) =>
      linesOf(file).flatMap((line, index) =>
        block.test(line) && !alone.test(line) ? [`${file}:${index + 1}`] : [],
      ),
    );
    expect(templates.length).toBeGreaterThan(15);
    expect(inside).toEqual([]);
  });

  it('are read on a page or two: at most 170 lines, fewer than one in ten a conditional', () => {
    const conditionals = (file: string) => linesOf(file).filter((line) => /\{\{~?#/.test(line)).length;
    const all = templates.flatMap(linesOf).length;
    expect(templates.filter((file) => linesOf(file).length > 170)).toEqual([]);
    expect(templates.map(conditionals).reduce((sum, count) => sum + count, 0)).toBeLessThan(all / 10);
  });
});

describe('the C++ side', () => {
  const included = (pattern: string | string[]) =>
    fastGlob.sync(pattern, { cwd: packageRoot }).flatMap((file) => {
      const text = readFileSync(join(packageRoot, file), 'utf8');
      return [...text.matchAll(/^\s*#\s*include\s*"([^"]+)"/gm)].map((match) => ({
        file,
        header: match[1] ?? '',
      }));
    });
  const isThere = (...path: string[]) => existsSync(join(packageRoot, ...path));
  const inOneOf = (folders: readonly string[], header: string) =>
    folders.some((folder) => isThere(folder, header));

  it('of the kit, which all others include, includes nothing but itself', () => {
    const host = ['kit/host', 'kit/device'];
    const headers = included('kit/**/*.{hpp,cuh}');
    const strangers = headers.filter(
      ({ file, header }) => !inOneOf(file.startsWith('kit/device/') ? ['kit/device'] : host, header),
    );
    expect(headers.length).toBeGreaterThan(20);
    expect(strangers).toEqual([]);
  });

  it('of families includes the family, its rendered signature, the kit, and of emitted libraries the interface of vendor calls', () => {
    const headers = included('templates/{kernels,_new/kernels}/**/*.{hpp,h,cuh,hbs}');
    const familyOf = (file: string) => file.split('/').slice(0, 3).join('/');
    const strangers = headers.filter(
      ({ file, header }) =>
        !['operation.hpp', 'tuner/vendor.hpp'].includes(header) &&
        !inOneOf(['kit/host', 'kit/device', familyOf(file), dirname(file)], header),
    );
    expect(headers.length).toBeGreaterThan(100);
    expect(strangers).toEqual([]);
  });

  it('of the runner includes the runner and the kit', () => {
    const headers = included('harness/{src,cuda,emulated,simt,problem}/**/*.{hpp,cpp}');
    const folders = ['kit/host', 'kit/device', 'harness/src', 'harness/simt/src', 'harness/test'];
    const strangers = headers.filter(
      ({ file, header }) => !inOneOf([...folders, 'harness', dirname(file)], header),
    );
    expect(strangers).toEqual([]);
  });

  it('of the runner knows no family and nothing that is generated', () => {
    const headers = included('{harness/{src,cuda,emulated,simt},kit}/**/*.{hpp,cpp}');
    expect(headers.length).toBeGreaterThan(20);
    expect(headers.filter(({ header }) => /kernels\/|generated\//.test(header))).toEqual([]);
  });

  it('names no family, as src/ does not, and speaks of nothing that one family alone has', () => {
    const families = fastGlob.sync('*', {
      cwd: join(packageRoot, 'templates/kernels'),
      onlyDirectories: true,
    });
    const names = families.flatMap((name) => [name, name.replaceAll('-', '_')]);
    const foreign = new RegExp(`\\b(${names.join('|')}|bsr|spmm|block rows?)`, 'i');
    const sources = fastGlob.sync(
      ['src/**/*.ts', 'harness/**/*.{hpp,cpp,h,cu,cuh,py,txt}', 'kit/host/tilewright/*'],
      { cwd: packageRoot },
    );
    expect(families.length).toBeGreaterThan(1);
    expect(sources.filter((file) => foreign.test(readFileSync(join(packageRoot, file), 'utf8')))).toEqual([]);
  });

  it('of device blocks is listed in docs/device-blocks.md, each with a test on the emulated device', () => {
    const page = readFileSync(join(packageRoot, 'docs/device-blocks.md'), 'utf8');
    const tested = new Set(included('harness/blocks/*.cpp').map(({ header }) => header));
    // Instructions, a cluster's rank and generated operand lists: all the other tests go through them.
    const within = ['ptx.cuh', 'cluster.cuh', 'wgmma_shapes.cuh'];
    const names = fastGlob
      .sync('kit/device/tw/*.cuh', { cwd: packageRoot })
      .map((file) => file.split('/').at(-1) ?? '');
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    expect(names.filter((name) => !within.includes(name) && !tested.has(`tw/${name}`))).toEqual([]);
  });

  it('of kernels has inline assembly in one file', () => {
    const sources = fastGlob.sync('{kit,templates}/**/*.{hbs,hpp,cuh,cu,cpp,h}', { cwd: packageRoot });
    const withAssembly = sources.filter((file) =>
      /\basm\s*(volatile\s*)?\(/.test(readFileSync(join(packageRoot, file), 'utf8')),
    );
    expect(withAssembly).toEqual(['kit/device/tw/ptx.cuh']);
  });
});
