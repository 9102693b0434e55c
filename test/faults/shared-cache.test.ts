import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildWorker } from '../../src/compile/worker.ts';
import { eventsOf, genArgv, summaryOf, verdictsOf, workspace } from '../helpers/gen.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';
import { type Helper, start } from './processes.ts';
import { count, processes } from './rounds.ts';

const many = processes(4);

beforeAll(async () => {
  await buildWorker('emulated', await testToolchain(), testContext());
}, 600_000);

/** A g++ that notes in a file of what it makes an object. */
function notingCompiler(folder: string): { readonly cxx: string; readonly log: string } {
  const [cxx, log] = [join(folder, 'g++'), join(folder, 'compiled')];
  writeFileSync(log, '');
  const note = `case "$*" in *-fsanitize=thread*.cu*) echo "$*" | grep -o '[^/]*[.]cu ' >>${log} ;; esac`;
  writeFileSync(cxx, `#!/bin/sh\n${note}\nexec g++ "$@"\n`, { mode: 0o755 });
  return { cxx, log };
}

test('sweeps that begin together compile each entry once', async () => {
  const { path } = workspace({ fresh: true });
  const { cxx, log } = notingCompiler(path);
  const argv = ['validate', 'scale', '--preset', 'sound', '--device', 'emulated', '--json'];
  const sweeps: Helper[] = [];
  for (let i = 0; i < many; i++) {
    sweeps.push(start([...genArgv, ...argv], path, { CXX: cxx }));
  }
  const ended = await Promise.all(sweeps.map((one) => one.ended));
  const passed = sweeps.map((one) => verdictsOf(eventsOf(one.stdout())));
  expect(ended.map(({ code }) => code)).toEqual(Array(many).fill(0));
  for (const verdicts of passed) expect(Object.values(verdicts)).toEqual(Array(6).fill('passed'));
  const compiled = sweeps.map((one) => summaryOf(eventsOf(one.stdout())).cache.compiled);
  expect(compiled.reduce((sum, count) => sum + count)).toBe(12);
  const names = readFileSync(log, 'utf8').trim().split('\n');
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
  expect(names).toHaveLength(6);
  count('sweeps of one cache', many);
});
