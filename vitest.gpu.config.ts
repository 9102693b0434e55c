// Tests that need an NVIDIA GPU: npm run test:gpu
import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// Bare metal and containers have the control device; WSL has its own.
const hasGpu = ['/dev/nvidiactl', '/dev/dxg'].some(existsSync);
if (!hasGpu) console.log('skipped test/gpu: there is no NVIDIA GPU here (no /dev/nvidiactl, no /dev/dxg)');

export default defineConfig({
  test: {
    include: hasGpu ? ['test/gpu/**/*.test.ts'] : [],
    passWithNoTests: true,
    // One GPU: two files at a time would disturb each other's times.
    maxWorkers: 1,
    testTimeout: 300_000,
  },
});
