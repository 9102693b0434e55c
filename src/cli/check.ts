import { type CheckResult, checksOf, problemsOf, runCheck } from '../check/check.ts';
import { writeGoldens } from '../check/goldens.ts';
import { type DiscoveredFamily, findFamily, loadFamilyIn } from '../discover.ts';
import { localExecutor } from '../exec/local.ts';
import { duration, fold } from '../report/format.ts';
import { foldAt, paintFor } from '../report/style.ts';
import { findCxx } from '../toolchain/find.ts';
import { findToolchain } from '../toolchain/toolchain.ts';
import { asCalled } from './called.ts';
import { exitCode } from './exit.ts';
import type { Options } from './options.ts';
import { configOf } from './prepare.ts';

const words = { passed: 'OK', failed: 'FAILED', skipped: '-' } as const;
const tones = { passed: 'good', failed: 'bad', skipped: 'faint' } as const;

/** `gen check`: 0 where nothing is wrong with a family, 1 where something is. */
export async function check(name: string, options: Options & { readonly update?: boolean }): Promise<number> {
  const { families } = await configOf(options);
  const folder = await findFamily(name, { families });
  const found: DiscoveredFamily[] = [];
  const loading = await runCheck({
    name: 'family',
    about: `${folder}/family.ts`,
    problems: async () => {
      found.push(await loadFamilyIn(folder));
      return [];
    },
  });
  tell(loading, options);
  const [subject] = found;
  if (!subject) return exitCode.no;
  if (options.update) {
    const refused = await problemsOf(() => {
      writeGoldens(subject);
      return [];
    });
    for (const problem of refused) process.stderr.write(`golden/ stays as it was: ${problem}\n`);
  }
  const [{ cxx }, toolchain] = await Promise.all([
    findCxx(process.env, localExecutor),
    findToolchain(localExecutor),
  ]);
  const tools = { executor: localExecutor, cxx, cudaHome: toolchain?.cudaHome };
  // Compilers run while the other checks do; results are printed in order.
  const results = [...checksOf(subject, tools)].toReversed().map(runCheck).toReversed();
  for (const result of results) result.catch(() => {}); // it is awaited below
  let failed = false;
  for (const result of results) {
    const settled = await result;
    tell(settled, options);
    failed ||= settled.state === 'failed';
  }
  return failed ? exitCode.no : exitCode.done;
}

function tell(result: CheckResult, options: Options): void {
  if (options.json) {
    console.log(JSON.stringify({ event: 'family-check', ...result }));
    return;
  }
  const { check: name, state, about, problems, seconds } = result;
  const paint = paintFor(process.stdout);
  const width = foldAt(process.stdout);
  const time = state === 'skipped' ? '' : `, ${duration(seconds)}`;
  console.log(
    fold(`${paint(tones[state], words[state].padEnd(7))} ${name.padEnd(9)} ${about}${time}`, width, 18),
  );
  for (const problem of problems) console.log(fold(`        ${asCalled(problem)}`, width, 10));
}
