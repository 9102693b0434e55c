import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { makeFolder } from '../util/disk.ts';
import type { CachePaths } from './paths.ts';

/**
 * Builds `root/`: every file of every part as a symbolic link, in the layout of a toolkit that was installed the usual
 * way. The wheels lack `lib64`, unversioned `.so` names and libnvvm's place, without which nvcc compiles but does not
 * link and CMake finds nothing. Links are relative: the cache may be moved.
 */
export function buildShadowRoot(paths: CachePaths): void {
  const fresh = mkdtempSync(`${paths.root}.new-`);
  chmodSync(fresh, 0o755); // a temporary folder is closed to others, whom a system-wide cache serves too
  for (const part of readdirSync(paths.parts)) mirrorPart(join(paths.parts, part), fresh);
  addUsualNames(fresh);
  const old = mkdtempSync(`${paths.root}.old-`);
  if (existsSync(paths.root)) renameSync(paths.root, old);
  renameSync(fresh, paths.root);
  rmSync(old, { recursive: true, force: true });
}

function mirrorPart(part: string, root: string): void {
  const nvidia = join(part, 'nvidia');
  if (existsSync(nvidia)) {
    for (const name of readdirSync(nvidia)) {
      if (/^cu\d+$/.test(name)) mirror(join(nvidia, name), root);
    }
  }
  for (const program of [
    'cmake/data/bin/cmake',
    'cmake/data/bin/ctest',
    'ninja/data/bin/ninja',
    'bin/ninja',
    'clang_format/data/bin/clang-format',
  ]) {
    const path = join(part, program);
    const name = join(root, 'bin', basename(program));
    if (existsSync(path) && !existsSync(name)) link(path, name);
  }
}

function mirror(from: string, to: string): void {
  makeFolder(to);
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const target = join(to, name);
    if (statSync(source).isDirectory()) mirror(source, target);
    else if (!existsSync(target)) link(source, target);
  }
}

function addUsualNames(root: string): void {
  const lib = join(root, 'lib');
  if (!existsSync(lib)) return;
  for (const name of readdirSync(lib)) {
    const plain = name.replace(/\.so\..*$/, '.so');
    if (plain !== name && !existsSync(join(lib, plain))) symlinkSync(name, join(lib, plain));
  }
  symlinkSync('lib', join(root, 'lib64'));
  makeFolder(join(lib, 'stubs'));
  const nvvm = join(lib, 'libnvvm.so.4');
  if (existsSync(nvvm) && !existsSync(join(root, 'nvvm/lib64/libnvvm.so'))) {
    link(nvvm, join(root, 'nvvm/lib64/libnvvm.so'));
  }
}

function link(target: string, name: string): void {
  makeFolder(dirname(name));
  symlinkSync(relative(dirname(name), target), name);
}
