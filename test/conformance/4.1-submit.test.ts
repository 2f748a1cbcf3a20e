import { beforeAll, describe, expect, it } from 'vitest';
import { SubmitRequest } from '#protocol/submit.ts';
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

describe('the fields of a submit', () => {
  let account: Account;
  let other: Account;

  beforeAll(async () => {
    account = await createAccount();
    other = await createAccount();
  });

  type Fields = Record<string, unknown>;

  const submit = (fields: Fields): Promise<Answer> => account.metered.post('/api/clips', parkedRequest(fields));

  const FLAG = { takes: [true, false], refuses: ['true', 1, null, {}] };

  /** Each field: values that it accepts and echoes, values that it refuses, and the fields sent with it. */
  const FIELDS: Record<string, { takes: unknown[]; refuses: unknown[]; beside?: Fields }> = {
    demo_url: {
      takes: [
        'http://demos.example.com/match.dem',
        'https://demos.example.com:8443/a%20b/match.dem.zst?sig=%2F#x',
        'https://bücher.example/spiel.dem',
        'https://93.184.216.34/match.dem',
        `https://demos.example.com/${'a'.repeat(2000)}.dem`,
      ],
      refuses: [
        ...[undefined, null, 42, ['https://demos.example.com/match.dem'], '', 'match.dem', '/match.dem'],
        ...['//demos.example.com/match.dem', 'ftp://demos.example.com/match.dem', 'file:///match.dem'],
        ...['data:application/octet-stream;base64,AA==', 'https://', 'https:demos.example.com/match.dem'],
        ...['https:/demos.example.com/match.dem', ' https://demos.example.com/match.dem'],
        ...['https://demos.example.com/match.dem\n', 'https://user:password@demos.example.com/match.dem'],
        ...['https://@demos.example.com/match.dem', 'https:///demos.example.com/match.dem'],
        ...['https:\\\\demos.example.com\\match.dem', 'https://demos.example.com\\@receiver.example.com/match.dem'],
        ...['https://demos\t.example.com/match.dem', 'https://demos.example.com:99999/match.dem'],
        `https://demos.example.com/${'a'.repeat(4096)}`,
      ],
    },
    fps: { takes: [5, 30, 60, 120], refuses: [4, 121, 0, -30, 29.97, '30', true, null, 1e300, []] },
    resolution: { takes: [1080, 1440], refuses: [720, 1079, 1081, 1439, 1441, 2160, '1080', 1080.5, null] },
    hud_killfeed: FLAG,
    hud_damage_ticker: FLAG,
    thumbnail_style: {
      takes: ['full', 'killfeed', 'none'],
      refuses: ['Full', 'FULL', ' full', 'plain', '', null, 0, true],
    },
    watermark_image_id: { takes: [], refuses: ['not-a-uuid', '', 7, null, '123e4567e89b12d3a456426614174000'] },
    idempotency_key: {
      takes: [
        ...['k', crypto.randomUUID().padEnd(255, 'x'), ` \u0000\n${crypto.randomUUID()} `],
        ...[crypto.randomUUID() + 'é'.repeat(219), crypto.randomUUID() + '🎬'.repeat(219)],
      ],
      refuses: ['', 'x'.repeat(256), 'é'.repeat(256), '🎬'.repeat(256), '\ud800', 7, null],
    },
    force: { takes: [], refuses: FLAG.refuses, beside: { idempotency_key: crypto.randomUUID() } },
    webhook_url: {
      takes: [
        ...['http://receiver.example.com/', 'https://receiver.example.com:8443/hook?job=1#x'],
        ...['http://127.0.0.1:1/hook', 'https://[2606:2800:220:1::1]/hook'],
      ],
      refuses: [
        ...['', 'hook', '/hook', '//receiver.example.com/hook', 'ftp://receiver.example.com/hook'],
        ...['javascript:alert(1)', 'ws://receiver.example.com/hook', 'mailto:ops@example.com', 'http://'],
        ...['https://receiver.example.com:99999/', 'http:receiver.example.com', ' http://receiver.example.com/'],
        ...['http://receiver.example.com/\n', 'http://user:password@receiver.example.com/', 42, null],
        { url: 'https://receiver.example.com/' },
      ],
    },
    webhook_auth_header: {
      takes: [],
      refuses: [
        // Values that a header cannot have.
        ...['', ' ', 'a\r\nX-Other: b', 'a\nb', 'a\u0000b', ' a', 'a ', '\ta', 7, null],
        // Values that receivers read differently or not at all.
        ...['é', 'Bearer ÿ', 'a\u0080', 'a\u007f', '🎬', 'x'.repeat(4097)],
      ],
      beside: { webhook_url: 'https://receiver.example.com/' },
    },
  };

  describe.each(Object.entries(FIELDS))('4.1 common fields: %s', (field, { takes, refuses, beside }) => {
    if (takes.length > 0) {
      it.each(takes.map((value) => [value]))('takes %j and echoes it unchanged', async (value) => {
        expect(await accepted(account.metered, submit({ [field]: value }))).toMatchObject({ [field]: value });
      });
    }

    it.each(refuses.map((value) => [value]))('refuses %j', async (value) => {
      expectInvalid(await submit({ ...beside, [field]: value }), field);
    });
  });

  describe('4.1 common fields', () => {
    it('fps takes an integer written as a fraction or with an exponent', async () => {
      for (const fps of ['120.0', '1.2e2']) {
        const body = JSON.stringify(parkedRequest()).replace('"fps":120', `"fps":${fps}`);
        expect(await accepted(account.metered, account.metered.post('/api/clips', body))).toMatchObject({ fps: 120 });
      }
    });

    it('have their defaults for the render host', async () => {
      const defaults = { hud_killfeed: false, hud_damage_ticker: false, thumbnail_style: 'full' };
      expect(await orderOf(account.metered, roundRequest())).toMatchObject({ fps: 30, resolution: 1080, ...defaults });
    });

    it.each([
      [{ fps: 75, hud_killfeed: true, thumbnail_style: 'killfeed' }],
      [{ resolution: 1440, hud_damage_ticker: true, thumbnail_style: 'none' }],
    ])('reach the render host: %j', async (fields) => {
      expect(await orderOf(account.metered, roundRequest(fields))).toMatchObject(fields);
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
      for (const watermark_image_id of ids) {
        expectInvalid(await submit({ watermark_image_id }), 'watermark_image_id');
      }
    });

    it.each([[true], [false]])('force takes %j with an idempotency_key', async (force) => {
      await accepted(account.metered, submit({ force, idempotency_key: crypto.randomUUID() }));
    });

    it.each([['text'], [0], [true], [null], [[1, [2]]], [{ force: true, fps: 'many', nested: { extras: 1 } }]])(
      'extras takes %j and does not read it',
      async (extras) => {
        expect(await accepted(account.metered, submit({ extras }))).toMatchObject({ extras: JSON.stringify(extras) });
      },
    );

    it.each([['Bearer abc.def'], ['Basic dXNlcjpwYXNz'], ['a'], ['key="a, b"; c'], ['a\tb'], ['x'.repeat(2000)]])(
      'webhook_auth_header takes %j',
      async (webhook_auth_header) => {
        await accepted(account.metered, submit({ webhook_url: 'https://r.example.com/', webhook_auth_header }));
      },
    );

    it('webhook_auth_header needs a webhook_url', async () => {
      expectInvalid(await submit({ webhook_auth_header: 'Bearer abc' }), 'webhook_auth_header');
    });

    it.each([['FPS'], ['webhookUrl'], ['__proto__'], ['constructor'], ['']])('there is no field %j', async (field) => {
      const body = JSON.stringify(parkedRequest()).replace(/}$/, `,${JSON.stringify(field)}:1}`);
      expectInvalid(await account.metered.post('/api/clips', body), field);
    });
  });
});

describe('the modes of a submit', () => {
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
});
