import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { edit, gen, genHere, summaryOf, verdictsOf, workspace } from '../helpers/gen.ts';

const sweep = (...more: string[]) => ['sweep', 'my-axpy', '--device', 'emulated', '--json', ...more];

test('a new kernel family passes the gate as it stands, and no longer once it is broken', {
  timeout: 300_000,
}, async () => {
  const { path } = workspace();
  rmSync(join(path, 'gen.config.ts')); // without it, templates/kernels of the working directory is looked at
  expect((await genHere(path, ['new', 'kernel', 'my-axpy'])).code).toBe(0);

  const { code, events } = await genHere(path, sweep('--preset', 'quick'));
  expect(code).toBe(0);
  expect(summaryOf(events).verdicts).toEqual({ passed: 12 });

  const template = join(path, 'templates/kernels/my-axpy/kernel.cu.hbs');
  edit(template, (text) => text.replace('i < args.count', 'i + 1 < args.count'));
  const broken = await gen(path, sweep('--where', 'threads == 64 && vector == 4 && unroll == 2'));
  expect(broken.code).toBe(1);
  expect(Object.entries(verdictsOf(broken.events))).toEqual([
    [expect.stringMatching(/^my_axpy\.t64\.v4\.u2-/), 'unwritten'],
  ]);
});
