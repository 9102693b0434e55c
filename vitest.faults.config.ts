// Killed processes, many processes and hostile folders: npm run test:faults, a sample; TILEWRIGHT_FAULTS=100: so many of each,
// TILEWRIGHT_PROCESSES=32: so many at once.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    // Each test starts many processes of its own.
    maxWorkers: 1,
    testTimeout: 600_000 * Math.max(1, Number(process.env.TILEWRIGHT_FAULTS ?? 0) / 10),
  },
});
