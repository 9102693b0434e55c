// CPU seconds of three kernels on the emulated device, and their ratio to the same kernels without hooks and detector: 64 blocks
// of 1,024 threads, 100 accesses of shared memory by each thread.
// Run: node --import jiti/register bench/detector.ts
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emulatedFlags } from '../src/compile/host.ts';
import { kit, packageRoot } from '../src/util/package-root.ts';

const here = join(packageRoot, 'bench/detector');
const device = join(packageRoot, 'harness/simt/src');
const folder = mkdtempSync(join(tmpdir(), 'tilewright-detector-'));
const hooks = new Set([
  ...['-fsanitize=thread', '--param'],
  ...['tsan-instrument-func-entry-exit=0', 'tsan-distinguish-volatile=1'],
]);
const plainFlags = emulatedFlags.filter((flag) => !hooks.has(flag));
const hostFlags = ['-std=c++20', '-O2', '-ftree-vectorize', '-I', device];

function compile(object: string, source: string, flags: readonly string[]): string {
  const path = join(folder, object);
  execFileSync(process.env.CXX ?? 'g++', [
    ...flags,
    '-I',
    join(packageRoot, kit.device),
    '-c',
    source,
    '-o',
    path,
  ]);
  return path;
}

const all = join(folder, 'device.cpp');
const sources = readdirSync(device).filter((name) => name.endsWith('.cpp'));
writeFileSync(all, sources.map((name) => `#include "${name}"\n`).join(''));
const kernels = join(here, 'kernels.cpp');
const objects = [
  compile('device.o', all, hostFlags),
  compile('main.o', join(here, 'main.cpp'), hostFlags),
  compile('plain.o', kernels, [...plainFlags, '-DVARIANT=plain']),
  compile('hooked.o', kernels, [...emulatedFlags, '-DVARIANT=hooked']),
];
const program = join(folder, 'detector');
execFileSync(process.env.CXX ?? 'g++', ['-o', program, ...objects, '-ldl']);
execFileSync(program, { stdio: 'inherit' });
rmSync(folder, { recursive: true });
