import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { defaultArch } from '../../src/arch/index.ts';
import { parseDevices } from '../../src/backends/index.ts';
import type { Check } from '../../src/device/protocol.ts';
import { localExecutor } from '../../src/exec/local.ts';
import type { Event } from '../../src/model/event.ts';
import { RunContext } from '../../src/run-context.ts';
import { createRun } from '../../src/store/run.ts';
import { folderOf } from '../helpers/folder.ts';
import { toyFamily } from '../helpers/toy-family.ts';

const workload = { id: 'small', problem: { n: 64 } };
const checkOf = (subject: string, kind: Check['kind'] = 'variant'): Check => ({
  ...{ subject, kind, workload: workload.id },
  ...{ verdict: 'passed', evidence: { message: 'agrees' } },
});

it('keeps each check when it comes, says how far it is, and takes no more once it is interrupted', async () => {
  const out = folderOf();
  const run = createRun(join(out, 'runs'), {
    ...{ family: toyFamily.name, arch: defaultArch.name, command: 'gen sweep' },
    ...{ space: {}, depth: 'quick', device: 'cuda' },
  });
  const events: Event[] = [];
  const interrupt = new AbortController();
  const context = new RunContext(
    {
      ...{ family: toyFamily, folder: out, arch: defaultArch, space: { arch: defaultArch }, out },
      ...{
        stages: new Set(['time'] as const),
        device: parseDevices('cuda'),
        gate: { depth: 'quick' },
        settings: {},
      },
      ...{ watchdogSeconds: 30, jobs: 1, install: false },
    },
    {
      ...{ executor: localExecutor, environment: {}, run, signal: interrupt.signal },
      send: (event) => events.push(event),
    },
  );
  const kept = () => readFileSync(join(run.path, 'journal.jsonl'), 'utf8').match(/"subject":"\w+"/g);
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  const onCheck = context.checksOf(workload, 2);
  onCheck(checkOf('vendor', 'baseline'));
  now.mockReturnValue(3000); // the first note of how far it is comes after 2 s
  onCheck(checkOf('a'));
  expect(kept()).toEqual(['"subject":"vendor"', '"subject":"a"']);
  expect(events).toContainEqual({ event: 'note', message: 'small: 1 of 2 checked', passing: true });
  interrupt.abort(new Error('interrupted'));
  expect(() => onCheck(checkOf('b'))).toThrow('interrupted');
  expect(() => context.timed([])).toThrow('interrupted');
  expect(kept()).toHaveLength(2);
  run.close();
});
