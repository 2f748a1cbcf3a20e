import { ERROR_CODE_LIST, type ErrorCode } from '../failure/codes.ts';
import { DAY_MS } from './metering.ts';

/** How a job of a test key ends: with a clip, at once or after 20 seconds or a retry, or with an error. */
export const TEST_ENDS = ['ok', 'slow', 'retry-then-ok', ...ERROR_CODE_LIST] as const;
export type TestEnd = 'ok' | 'slow' | 'retry-then-ok' | ErrorCode;

/** The beginning of the titles of test clips. */
export const TEST_MARK = 'Test: ';

/** How long a job of a test key is kept with all that it made, saved or not. */
export const TEST_KEPT_MS = 7 * DAY_MS;

/** Names below `.test` are never registered (RFC 2606). */
const TEST_DEMO = /^https?:\/\/demo\.test(?::\d*)?(?:\/(?:(?<end>[^/?#]+)\.dem(?![^?#]))?|[?#]|$)/i;

/** Returns how a test job of a demo ends. `https://demo.test` has only the demos of `TEST_ENDS`. */
export function testEndOf(demoUrl: string): TestEnd {
  const demo = TEST_DEMO.exec(demoUrl);
  if (!demo) return 'ok';
  return TEST_ENDS.find((end) => end === demo.groups?.end) ?? 'demo_404';
}
