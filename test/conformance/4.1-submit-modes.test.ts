import { beforeAll, describe, expect, it } from 'vitest';
import { SubmitRequest } from '#protocol/submit.ts';
import { type Answer, expectInvalid } from './support/api.ts';
import {
  OTHER_PLAYER,
  PLAYER,
  parkedRequest,
  roundRequest,
  segment,
  timelineRequest,
  UUID,
} from './support/requests.ts';
import { type Account, accepted, createAccount, orderOf } from './support/service.ts';

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

const submit = (fields: Record<string, unknown>): Promise<Answer> =>
  account.metered.post('/api/clips', parkedRequest(fields));
const submitTimeline = (fields: Record<string, unknown>): Promise<Answer> =>
  account.metered.post('/api/clips', timelineRequest({ fps: 120, ...fields }));

describe('4.1 the two modes', () => {
  it('a request needs steam64_id or timeline', async () => {
    expectInvalid(await submit({ steam64_id: undefined }), 'steam64_id');
  });
});

const PADDING = { takes: [0.5, 0.75, 1, 4.999, 5], refuses: [0.4999, 0, -1, 5.0001, 5.000001, '3', null, true] };

/** Each field: values that it accepts, values that it refuses, and its default for the render host. */
const ROUND_FIELDS: [string, { takes: unknown[]; refuses: unknown[]; preset: unknown }][] = [
  [
    'steam64_id',
    {
      takes: ['76561198000000001', '1', '18446744073709551615'],
      refuses: [
        ...[76561198000000000, '', '0', '-1', '+76561198000000001', ' 76561198000000001', '76561198000000001.0'],
        ...['7.6e16', '0x110000100000000', 'STEAM_0:1:19867136', '[U:1:39734273]', '18446744073709551616'],
        ...['７６５６１１９８０００００００００１', null, true],
      ],
      preset: PLAYER,
    },
  ],
  ['round', { takes: [1, 2, 30, 100], refuses: [0, -1, 1.5, '1', true, null, [1]], preset: null }],
  ['pre_kill_padding', { ...PADDING, preset: 3 }],
  ['post_kill_padding', { ...PADDING, preset: 2 }],
];

describe.each(ROUND_FIELDS)('4.1 round mode fields: %s', (field, { takes, refuses, preset }) => {
  it.each(takes.map((value) => [value]))('takes %j', async (value) => {
    expect(await accepted(account.metered, submit({ [field]: value }))).toMatchObject({ [field]: value });
  });

  it.each(refuses.map((value) => [value]))('refuses %j', async (value) => {
    expectInvalid(await submit({ [field]: value }), field);
  });

  it('is part of the host’s order, with its default if it was not sent', async () => {
    const sent = await orderOf(account.metered, roundRequest({ [field]: takes[1] }));
    expect(sent.selection).toMatchObject({ mode: 'round', [field]: takes[1] });
    expect((await orderOf(account.metered, roundRequest())).selection).toMatchObject({ [field]: preset });
  });

  it('is not sent with a timeline', async () => {
    expectInvalid(await submitTimeline({ [field]: takes[1] }), field === 'steam64_id' ? 'timeline' : field);
  });
});

describe('4.1 timeline mode fields', () => {
  it.each([[1], [2], [20]])('a timeline of %d segments is taken', async (length) => {
    const timeline = Array.from({ length }, (_, i) => segment({ start_tick: i * 5000, end_tick: i * 5000 + 64 }));
    expect(await accepted(account.metered, submitTimeline({ timeline }))).toMatchObject({ timeline });
  });

  it.each([[0], [21]])('a timeline of %d segments is refused', async (length) => {
    expectInvalid(await submitTimeline({ timeline: Array.from({ length }, () => segment()) }), 'timeline');
  });

  it.each([[{}], ['[]'], [null], [7]])('a timeline is an array, not %j', async (timeline) => {
    expectInvalid(await submitTimeline({ timeline }), 'timeline');
  });

  it.each([[null], ['segment'], [7], [[]]])('a segment is an object, not %j', async (entry) => {
    expectInvalid(await submitTimeline({ timeline: [segment(), entry] }), 'timeline[1]');
  });

  it.each([[64], [65], [63_999], [64_000]])('rule 1: a segment of %d ticks is taken', async (length) => {
    await accepted(account.metered, submitTimeline({ timeline: [segment({ start_tick: 7, end_tick: 7 + length })] }));
  });

  it.each([[1], [63], [64_001]])('rule 1: a segment of %d ticks is refused', async (length) => {
    const timeline = [segment({ start_tick: 7, end_tick: 7 + length })];
    expectInvalid(await submitTimeline({ timeline }), 'timeline[0].end_tick');
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

describe('4.1 every field', () => {
  it.each(Object.keys(SubmitRequest.shape).filter((field) => field !== 'extras'))(
    'null is refused: %s',
    async (field) => {
      const request = field === 'timeline' ? { steam64_id: undefined } : { webhook_url: 'https://r.example.com/' };
      expectInvalid(await submit({ ...request, [field]: null }), field);
    },
  );
});

describe('4.1 response', () => {
  it('201 names the new job and nothing else', async () => {
    const answer = await submit({});
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ job_id: expect.stringMatching(UUID) });
    expect(answer.headers.get('Content-Type')).toBe('application/json');
  });

  it('400 names every field that is wrong', async () => {
    const answer = await account.metered.post('/api/clips', {
      demo_url: 7,
      timeline: [segment({ start_tick: -1 }), segment({ end_tick: 'x' })],
      fps: 4,
      resolution: 720,
      commands: { a: '1', spec_show_xray: 2 },
      hud_killfeed: 1,
      thumbnail_style: 'x',
      idempotency_key: 5,
      extra: 1,
      webhook_auth_header: 'a',
      pre_kill_padding: 1,
      round: 1,
    });
    expectInvalid(
      answer,
      'demo_url',
      'timeline[0].start_tick',
      'timeline[1].end_tick',
      'fps',
      'resolution',
      'commands.a',
      'commands.spec_show_xray',
      'hud_killfeed',
      'thumbnail_style',
      'idempotency_key',
      'extra',
      'webhook_auth_header',
      'pre_kill_padding',
      'round',
    );
  });

  it('a 2xx says that a job was queued, and the job may still fail', async () => {
    const jobId = await account.metered.submit(parkedRequest({ demo_url: 'https://nowhere.invalid/match.dem' }));
    expect(await account.metered.job(jobId)).toMatchObject({ status: 'pending', clip_id: null });
  });
});
