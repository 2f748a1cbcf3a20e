import { describe, expect, it } from 'vitest';
import { backoffMs, GatewayError, waitMs, withRetries } from '#render-host/agent/gateway-error.ts';

describe('the wait between tries', () => {
  it('doubles up to fifteen seconds', () => {
    expect([0, 1, 2, 5, 6, 60].map((tries) => backoffMs(tries, 1))).toEqual([250, 500, 1000, 8000, 15_000, 15_000]);
  });

  it('is shorter by up to a half, by chance', () => {
    expect([0, 0.5, 1].map((random) => backoffMs(3, random))).toEqual([1000, 1500, 2000]);
  });
});

describe('the wait after a failure', () => {
  it('is what the gateway asks for, up to a minute, and not less than the usual one', () => {
    const asking = (retryAfterMs: number) => new GatewayError(503, 'later', 'unavailable', null, retryAfterMs);
    expect([0, 3000, 200, 3_600_000].map((ms) => waitMs(asking(ms), 0, 1))).toEqual([250, 3000, 250, 60_000]);
    expect(waitMs(new Error('no gateway'), 1, 1)).toBe(500);
  });
});

describe('a call to the gateway', () => {
  const never = new AbortController().signal;
  const failing = (error: Error) => {
    let calls = 0;
    const call = async () => {
      calls++;
      throw error;
    };
    return { call, count: () => calls };
  };

  it.each([
    ['is not made again when it is refused', new GatewayError(400, 'no')],
    ['is not made again when the lease is lost', new GatewayError(409, 'gone')],
    ['is not made again when it is our own fault', new TypeError('no function')],
  ])('%s', async (_, error) => {
    const { call, count } = failing(error);
    await expect(withRetries(call, 5, never)).rejects.toBe(error);
    expect(count()).toBe(1);
  });

  it('is made at most as often as allowed', async () => {
    const trouble = new GatewayError(null, 'away');
    const { call, count } = failing(trouble);
    await expect(withRetries(call, 1, never)).rejects.toBe(trouble);
    expect(count()).toBe(1);
  });

  it('is not retried once it is aborted', async () => {
    const trouble = new GatewayError(503, 'later');
    const { call, count } = failing(trouble);
    await expect(withRetries(call, 5, AbortSignal.abort())).rejects.toBe(trouble);
    expect(count()).toBe(1);
  });
});
