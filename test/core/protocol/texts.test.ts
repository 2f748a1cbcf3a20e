import { describe, expect, expectTypeOf, it } from 'vitest';
import { UsageQuery } from '#protocol/account/usage.ts';
import { ClipListQuery } from '#protocol/clip/clip-view.ts';
import { embedCode } from '#protocol/clip/player.ts';
import { JobListQuery } from '#protocol/job/job-list.ts';
import { formatCursor, formatKey, KeyCursor } from '#protocol/lib/lists.ts';
import { href, type Params } from '#protocol/lib/routes.ts';
import {
  clockText,
  formatSigningSecret,
  isSigned,
  readSigningSecret,
  signedHeaders,
} from '#protocol/lib/signed-message.ts';
import { csvRow } from '#protocol/lib/text-formats.ts';

describe('CSV', () => {
  it.each([
    [['a', 1.5, null], 'a,1.5,'],
    [['a,b', 'say "no"', 'two\nlines', 'a;b'], '"a,b","say ""no""","two\nlines","a;b"'],
    [['=1+1', '+1', '-1', '@A1', '\tx', '＝1', -1], `'=1+1,'+1,'-1,'@A1,"'\tx",'＝1,-1`],
    [['a=1', 'b-c'], 'a=1,b-c'],
  ])('a row of CSV: %j', (cells, row) => {
    expect(csvRow(cells)).toBe(`${row}\r\n`);
  });

  it('a cursor keeps the values of a key, and no other text is one', () => {
    const key = [20_484, 'b0000000-0000-4000-8000-000000000000', 'metered', 1080, 60, ''];
    expect(KeyCursor.parse(formatKey(key))).toEqual(key);
    expect(KeyCursor.safeParse("'; DROP").success).toBe(false);
  });
});

describe('an embed code', () => {
  it('the iframe of a clip has its size, and an escaped address and title', () => {
    const attributes = 'frameborder="0" allow="autoplay; fullscreen" allowfullscreen loading="lazy"';
    expect(embedCode({ title: '"Ace" & <b>\u202e' }, "https://a.example/?t=1&u='")).toBe(
      `<iframe src="https://a.example/?t=1&#38;u=&#39;" width="960" height="540" title="&#34;Ace&#34; &#38; &#60;b&#62;" ${attributes}></iframe>`,
    );
    expect(embedCode({ title: '\n' }, '/c', { width: 640, height: 360 })).toBe(
      `<iframe src="/c" width="640" height="360" title="Clip" ${attributes}></iframe>`,
    );
  });
});

describe('a route', () => {
  describe('the address of a line', () => {
    it('has each parameter in its place', () => {
      expect(href('GET /api/jobs/:id', { id: 'j' })).toBe('/api/jobs/j');
      expect(href('GET /clips/:id/video.mp4', { id: 'c' })).toBe('/clips/c/video.mp4');
      expect(href('POST /admin/accounts/:id/keys/:key/rotate', { id: 'a', key: 'k' })).toBe(
        '/admin/accounts/a/keys/k/rotate',
      );
    });

    it('keeps a parameter inside of its segment', () => {
      expect(href('POST /api/clips/:id/save', { id: '../jobs/1?x#y' })).toBe('/api/clips/..%2Fjobs%2F1%3Fx%23y/save');
    });

    it('requires exactly the parameters that the line names', () => {
      expectTypeOf<Params<'DELETE /a/:id/b/:key'>>().toEqualTypeOf<{ readonly id: string; readonly key: string }>();
      // biome-ignore lint/complexity/noBannedTypes: that there is none is the point
      expectTypeOf<Params<'GET /a'>>().toEqualTypeOf<{}>();
    });
  });
});

const ID = '5e1ec7ed-0c11-0d1c-0a5e-7ea5e7a11e5d';
const messages = (shape: typeof JobListQuery | typeof ClipListQuery | typeof UsageQuery, query: object) =>
  shape.safeParse(query).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

describe('the query of a list', () => {
  it('has 50 rows unless it says otherwise, at most 200', () => {
    expect(JobListQuery.parse({})).toEqual({ limit: 50 });
    expect(JobListQuery.parse({ limit: '200' }).limit).toBe(200);
    expect(JobListQuery.parse({ limit: '1' }).limit).toBe(1);
    expect(messages(JobListQuery, { limit: '0' })).toEqual(['limit: must be at least 1']);
    expect(messages(JobListQuery, { limit: '201' })).toEqual(['limit: must be at most 200']);
    for (const limit of ['', 'ten', '1.5', '-1', '1234567']) {
      expect(messages(JobListQuery, { limit })).toContain('limit: must be a whole number');
    }
  });

  it('continues where a page ended', () => {
    const row = { createdAt: 1_767_323_045_000, id: ID };
    expect(formatCursor(row)).toBe(`1767323045000_${ID}`);
    expect(JobListQuery.parse({ cursor: formatCursor(row) }).cursor).toEqual(row);
    for (const cursor of ['', 'x', `_${ID}`, `1_${ID}x`, `x1_${ID}`, `1234567890123456_${ID}`]) {
      expect(messages(JobListQuery, { cursor })).toEqual(['cursor: must be the next_cursor of an earlier page']);
    }
  });

  it('has times with their offset, in order', () => {
    const parsed = JobListQuery.parse({
      created_from: '2026-01-31T12:00:00Z',
      created_to: '2026-01-31T14:00:00+02:00',
    });
    expect(parsed).toMatchObject({ created_from: Date.UTC(2026, 0, 31, 12), created_to: Date.UTC(2026, 0, 31, 12) });
    const late = { created_from: '2026-01-31T12:00:01Z', created_to: '2026-01-31T12:00:00Z' };
    expect(messages(JobListQuery, late)).toEqual(['created_from: must not be after created_to']);
    expect(messages(ClipListQuery, late)).toEqual(['created_from: must not be after created_to']);
    expect(messages(UsageQuery, { from: late.created_from, to: late.created_to })).toEqual([
      'from: must not be after to',
    ]);
    expect(messages(JobListQuery, { created_from: 'today' })).toEqual([
      'created_from: must be a time as in 2026-01-31T12:00:00Z',
    ]);
  });

  it('filters by what there is', () => {
    expect(JobListQuery.parse({ status: 'retrying', mode: 'timeline' })).toMatchObject({
      status: 'retrying',
      mode: 'timeline',
    });
    expect(messages(JobListQuery, { status: 'lost', mode: 'both' })).toEqual([
      'status: must be one of pending, prefetch, render, done, retrying, error',
      'mode: must be round or timeline',
    ]);
    expect(ClipListQuery.parse({ saved: 'true', state: 'deleted' })).toMatchObject({ saved: true, state: 'deleted' });
    expect(ClipListQuery.parse({ saved: 'false' }).saved).toBe(false);
    expect(messages(ClipListQuery, { saved: '1', state: 'gone' })).toEqual([
      'state: must be ready or deleted',
      'saved: must be true or false',
    ]);
    expect(messages(JobListQuery, { colour: 'red' })).not.toEqual([]);
  });
});

describe('a signed message', () => {
  /** An example of the documents of Standard Webhooks, made by other code. */
  const EXAMPLE = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const NOW = Number(EXAMPLE.timestamp) * 1000;

  function check(changes: Partial<typeof EXAMPLE> & { now?: number } = {}): Promise<boolean> {
    const { secret, id, timestamp, body, signature, now = NOW } = { ...EXAMPLE, ...changes };
    const headers: Record<string, string> = {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    };
    return isSigned(secret, { header: (name) => headers[name] ?? null, body, now });
  }

  describe('a signed message', () => {
    it('is signed as others sign', async () => {
      const { secret, id, body, timestamp, signature } = EXAMPLE;
      expect(await signedHeaders(secret, { id, body, now: NOW + 999 })).toEqual({
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      });
      expect(await check()).toBe(true);
    });

    it.each([
      { body: '{"test": 2432232315}' },
      { id: 'msg_other' },
      { timestamp: '1614265331' },
      { signature: '' },
      { signature: 'v1,' },
      { signature: 'v1,%%%' },
      { signature: EXAMPLE.signature.replace('v1,', 'v1a,') },
      { secret: formatSigningSecret(new Uint8Array(32)) },
    ])('is none with %o', async (changes) => {
      expect(await check(changes)).toBe(false);
    });

    it('counts for five minutes, by the clock of its receiver', async () => {
      expect(await check({ now: NOW + 300_000 })).toBe(true);
      expect(await check({ now: NOW - 300_000 })).toBe(true);
      expect(await check({ now: NOW + 300_001 })).toBe(false);
      expect(await check({ now: NOW - 300_001 })).toBe(false);
      expect(await check({ timestamp: '' })).toBe(false);
      expect(await check({ timestamp: 'now' })).toBe(false);
    });

    it('may carry several signatures, as while a secret is replaced', async () => {
      expect(await check({ signature: `v1,AAAA v2,x ${EXAMPLE.signature}` })).toBe(true);
      expect(await check({ signature: `${'v1,AAAA '.repeat(8)}${EXAMPLE.signature}` })).toBe(false);
    });

    it('needs a secret of at least 24 bytes', async () => {
      expect(readSigningSecret(formatSigningSecret(new Uint8Array(24).fill(7)))).toEqual(new Uint8Array(24).fill(7));
      for (const text of ['', 'whsec_', 'tr_host_x', 'whsec_%', formatSigningSecret(new Uint8Array(23))]) {
        expect(readSigningSecret(text)).toBeNull();
      }
      await expect(check({ secret: 'x' })).rejects.toThrow('no signing secret');
    });
  });

  it('the difference of two clocks is said in seconds', () => {
    expect([90, -300].map(clockText)).toEqual(['90 s ahead of', '300 s behind']);
  });
});
