import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { createGatewayClient } from '#render-host/agent/gateway-client.ts';
import { CAPABILITIES } from '#test/support/test-host.ts';
import { createClockCheck, createGatewayClient } from '#render-host/agent/gateway-client.ts';
import { createFakeGateway } from './fake-gateway.ts';

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
