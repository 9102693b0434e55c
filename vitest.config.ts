import { existsSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Bare metal and containers have the control device; WSL has its own.
const hasGpu = ['/dev/nvidiactl', '/dev/dxg'].some(existsSync);

const faults = Number(process.env.TILEWRIGHT_FAULTS ?? 0);

const mutants = 'test/unit/families/**/*mutants.test.ts';

/** Folders of tests that are not part of `npm test`. Each is a command, `npm run test:<name>`. */
const slow = {
  /** C++ tests, the contract of families, emitted libraries, packages and mutants of kernels: what compiles for minutes. */
  builds: { testTimeout: 600_000, include: ['test/builds/**/*.test.ts', mutants] },
  /** Killed processes, hostile folders and families: a sample, or TILEWRIGHT_FAULTS of each, TILEWRIGHT_PROCESSES at once. */
  faults: { testTimeout: 600_000 * Math.max(1, faults / 10) },
  /** Needs PyTorch. */
  python: { testTimeout: 600_000 },
  /** Needs cargo and Burn's crates. */
  rust: { testTimeout: 1_500_000 },
  /** Needs an NVIDIA GPU. Two files at a time would disturb each other's times. */
  gpu: { testTimeout: 300_000, include: hasGpu ? ['test/gpu/**/*.test.ts'] : [] },
};
const skipped = !hasGpu && process.argv.includes('gpu');
if (skipped) console.log('skipped test/gpu: there is no NVIDIA GPU here (no /dev/nvidiactl, no /dev/dxg)');

/** Folders whose files take longest, by what they compile and wait for. */
const longest = ['e2e', 'contract', 'unit/families', 'unit/compile', 'unit/emit', 'unit/device'];

/** A long file that begins last has one core alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      return place < 0 ? longest.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['dist/**', '**/*.d.ts'],
      reporter: ['text-summary', ['text', { maxCols: 100 }]],
    },
    passWithNoTests: skipped,
    projects: [
      {
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            ...Object.keys(slow).map((folder) => `test/${folder}/**`),
            mutants,
          ],
          // Tests compile and run real kernels: the machine's cores are theirs, not the test runner's.
          maxWorkers: 2,
          // One process loads the sources once for all of its files: half of the time of those that compile nothing.
          isolate: false,
          testTimeout: 30_000,
        },
      },
      ...Object.entries(slow).map(([name, options], index) => ({
        test: {
          ...{ name, include: [`test/${name}/**/*.test.ts`], maxWorkers: 1 },
          ...options,
          sequence: { groupOrder: index + 1 },
        },
      })),
    ],
  },
});
