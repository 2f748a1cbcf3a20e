import { defineConfig } from 'vitest/config';

/** Four suites: pure decisions and the render host run in Node, the service in workerd, the whole stack end to end. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'pure',
          include: ['test/domain/**/*.test.ts', 'test/protocol/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'host',
          include: ['test/demo-writer/**/*.test.ts', 'test/render-host/**/*.test.ts', 'test/client/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
