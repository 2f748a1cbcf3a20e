import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { createClockCheck, createGatewayClient } from '#render-host/agent/gateway-client.ts';
import { backoffMs, GatewayError, waitMs, withRetries } from '#render-host/agent/gateway-error.ts';
import { CAPABILITIES } from '#test/support/test-host.ts';
import { createFakeGateway } from './fake-gateway.ts';

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

const T0 = Date.UTC(2026, 10, 22);
const logged: string[] = [];
const log = pino({ base: null, timestamp: false }, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
afterEach(() => void logged.splice(0));

it('a clock is named once when it is off by more than a minute, when that changes, and when it is right again', () => {
  let aheadMs = 0;
  const clock = createClockCheck(log, () => T0 + aheadMs);
  const reported = [0, 60, 61, 62, 1, 500, 505, -90, -80, 0].map((s) => {
    aheadMs = s * 1000;
    clock.note(new Date(T0).toUTCString());
    return clock.offS();
  });
  expect(reported).toEqual([undefined, undefined, 61, 61, 61, 500, 500, -90, -90, undefined]);
  expect(logged).toEqual([
    "this machine's clock is 61 s ahead of the service's: set it",
    "this machine's clock is 500 s ahead of the service's: set it",
    "this machine's clock is 90 s behind the service's: set it",
    "this machine's clock agrees with the service's again",
  ]);
});

it('an answer without a date changes nothing', () => {
  const clock = createClockCheck(log, () => T0);
  for (const date of [null, '', 'yesterday']) clock.note(date);
  expect([clock.offS(), logged]).toEqual([undefined, []]);
});

it('a host reports a clock that is off with its next claim', async () => {
  const gateway = await createFakeGateway((kind) => (kind === 'claim' ? { state: 'paused' } : null));
  const clock = createClockCheck(log, () => 0);
  const client = createGatewayClient(gateway.url, 'tr_host_x', { clock });
  for (let i = 0; i < 2; i++) await client.claim(CAPABILITIES, new AbortController().signal);
  const [first, second] = gateway.json('claim');
  expect(first.capabilities).toEqual(CAPABILITIES);
  expect(second.capabilities).toEqual({ ...CAPABILITIES, clock_off_s: clock.offS() });
  expect(logged).toEqual([`this machine's clock is ${-(clock.offS() ?? 0)} s behind the service's: set it`]);
  await gateway.close();
});
