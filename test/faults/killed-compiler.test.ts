import { beforeAll, expect, test } from 'vitest';
import { buildWorker } from '../../src/compile/worker.ts';
import { eventsOf, gen, genArgv, verdictsOf, workspace } from '../helpers/gen.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';
import { marked, start } from './processes.ts';
import { count, rounds } from './rounds.ts';

beforeAll(async () => {
  await buildWorker('emulated', await testToolchain(), testContext());
}, 600_000);

test('compilers that are killed, as the kernel does where memory is short, cost no variant its verdict', async () => {
  for (let round = 0; round < rounds(2); round++) {
    const { path } = workspace({ fresh: true });
    const argv = ['sweep', 'scale', '--preset', 'sound', '--device', 'emulated', '--json'];
    const sweep = start([...genArgv, ...argv], path, { TILEWRIGHT_MARK: path });
    let killed = 0;
    const killer = setInterval(() => {
      const compilers = marked(path).filter(({ line }) =>
        /^\S*(cicc|ptxas|cudafe\+\+|cc1plus|as|ld) /.test(line),
      );
      const victim = compilers[Math.floor(Math.random() * compilers.length)];
      if (!victim || Math.random() < 0.5) return;
      try {
        process.kill(victim.pid, 'SIGKILL');
        killed++;
      } catch {} // it has just ended by itself
    }, 200);
    await sweep.ended;
    clearInterval(killer);
    expect(killed).toBeGreaterThan(0);
    count('compilers killed', killed);
    const verdicts = Object.values(verdictsOf(eventsOf(sweep.stdout())));
    expect(verdicts, sweep.output()).toHaveLength(6);
    expect(verdicts.filter((name) => name !== 'passed' && name !== 'machine')).toEqual([]);
    const again = await gen(path, ['sweep', 'scale', '--resume', '--device', 'emulated', '--json']);
    expect(again.code, again.stderr).toBe(0);
    expect(Object.values(verdictsOf(again.events))).toEqual(Array(6).fill('passed'));
  }
});
