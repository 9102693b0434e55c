// Killed processes, many processes and hostile folders: npm run test:faults, a sample; TILEWRIGHT_FAULTS=100: so many of each.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    // Each test starts many processes of its own.
    maxWorkers: 1,
    testTimeout: 600_000,
  },
});
