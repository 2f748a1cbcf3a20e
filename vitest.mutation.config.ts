import { defineConfig } from 'vitest/config';

/** For `npm run mutation`: the suites of the pure modules alone, which need no runtime. */
export default defineConfig({
  test: { include: ['test/{domain,protocol}/**/*.test.ts', 'test/render-host/plan/**/*.test.ts'] },
});
