// Requirements on every kernel family, by the same code as `gen check`. Runs over whatever is found under templates/kernels; nobody
// edits it for a new one.
import { describe, expect, it } from 'vitest';
import { checksOf, runCheck } from '../../src/check/check.ts';
import { contract } from '../../src/check/contract.ts';
import { goldensOf } from '../../src/check/goldens.ts';
import { loadFamilies } from '../../src/discover.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { testToolchain } from '../helpers/toolchain.ts';

const { cxx, cudaHome } = await testToolchain();
const tools = { executor: localExecutor, cxx, cudaHome };

describe.each((await loadFamilies()).map((found) => ({ name: found.family.name, ...found })))(
  '$name',
  (found) => {
    it.each(contract.map(({ name, problems }) => [name, problems] as const))(
      '%s',
      { timeout: 120_000 },
      (_, problems) => {
        expect(problems(found)).toEqual([]);
      },
    );

    const checks = checksOf(found, tools).filter(({ name }) => name !== 'contract' && name !== 'goldens');
    it.each(checks.map((check) => [check.name, check] as const))(
      'has nothing wrong with its %s',
      { timeout: 120_000 },
      async (_, check) => {
        expect(await runCheck(check)).toMatchObject({ state: 'passed', problems: [] });
      },
    );

    it('matches its goldens', async () => {
      const goldens = [...goldensOf(found)];
      expect(goldens).toHaveLength(3);
      for (const [path, text] of goldens) await expect(text).toMatchFileSnapshot(path);
    });
  },
);
