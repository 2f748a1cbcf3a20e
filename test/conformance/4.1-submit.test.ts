import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  expectInvalid,
  OTHER_PLAYER,
  PLAYER,
  parkedRequest,
  roundRequest,
  segment,
  timelineRequest,
  UUID,
} from './support/api.ts';
import { type Account, accepted, createAccount, orderOf } from './support/service.ts';

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

type Fields = Record<string, unknown>;

const submit = (fields: Fields): Promise<Answer> => account.metered.post('/api/clips', parkedRequest(fields));

/** A value of each field that it accepts and echoes, and one that it refuses: core/protocol/submit.test.ts has all. */
const FIELDS: [field: string, taken: unknown, refused: unknown][] = [
  [
    'demo_url',
    'https://bücher.example:8443/a%20b/match.dem.zst?sig=%2F#x',
    'https://user:password@example.com/match.dem',
  ],
  ['fps', 60, 29.97],
  ['resolution', 1440, '1080'],
  ['aspect', '9:16', '9x16'],
  ['hud_killfeed', true, 'true'],
  ['hud_damage_ticker', false, 1],
  ['thumbnail_style', 'killfeed', 'Full'],
  ['thumbnail_tick', 0, -1],
  ['names', { 76561198000000001: 'Ferris' }, 'Hide'],
  ['idempotency_key', ` \u0000\n${crypto.randomUUID()}${'🎬'.repeat(200)} `, '🎬'.repeat(256)],
  ['webhook_url', 'http://127.0.0.1:1/hook', 'javascript:alert(1)'],
  ['steam64_id', '18446744073709551615', 76561198000000000],
  ['round', 30, 0],
  ['pre_kill_padding', 0.75, 5.0001],
  ['post_kill_padding', 4.999, 0.4999],
];

describe('4.1 common and round mode fields', () => {
  it.each(FIELDS)('%s takes %j and echoes it unchanged, and refuses %j', async (field, taken, refused) => {
    expect(await accepted(account.metered, submit({ [field]: taken }))).toMatchObject({ [field]: taken });
    expectInvalid(await submit({ [field]: refused }), field);
  });

  it('fps takes an integer written as a fraction or with an exponent', async () => {
    for (const fps of ['120.0', '1.2e2']) {
      const body = JSON.stringify(parkedRequest()).replace('"fps":120', `"fps":${fps}`);
      expect(await accepted(account.metered, account.metered.post('/api/clips', body))).toMatchObject({ fps: 120 });
    }
  });

  it('have their defaults for the render host', async () => {
    const order = await orderOf(account.metered, roundRequest());
    const defaults = { hud_killfeed: false, hud_damage_ticker: false, thumbnail_style: 'full' };
    expect(order).toMatchObject({ fps: 30, resolution: 1080, ...defaults });
    const selection = { mode: 'round', steam64_id: PLAYER, round: null, pre_kill_padding: 3, post_kill_padding: 2 };
    expect(order.selection).toMatchObject(selection);
  });

  it('reach the render host', async () => {
    const options = { resolution: 1440, fps: 75, hud_killfeed: true, hud_damage_ticker: true, thumbnail_style: 'none' };
    const selection = { steam64_id: OTHER_PLAYER, round: 2, pre_kill_padding: 0.75, post_kill_padding: 1 };
    const order = await orderOf(account.metered, roundRequest({ ...options, ...selection }));
    expect(order).toMatchObject(options);
    expect(order.selection).toMatchObject(selection);
  });

  it.each([[true], [false]])('force takes %j with an idempotency_key', async (force) => {
    await accepted(account.metered, submit({ force, idempotency_key: crypto.randomUUID() }));
  });

  it.each([['FPS'], ['__proto__'], ['']])('there is no field %j', async (field) => {
    const body = JSON.stringify(parkedRequest()).replace(/}$/, `,${JSON.stringify(field)}:1}`);
    expectInvalid(await account.metered.post('/api/clips', body), field);
  });
});

describe('4.1 timeline mode fields', () => {
  it('rule 2: segments that touch or overlap are taken, for the render host to merge', async () => {
    const timeline = [
      segment({ start_tick: 0, end_tick: 100 }),
      segment({ start_tick: 100, end_tick: 200 }),
      segment({ start_tick: 150, end_tick: 300 }),
      segment({ start_tick: 150, end_tick: 300, steam64_id: OTHER_PLAYER }),
    ];
    const order = await orderOf(account.metered, timelineRequest({ timeline }));
    expect(order.selection).toMatchObject({ mode: 'timeline', segments: { length: 4 } });
  });
});

describe('4.1 response', () => {
  it('201 names the new job and nothing else', async () => {
    const answer = await submit({});
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ job_id: expect.stringMatching(UUID) });
    expect(answer.headers.get('Content-Type')).toBe('application/json');
  });
});
