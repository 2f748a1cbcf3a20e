import { defineConfig } from 'vitest/config';

/**
 * For `npx stryker run tools/mutation/stryker.config.json`: the suites of the pure modules alone, which need no runtime, and the committed OpenAPI
 * document, which has every shape with its words. One suite takes seconds to make its match, for each mutant again.
 */
export default defineConfig({
  test: {
    // Node runs our files as it does outside of tests. The generator of the document loads them by itself, too.
    experimental: { viteModuleRunner: false },
    // As in the root's configuration: nothing here waits, but instrumented code is slow.
    testTimeout: 30_000,
    include: [
      'test/core/{domain,protocol}/**/*.test.ts',
      'test/tools/openapi/document.test.ts',
      'test/packages/render-host/plan/**/*.test.ts',
    ],
    exclude: ['test/packages/render-host/plan/generated-match.test.ts'],
  },
});
