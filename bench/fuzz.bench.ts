import { startVitest } from 'vitest/node';

/**
 * Sends the running service ten thousand submissions and ten thousand requests to odd addresses, and asks for two
 * hundred ids of another account on every route: the properties of test/conformance, only more of each. Prints how
 * often each status was answered; stops by itself after some minutes.
 *
 *     npx node bench/fuzz.bench.ts            # FUZZ_RUNS, FUZZ_SEED and CROSS_ACCOUNT_IDS change the numbers
 */
process.env.FUZZ_RUNS ??= '10000';
process.env.CROSS_ACCOUNT_IDS ??= '200';

const suites = ['test/conformance/fuzz.test.ts', 'test/conformance/cross-account.test.ts'];
const vitest = await startVitest('test', suites, { project: 'conformance', watch: false, fileParallelism: false });
await vitest.close();
