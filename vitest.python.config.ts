import { defineConfig } from 'vitest/config';

// Needs PyTorch; see test/python.
export default defineConfig({
  test: { include: ['test/python/**/*.test.ts'], maxWorkers: 1, testTimeout: 600_000 },
});
