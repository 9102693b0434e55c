import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/gpu/**',
      'test/python/**',
      'test/rust/**',
      'test/faults/**',
      'node_modules/**',
      'dist/**',
      'generated/**',
    ],
    // Tests compile and run real kernels: the machine's cores are theirs, not the test runner's.
    maxWorkers: 2,
    testTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['dist/**', '**/*.d.ts'],
      reporter: ['text-summary', ['text', { maxCols: 100 }]],
    },
  },
});
