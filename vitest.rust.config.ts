import { defineConfig } from 'vitest/config';

// Needs cargo and Burn's crates; see test/rust.
export default defineConfig({
  test: { include: ['test/rust/**/*.test.ts'], maxWorkers: 1, testTimeout: 1_500_000 },
});
