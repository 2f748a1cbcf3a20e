import { beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid } from './support/api.ts';
import { parkedRequest, roundRequest, segment, timelineRequest } from './support/requests.ts';
import { type Account, createAccount, grantOf } from './support/service.ts';

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

const text = (length: number) => 'x'.repeat(length);
const segments = (length: number) => ({ timeline: Array.from({ length }, () => segment()) });
const ofLength = (ticks: number) => ({ timeline: [segment({ start_tick: 0, end_tick: ticks })] });

/** How long clips are kept is in test/src/upkeep.test.ts, where the clock can be moved. */
describe('8 limits', () => {
  it.each([
    ['fps', parkedRequest, [{ fps: 5 }, { fps: 120 }], [{ fps: 4 }, { fps: 121 }], 'fps'],
    [
      'resolution',
      parkedRequest,
      [{ resolution: 1080 }, { resolution: 1440 }],
      [{ resolution: 1079 }, { resolution: 1441 }, { resolution: 1260 }],
      'resolution',
    ],
    [
      'pre_kill_padding',
      parkedRequest,
      [{ pre_kill_padding: 0.5 }, { pre_kill_padding: 5 }],
      [{ pre_kill_padding: 0.4999 }, { pre_kill_padding: 5.0001 }],
      'pre_kill_padding',
    ],
    [
      'post_kill_padding',
      parkedRequest,
      [{ post_kill_padding: 0.5 }, { post_kill_padding: 5 }],
      [{ post_kill_padding: 0.4999 }, { post_kill_padding: 5.0001 }],
      'post_kill_padding',
    ],
    ['round', parkedRequest, [{ round: 1 }], [{ round: 0 }], 'round'],
    ['timeline', timelineRequest, [segments(1), segments(20)], [segments(0), segments(21)], 'timeline'],
    [
      'timeline segment length',
      timelineRequest,
      [ofLength(64), ofLength(64_000)],
      [ofLength(63), ofLength(64_001)],
      'timeline[0].end_tick',
    ],
    [
      'idempotency_key',
      parkedRequest,
      [{ idempotency_key: text(1) }, { idempotency_key: text(255) }],
      [{ idempotency_key: '' }, { idempotency_key: text(256) }],
      'idempotency_key',
    ],
  ])('%s holds on both sides', async (_, request, allowed, refused, path) => {
    for (const fields of allowed) {
      const answer = await account.metered.post('/api/clips', request({ fps: 120, ...fields }));
      expect(answer.status, answer.text).toBe(201);
    }
    for (const fields of refused) {
      expectInvalid(await account.metered.post('/api/clips', request({ fps: 120, ...fields })), path);
    }
  });

  it('the defaults: 30 fps, 1080, 3 seconds before and 2 after', async () => {
    const { order } = await grantOf(await account.metered.submit(roundRequest()));
    expect(order).toMatchObject({
      fps: 30,
      resolution: 1080,
      selection: { pre_kill_padding: 3, post_kill_padding: 2 },
    });
  });
});
