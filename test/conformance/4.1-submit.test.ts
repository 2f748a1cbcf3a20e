import { beforeAll, describe, expect, it } from 'vitest';
import { PICTURES } from '../support/pictures.ts';
import {
  type Answer,
  expectInvalid,
  OTHER_PLAYER,
  PLAYER,
  parkedRequest,
  roundRequest,
  segment,
  send,
  timelineRequest,
  UUID,
} from './support/api.ts';
import { type Account, accepted, createAccount, orderOf } from './support/service.ts';

let account: Account;
let other: Account;

beforeAll(async () => {
  account = await createAccount();
  other = await createAccount();
});

type Fields = Record<string, unknown>;

const submit = (fields: Fields): Promise<Answer> => account.metered.post('/api/clips', parkedRequest(fields));
const submitTimeline = (fields: Fields): Promise<Answer> =>
  account.metered.post('/api/clips', timelineRequest({ fps: 120, ...fields }));

/** A value of each field that it accepts and echoes, and one that it refuses: core/protocol/submit.test.ts has all. */
const FIELDS: [field: string, taken: unknown, refused: unknown][] = [
  [
    'demo_url',
    'https://bücher.example:8443/a%20b/match.dem.zst?sig=%2F#x',
    'https://user:password@example.com/match.dem',
  ],
  ['fps', 60, 29.97],
  ['resolution', 1440, '1080'],
  ['hud_killfeed', true, 'true'],
  ['hud_damage_ticker', false, 1],
  ['thumbnail_style', 'killfeed', 'Full'],
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

  async function upload(kind: string, key = account.metered.key): Promise<string> {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'image/png' };
    const url = `${account.metered.baseUrl}/api/assets?kind=${kind}`;
    const answer = await send(url, { method: 'POST', headers, body: PICTURES.png });
    expect(answer.status, answer.text).toBe(201);
    return String(answer.body.id);
  }

  it('watermark_image_id takes a watermark of the account and orders it', async () => {
    const watermark_image_id = await upload('watermark');
    expect(await accepted(account.metered, submit({ watermark_image_id }))).toMatchObject({ watermark_image_id });
    const order = await orderOf(account.metered, roundRequest({ watermark_image_id }));
    expect(order).toMatchObject({ watermark_image_id });
  });

  it('watermark_image_id refuses an unknown id, one of another account, and that of an outro', async () => {
    const ids = [crypto.randomUUID(), await upload('watermark', other.metered.key), await upload('outro')];
    for (const watermark_image_id of ['not-a-uuid', ...ids]) {
      expectInvalid(await submit({ watermark_image_id }), 'watermark_image_id');
    }
  });

  it.each([[true], [false]])('force takes %j with an idempotency_key', async (force) => {
    await accepted(account.metered, submit({ force, idempotency_key: crypto.randomUUID() }));
  });

  it.each([['text'], [null], [{ force: true, fps: 'many', nested: { extras: 1 } }]])(
    'extras takes %j and does not read it',
    async (extras) => {
      expect(await accepted(account.metered, submit({ extras }))).toMatchObject({ extras: JSON.stringify(extras) });
    },
  );

  it('webhook_auth_header is a header, and needs a webhook_url', async () => {
    const webhook_url = 'https://r.example.com/';
    await accepted(account.metered, submit({ webhook_url, webhook_auth_header: 'key="a, b"; c' }));
    for (const fields of [{ webhook_auth_header: 'Bearer abc' }, { webhook_url, webhook_auth_header: 'a\r\nX: b' }]) {
      expectInvalid(await submit(fields), 'webhook_auth_header');
    }
  });

  it.each([['FPS'], ['__proto__'], ['']])('there is no field %j', async (field) => {
    const body = JSON.stringify(parkedRequest()).replace(/}$/, `,${JSON.stringify(field)}:1}`);
    expectInvalid(await account.metered.post('/api/clips', body), field);
  });
});

describe('4.1 the two modes', () => {
  it('a request needs steam64_id or timeline', async () => {
    expectInvalid(await submit({ steam64_id: undefined }), 'steam64_id');
  });

  it('a field of round mode is not sent with a timeline', async () => {
    expectInvalid(await submitTimeline({ round: 2, pre_kill_padding: 1 }), 'pre_kill_padding', 'round');
    expectInvalid(await submitTimeline({ steam64_id: PLAYER }), 'timeline');
  });
});

describe('4.1 timeline mode fields', () => {
  it('a timeline of 1 to 20 segments is taken', async () => {
    const timelineOf = (length: number) =>
      Array.from({ length }, (_, i) => segment({ start_tick: i * 5000, end_tick: i * 5000 + 64 }));
    for (const timeline of [timelineOf(1), timelineOf(20)]) {
      expect(await accepted(account.metered, submitTimeline({ timeline }))).toMatchObject({ timeline });
    }
    for (const timeline of [timelineOf(0), timelineOf(21), null]) {
      expectInvalid(await submitTimeline({ timeline }), 'timeline');
    }
  });

  it('rule 1: a segment has 64 to 64,000 ticks', async () => {
    const timelineOf = (length: number) => ({ timeline: [segment({ start_tick: 7, end_tick: 7 + length })] });
    for (const length of [64, 64_000]) await accepted(account.metered, submitTimeline(timelineOf(length)));
    for (const length of [63, 64_001]) expectInvalid(await submitTimeline(timelineOf(length)), 'timeline[0].end_tick');
  });

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

  it('400 names every field that is wrong', async () => {
    const commons = { demo_url: 7, fps: 4, resolution: 720, hud_killfeed: 1, thumbnail_style: 'x', idempotency_key: 5 };
    const timeline = [segment({ start_tick: -1 }), segment({ end_tick: 'x' })];
    const rest = { extra: 1, webhook_auth_header: 'a', pre_kill_padding: 1, round: 1 };
    const commands = { a: '1', spec_show_xray: 2 };
    const answer = await account.metered.post('/api/clips', { ...commons, timeline, commands, ...rest });
    const nested = ['timeline[0].start_tick', 'timeline[1].end_tick', 'commands.a', 'commands.spec_show_xray'];
    expectInvalid(answer, ...Object.keys(commons), ...Object.keys(rest), ...nested);
  });

  it('a 2xx says that a job was queued, and the job may still fail', async () => {
    const jobId = await account.metered.submit(parkedRequest({ demo_url: 'https://nowhere.invalid/match.dem' }));
    expect(await account.metered.job(jobId)).toMatchObject({ status: 'pending', clip_id: null });
  });
});
