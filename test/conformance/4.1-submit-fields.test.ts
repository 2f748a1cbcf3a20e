import { beforeAll, describe, expect, it } from 'vitest';
import { PICTURES } from '../support/pictures.ts';
import { type Answer, expectInvalid, send } from './support/api.ts';
import { parkedRequest, roundRequest } from './support/requests.ts';
import { type Account, accepted, createAccount, orderOf } from './support/service.ts';

let account: Account;
let other: Account;

beforeAll(async () => {
  account = await createAccount();
  other = await createAccount();
});

const submit = (fields: Record<string, unknown>): Promise<Answer> =>
  account.metered.post('/api/clips', parkedRequest(fields));

const WRONG_FOR_A_FLAG = [['true'], [1], [null], [{}]] as const;

describe('4.1 common fields', () => {
  describe('demo_url', () => {
    it.each([
      ['http://demos.example.com/match.dem'],
      ['https://demos.example.com:8443/a%20b/match.dem.zst?sig=%2F#x'],
      ['https://bücher.example/spiel.dem'],
      ['https://93.184.216.34/match.dem'],
      [`https://demos.example.com/${'a'.repeat(2000)}.dem`],
    ])('takes %.60s and keeps it as it was sent', async (demo_url) => {
      expect(await accepted(account.metered, submit({ demo_url }))).toMatchObject({ demo_url });
    });

    it.each([
      [undefined],
      [null],
      [42],
      [['https://demos.example.com/match.dem']],
      [''],
      ['match.dem'],
      ['/match.dem'],
      ['//demos.example.com/match.dem'],
      ['ftp://demos.example.com/match.dem'],
      ['file:///match.dem'],
      ['data:application/octet-stream;base64,AA=='],
      ['https://'],
      ['https:demos.example.com/match.dem'],
      ['https:/demos.example.com/match.dem'],
      [' https://demos.example.com/match.dem'],
      ['https://demos.example.com/match.dem\n'],
      ['https://user:password@demos.example.com/match.dem'],
      ['https://@demos.example.com/match.dem'],
      ['https:///demos.example.com/match.dem'],
      ['https:\\\\demos.example.com\\match.dem'],
      ['https://demos.example.com\\@receiver.example.com/match.dem'],
      ['https://demos\t.example.com/match.dem'],
      ['https://demos.example.com:99999/match.dem'],
      [`https://demos.example.com/${'a'.repeat(4096)}`],
    ])('refuses %j', async (demo_url) => {
      expectInvalid(await submit({ demo_url }), 'demo_url');
    });
  });

  describe('fps', () => {
    it.each([[5], [30], [60], [120]])('takes %d', async (fps) => {
      expect(await accepted(account.metered, submit({ fps }))).toMatchObject({ fps });
    });

    it.each([[4], [121], [0], [-30], [29.97], ['30'], [true], [null], [1e300], [[]]])('refuses %j', async (fps) => {
      expectInvalid(await submit({ fps }), 'fps');
    });

    it('takes an integer that is written as a fraction or with an exponent', async () => {
      const body = (fps: string) => JSON.stringify(parkedRequest()).replace('"fps":120', `"fps":${fps}`);
      expect(await accepted(account.metered, account.metered.post('/api/clips', body('120.0')))).toMatchObject({
        fps: 120,
      });
      expect(await accepted(account.metered, account.metered.post('/api/clips', body('1.2e2')))).toMatchObject({
        fps: 120,
      });
    });

    it('is 30 for the render host when none was sent', async () => {
      expect(await orderOf(account.metered, roundRequest())).toMatchObject({ fps: 30 });
      expect(await orderOf(account.metered, roundRequest({ fps: 75 }))).toMatchObject({ fps: 75 });
    });
  });

  describe('resolution', () => {
    it.each([[1080], [1440]])('takes %d', async (resolution) => {
      expect(await accepted(account.metered, submit({ resolution }))).toMatchObject({ resolution });
    });

    it.each([[720], [1079], [1081], [1439], [1441], [2160], ['1080'], [1080.5], [null]])(
      'refuses %j',
      async (value) => {
        expectInvalid(await submit({ resolution: value }), 'resolution');
      },
    );

    it('is 1080 when none was sent', async () => {
      expect(await orderOf(account.metered, roundRequest())).toMatchObject({ resolution: 1080 });
    });
  });

  describe.each([['hud_killfeed'], ['hud_damage_ticker']])('%s', (field) => {
    it.each([[true], [false]])('takes %j', async (value) => {
      expect(await accepted(account.metered, submit({ [field]: value }))).toMatchObject({ [field]: value });
    });

    it.each(WRONG_FOR_A_FLAG)('refuses %j', async (value) => {
      expectInvalid(await submit({ [field]: value }), field);
    });

    it('is false for the render host when none was sent', async () => {
      expect(await orderOf(account.metered, roundRequest())).toMatchObject({ [field]: false });
      expect(await orderOf(account.metered, roundRequest({ [field]: true }))).toMatchObject({ [field]: true });
    });
  });

  describe('thumbnail_style', () => {
    it.each([['full'], ['killfeed'], ['none']])('takes %j', async (thumbnail_style) => {
      expect(await accepted(account.metered, submit({ thumbnail_style }))).toMatchObject({ thumbnail_style });
      expect(await orderOf(account.metered, roundRequest({ thumbnail_style }))).toMatchObject({
        thumbnail_style: thumbnail_style,
      });
    });

    it.each([['Full'], ['FULL'], [' full'], ['plain'], [''], [null], [0], [true]])('refuses %j', async (value) => {
      expectInvalid(await submit({ thumbnail_style: value }), 'thumbnail_style');
    });

    it('is full for the render host when none was sent', async () => {
      expect(await orderOf(account.metered, roundRequest())).toMatchObject({ thumbnail_style: 'full' });
    });
  });

  describe('watermark_image_id', () => {
    async function upload(kind: string, key = account.metered.key): Promise<string> {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'image/png' };
      const url = `${account.metered.baseUrl}/api/assets?kind=${kind}`;
      const answer = await send(url, { method: 'POST', headers, body: PICTURES.png });
      expect(answer.status, answer.text).toBe(201);
      return String(answer.body.id);
    }

    it('takes a watermark of the account and orders it', async () => {
      const watermark_image_id = await upload('watermark');
      expect(await accepted(account.metered, submit({ watermark_image_id }))).toMatchObject({ watermark_image_id });
      expect(await orderOf(account.metered, roundRequest({ watermark_image_id }))).toMatchObject({
        watermark_image_id: watermark_image_id,
      });
    });

    it.each([['not-a-uuid'], [''], [7], [null], ['123e4567e89b12d3a456426614174000']])(
      'refuses %j, which is no UUID',
      async (watermark_image_id) => {
        expectInvalid(await submit({ watermark_image_id }), 'watermark_image_id');
      },
    );

    it('refuses an unknown id, one of another account, and that of an outro', async () => {
      const ids = [crypto.randomUUID(), await upload('watermark', other.metered.key), await upload('outro')];
      for (const watermark_image_id of ids) {
        expectInvalid(await submit({ watermark_image_id }), 'watermark_image_id');
      }
    });
  });

  describe('idempotency_key', () => {
    const fresh = (length: number) => crypto.randomUUID().padEnd(length, 'x').slice(-length);

    it.each([
      ['1 character', () => 'k'],
      ['255 characters', () => fresh(255)],
      ['255 characters of two bytes', () => crypto.randomUUID() + 'é'.repeat(219)],
      ['255 characters of four bytes', () => crypto.randomUUID() + '🎬'.repeat(219)],
      ['spaces and control characters', () => ` \u0000\n${crypto.randomUUID()} `],
    ])('takes %s', async (_, make) => {
      const idempotency_key = make();
      expect(await accepted(account.metered, submit({ idempotency_key }))).toMatchObject({ idempotency_key });
    });

    it.each([
      ['the empty string', ''],
      ['256 characters', 'x'.repeat(256)],
      ['256 characters of two bytes', 'é'.repeat(256)],
      ['256 characters of four bytes', '🎬'.repeat(256)],
      ['half a surrogate pair', '\ud800'],
      ['a number', 7],
      ['null', null],
    ])('refuses %s', async (_, idempotency_key) => {
      expectInvalid(await submit({ idempotency_key }), 'idempotency_key');
    });
  });

  describe('force', () => {
    it.each([[true], [false]])('takes %j with an idempotency_key', async (force) => {
      await accepted(account.metered, submit({ force, idempotency_key: crypto.randomUUID() }));
    });

    it.each(WRONG_FOR_A_FLAG)('refuses %j', async (force) => {
      expectInvalid(await submit({ force, idempotency_key: crypto.randomUUID() }), 'force');
    });
  });

  describe('extras', () => {
    it.each([['text'], [0], [true], [null], [[1, [2]]], [{ force: true, fps: 'many', nested: { extras: 1 } }]])(
      'takes %j and looks for nothing in it',
      async (extras) => {
        expect(await accepted(account.metered, submit({ extras }))).toMatchObject({ extras: JSON.stringify(extras) });
      },
    );
  });

  describe('webhook_url', () => {
    it.each([
      ['http://receiver.example.com/'],
      ['https://receiver.example.com:8443/hook?job=1#x'],
      ['http://127.0.0.1:1/hook'],
      ['https://[2606:2800:220:1::1]/hook'],
    ])('takes %s', async (webhook_url) => {
      expect(await accepted(account.metered, submit({ webhook_url }))).toMatchObject({ webhook_url });
    });

    it.each([
      [''],
      ['hook'],
      ['/hook'],
      ['//receiver.example.com/hook'],
      ['ftp://receiver.example.com/hook'],
      ['javascript:alert(1)'],
      ['ws://receiver.example.com/hook'],
      ['mailto:ops@example.com'],
      ['http://'],
      ['https://receiver.example.com:99999/'],
      ['http:receiver.example.com'],
      [' http://receiver.example.com/'],
      ['http://receiver.example.com/\n'],
      ['http://user:password@receiver.example.com/'],
      [42],
      [null],
      [{ url: 'https://receiver.example.com/' }],
    ])('refuses %j', async (webhook_url) => {
      expectInvalid(await submit({ webhook_url }), 'webhook_url');
    });
  });

  describe('webhook_auth_header', () => {
    const withUrl = (webhook_auth_header: unknown) =>
      submit({ webhook_url: 'https://receiver.example.com/', webhook_auth_header });

    it.each([['Bearer abc.def'], ['Basic dXNlcjpwYXNz'], ['a'], ['key="a, b"; c'], ['a\tb'], ['x'.repeat(2000)]])(
      'takes %j',
      async (value) => {
        await accepted(account.metered, withUrl(value));
      },
    );

    it.each([[''], [' '], ['a\r\nX-Other: b'], ['a\nb'], ['a\u0000b'], [' a'], ['a '], ['\ta'], [7], [null]])(
      'refuses %j, which no header can carry',
      async (value) => {
        expectInvalid(await withUrl(value), 'webhook_auth_header');
      },
    );

    it.each([['é'], ['Bearer ÿ'], ['a\u0080'], ['a\u007f'], ['🎬'], ['x'.repeat(4097)]])(
      'refuses %j, which receivers would read in different ways or not at all',
      async (value) => {
        expectInvalid(await withUrl(value), 'webhook_auth_header');
      },
    );

    it('needs a webhook_url', async () => {
      expectInvalid(await submit({ webhook_auth_header: 'Bearer abc' }), 'webhook_auth_header');
    });
  });

  it.each([['FPS'], ['webhookUrl'], ['__proto__'], ['constructor'], ['']])(
    'there is no other field: %j',
    async (field) => {
      const body = JSON.stringify(parkedRequest()).replace(/}$/, `,${JSON.stringify(field)}:1}`);
      expectInvalid(await account.metered.post('/api/clips', body), field);
    },
  );
});
