import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { backends } from '../backends/index.ts';
import { EnvironmentError } from '../errors.ts';
import type { DeviceName } from '../model/artifact.ts';
import { hashOf } from '../util/hash.ts';
import { kit } from '../util/package-root.ts';
import { mustBeUnchanged, obtain } from './cache.ts';
import type { CompileContext, RunnerCompilers } from './context.ts';
import { blameMachine, ending, firstError } from './diagnosis.ts';
import { familyUnit } from './family-source.ts';
import { includeHash } from './includes.ts';
import { callCompiler } from './outcome.ts';

/** A program made of one family's C++: its runner on one device, as a rule. */
export interface BuiltWorker {
  readonly path: string;
  readonly key: string;
  readonly cached: boolean;
}

/** Told how many units are built. */
type OnUnits = (done: number, all: number) => void;

/** Sources compiled as one: their includes are read, and templates instantiated, once. */
interface Unit {
  readonly name: string;
  readonly text: string;
  /** Folder searched first for its includes. */
  readonly beside?: string;
  /** Text of `operation.hpp`, where its headers include that. */
  readonly signature?: string;
}

/** Name under which a family's headers include the operation's signature. */
export const signatureFile = 'operation.hpp';

// Vectorised, since oracles and comparisons are loops over millions of elements.
const flags = ['-std=c++20', '-O2', '-ftree-vectorize', '-pthread'];

/**
 * Standard headers that nearly every source includes: precompiled once, they halve the time to build a runner. The
 * sources include what they need all the same, and CMake builds them without this.
 */
const prelude = ['algorithm', 'array', 'chrono', 'cmath', 'cstdint', 'cstring', 'deque', 'functional', 'map']
  .concat(['memory', 'mutex', 'optional', 'stdexcept', 'string', 'unordered_map', 'utility', 'vector'])
  .map((name) => `#include <${name}>\n`)
  .join('');

/**
 * Builds the runner of a family with g++ alone: a few units, each found in the cache where nothing that it includes has
 * changed. Runners of different families differ in one. Where a compiler has to run, `onUnits` is told how many of all units
 * are done: 0 before the first, then after each. A runner that does not build is an EnvironmentError: a family's C++ is part
 * of the machinery, not a variant.
 */
export async function buildWorker(
  device: DeviceName,
  compilers: RunnerCompilers,
  context: CompileContext,
  onUnits: OnUnits = () => {},
): Promise<BuiltWorker> {
  const support = supportUnit(context);
  const units = backends[device].runner.sources.map((folder) => {
    const names = readdirSync(join(context.packageRoot, 'harness', folder)).filter((name) =>
      name.endsWith('.cpp'),
    );
    return unitOf(folder, without(names, folder === supportFolder ? support.names : []), context);
  });
  return buildProgram('worker', [...units, support.unit], device, compilers, context, onUnits);
}

const supportFolder = 'src';

/** Sources of what families may include of the runner, and what these use. */
function supportUnit(context: CompileContext): { readonly names: readonly string[]; readonly unit: Unit } {
  const { packageRoot } = context;
  const offered = readdirSync(join(packageRoot, kit.host, 'tilewright')).map((name) =>
    basename(name, '.hpp'),
  );
  const names = [...offered, 'json_reader', 'utf8'].map((name) => `${name}.cpp`);
  const there = names.filter((name) => existsSync(join(packageRoot, 'harness', supportFolder, name)));
  return { names: there, unit: { ...unitOf(supportFolder, there, context), name: 'support.cpp' } };
}

function without(names: readonly string[], others: readonly string[]): string[] {
  return names.filter((name) => !others.includes(name));
}

/** `folder`: relative to `harness/`. */
function unitOf(folder: string, names: readonly string[], { packageRoot }: CompileContext): Unit {
  const text = names
    .toSorted()
    .map((name) => `#include "${name}"\n`)
    .join('');
  return { name: `${folder.replaceAll('/', '_')}.cpp`, text, beside: join(packageRoot, 'harness', folder) };
}

/** Builds the program that answers about a family's problems, of the runner's own objects. Needs no CUDA toolkit. */
export function buildProblemWriter(
  compilers: RunnerCompilers,
  context: CompileContext,
  onUnits: OnUnits = () => {},
): Promise<BuiltWorker> {
  const host = Object.values(backends).find(({ runner }) => !runner.toolkit);
  if (!host) throw new Error('every device needs a CUDA toolkit');
  const variants = { ...unitOf(supportFolder, ['variant.cpp'], context), name: 'variants.cpp' };
  const units = [unitOf('problem', ['main.cpp'], context), variants, supportUnit(context).unit];
  return buildProgram('problem', units, host.name, compilers, context, onUnits);
}

/** The family's C++ is added to the units. */
async function buildProgram(
  name: string,
  shared: readonly Unit[],
  device: DeviceName,
  compilers: RunnerCompilers,
  context: CompileContext,
  onUnits: OnUnits,
): Promise<BuiltWorker> {
  const { familyFolder, signature } = context;
  const family: Unit = {
    name: `${basename(familyFolder)}.cpp`,
    text: familyUnit(device, context),
    ...(signature && { signature: signature.text }),
  };
  const units = [family, ...shared, ...describedUnits(context)];
  const tell = tellerOf(units.length, onUnits);
  const objects = await Promise.all(
    units.map(async (unit) => {
      const object = await compileUnit(unit, device, compilers, context, tell.begin);
      tell.done();
      return object;
    }),
  );
  const libraries = librariesOf(device, compilers);
  const key = hashOf(name, device, ...objects.map(({ key }) => key).sort(), libraries.join(' '));
  const entry = await obtain(context, key, z.object({}), async (folder) => {
    const argv = [
      compilers.cxx,
      ...flags,
      '-rdynamic',
      '-o',
      join(folder, name),
      ...objects.map(({ path }) => path),
      ...libraries,
    ];
    await mustSucceed(argv, 'link', folder, context);
    return {};
  });
  return { path: join(entry.folder, name), key, cached: entry.cached };
}

/** Oracles of families for the kernels of others. */
function describedUnits({ described = [], packageRoot }: CompileContext): Unit[] {
  const text = described.map((name) => `#include "${name}/described.hpp"\n`).join('');
  const beside = join(packageRoot, 'templates/kernels');
  return described.length > 0 ? [{ name: 'described.cpp', text, beside }] : [];
}

/** Counts units, those of the cache too, but says nothing before one has to be compiled. */
function tellerOf(all: number, onUnits: OnUnits) {
  let begun = false;
  let done = 0;
  return {
    begin: () => {
      if (!begun) onUnits(0, all);
      begun = true;
    },
    done: () => {
      done++;
      if (begun) onUnits(done, all);
    },
  };
}

/** Language, folders and macros of a runner's sources. */
export function runnerFlags(
  device: DeviceName,
  context: Pick<CompileContext, 'packageRoot' | 'familyFolder'> & { readonly cudaHome?: string | undefined },
): string[] {
  return [
    ...flags,
    ...includeFolders(context).flatMap((path) => ['-I', path]),
    ...(backends[device].runner.toolkit ? ['-isystem', join(context.cudaHome ?? '', 'include')] : []),
  ];
}

function includeFolders({
  packageRoot,
  familyFolder,
}: Pick<CompileContext, 'packageRoot' | 'familyFolder'>): string[] {
  return [join(packageRoot, kit.host), join(packageRoot, kit.device), familyFolder];
}

async function compileUnit(
  unit: Unit,
  device: DeviceName,
  compilers: RunnerCompilers,
  context: CompileContext,
  tell: () => void,
): Promise<{ path: string; key: string }> {
  const { name, text, beside, signature } = unit;
  const folders = [...(beside === undefined ? [] : [beside]), ...includeFolders(context)];
  const { toolkit } = backends[device].runner;
  const toolkitVersion = toolkit ? (compilers.nvccVersion ?? '') : '';
  const makeKey = () => {
    const includes = includeHash((signature ?? '') + text, folders);
    return hashOf('unit', name, includes, flags.join(' '), compilers.cxxVersion, toolkitVersion);
  };
  const key = makeKey();
  const entry = await obtain(context, key, z.object({}), async (folder) => {
    tell();
    const file = join(folder, name);
    writeFileSync(file, text);
    if (signature !== undefined) writeFileSync(join(folder, signatureFile), signature);
    const argv = [
      compilers.cxx,
      ...flags,
      '-include',
      await precompiledPrelude(compilers, context),
      `-ffile-prefix-map=${context.packageRoot}/=`,
      ...[...folders, folder].flatMap((path) => ['-I', path]),
      ...(toolkit ? ['-isystem', join(compilers.cudaHome ?? '', 'include')] : []),
      ...['-c', file, '-o', join(folder, 'unit.o')],
    ];
    await mustSucceed(argv, name, folder, context);
    mustBeUnchanged(key, makeKey(), `a source of ${name}`);
    return {};
  });
  return { path: join(entry.folder, 'unit.o'), key };
}

async function precompiledPrelude(compilers: RunnerCompilers, context: CompileContext): Promise<string> {
  const key = hashOf('prelude', prelude, flags.join(' '), compilers.cxxVersion, process.arch);
  const { folder } = await obtain(context, key, z.object({}), async (made) => {
    const file = join(made, 'prelude.hpp');
    writeFileSync(file, prelude);
    const argv = [compilers.cxx, ...flags, '-x', 'c++-header', file, '-o', `${file}.gch`];
    await mustSucceed(argv, 'the standard library', made, context);
    return {};
  });
  return join(folder, 'prelude.hpp');
}

function librariesOf(device: DeviceName, compilers: RunnerCompilers): string[] {
  const { libraries, toolkit } = backends[device].runner;
  const folders = toolkit ? ['lib64', 'lib'].map((name) => `-L${join(compilers.cudaHome ?? '', name)}`) : [];
  return [...folders, ...libraries];
}

async function mustSucceed(
  argv: readonly string[],
  what: string,
  folder: string,
  context: CompileContext,
): Promise<void> {
  const result = await callCompiler(argv, context, folder);
  if (result.exitCode === 0) return;
  blameMachine(result.stderr);
  const said = firstError(result.stderr);
  throw new EnvironmentError(`the runner does not build (${what}): ${argv[0]} ${ending(result)}: ${said}`);
}
