import { describe, expect, it } from 'vitest';
import { formatSecret } from '#domain/account/secret-key.ts';
import { createAuthenticator, type GuessLimit } from '#http/credentials.ts';
import { ProblemError } from '#http/problem.ts';
import { sha256Hex } from '#platform/digest.ts';

/** Returns the key number `i`, well formed. */
function keyOf(i: number): string {
  const random = Uint8Array.from({ length: 64 }, (_, at) => (at < 4 ? Math.floor(i / 62 ** at) % 62 : 0));
  return formatSecret('metered', random) ?? '';
}

const requestWith = (key: string) => new Request('https://t.test/', { headers: { Authorization: `Bearer ${key}` } });
const NO_LIMIT: GuessLimit = {
  addressOf: () => 'a',
  refuse: () => {},
  count: async () => {},
  noteValid: async () => {},
  wasValid: async () => false,
};

async function setUp() {
  const real = keyOf(0);
  const sha256 = await sha256Hex(real);
  let asked = 0;
  const lookUp = async (sought: string) => {
    asked++;
    return sought === sha256 ? 'the account' : null;
  };
  return { real, lookUp, asked: () => asked };
}

describe('a refused credential', () => {
  const hostToken = formatSecret('host', new Uint8Array(64));
  const admit = createAuthenticator(
    ['metered', 'reserved'],
    async () => null,
    () => 0,
    NO_LIMIT,
  );
  const missing = 'The request has no Authorization header.';
  const scheme = 'The Authorization header is not "Bearer", a space and one key.';
  const form = 'The key is incomplete, mistyped or in quotes.';

  it.each([
    [null, missing],
    ['Bearer', scheme],
    [keyOf(1), scheme],
    [`Basic ${btoa(`user:${keyOf(1)}`)}`, scheme],
    [`Token ${keyOf(1)}`, scheme],
    [`Bearer ${keyOf(1)} ${keyOf(1)}`, scheme],
    [`Bearer "${keyOf(1)}"`, form],
    [`Bearer <${keyOf(1)}>`, form],
    ['Bearer $TICKREEL_API_KEY', form],
    [`Bearer ${keyOf(1).slice(0, -1)}`, form],
    ['Bearer my-key', form],
    [`Bearer ${hostToken}`, 'This is a secret of kind host; this address takes metered, reserved.'],
    [`Bearer ${keyOf(1)}`, 'The key is unknown or was revoked.'],
  ])('says of %s what is wrong', async (header, detail) => {
    const request = new Request('https://t.test/', { headers: header === null ? {} : { Authorization: header } });
    const refusal = await admit(request).catch((error) => error);
    expect(refusal).toMatchObject({ kind: 'unauthorized', headers: { 'WWW-Authenticate': 'Bearer' } });
    expect(refusal.message).toContain(detail);
    expect(refusal.message).toContain('"Authorization: Bearer <key>"');
  });

  it.each([
    ['', 'The X-Api-Key header is not one key alone.'],
    [`Bearer ${keyOf(1)}`, 'The X-Api-Key header is not one key alone.'],
    [`"${keyOf(1)}"`, form],
    [keyOf(1), 'The key is unknown or was revoked.'],
  ])('says of %s in X-Api-Key what is wrong, at the address of game servers only', async (value, detail) => {
    const at = (path: string) => admit(new Request(`https://t.test${path}`, { headers: { 'X-Api-Key': value } }));
    for (const path of ['/api/ingest', '/api/ingest/a']) await expect(at(path)).rejects.toThrow(detail);
    for (const path of ['/', '/api/jobs', '/api/ingests']) await expect(at(path)).rejects.toThrow(missing);
    const inQuery = (path: string) => admit(new Request(`https://t.test${path}?key=${encodeURIComponent(value)}`));
    await expect(inQuery('/api/ingest/faceit')).rejects.toThrow(detail);
    for (const path of ['/api/ingest', '/api/jobs']) await expect(inQuery(path)).rejects.toThrow(missing);
  });
});

describe('the keys that an isolate remembers', () => {
  it('keep a real one through 10,500 that are made up', { tags: ['long'] }, async () => {
    const { real, lookUp, asked } = await setUp();
    const admit = createAuthenticator(['metered'], lookUp, () => 0, NO_LIMIT);
    expect(await admit(requestWith(real))).toBe('the account');
    const refused = new Set<unknown>();
    for (let i = 1; i <= 10_500; i++) refused.add(await admit(requestWith(keyOf(i))).catch((error) => error.kind));
    expect([...refused]).toEqual(['unauthorized']);
    const before = asked();
    expect(before).toBeGreaterThan(10_000);
    expect(await admit(requestWith(real))).toBe('the account');
    expect(asked()).toBe(before);
  });

  it('do not query the database for a recently unknown one until 30 seconds have passed', async () => {
    const { lookUp, asked } = await setUp();
    let now = 0;
    const admit = createAuthenticator(['metered'], lookUp, () => now, NO_LIMIT);
    for (const at of [0, 29_999, 30_000]) {
      now = at;
      await expect(admit(requestWith(keyOf(1)))).rejects.toMatchObject({ kind: 'unauthorized' });
    }
    expect(asked()).toBe(2);
  });

  it('are as new as the last answer, also where one was asked to be newer', async () => {
    const { real, lookUp, asked } = await setUp();
    let now = 0;
    const admit = createAuthenticator(['metered'], lookUp, () => now, NO_LIMIT);
    const counts: number[] = [];
    for (const at of [0, 11_000, 20_999, 21_000, 50_999]) {
      now = at;
      await admit(requestWith(real), at === 50_999 ? undefined : 10_000);
      counts.push(asked());
    }
    expect(counts).toEqual([1, 2, 2, 3, 3]);
  });

  it('are exempt from the limit of guesses for a day after they were valid, whatever else the address sends, until they are revoked', async () => {
    const { real, lookUp, asked } = await setUp();
    const HOUR = 60 * 60_000;
    let now = 0;
    let counted = 0;
    let isRevoked = false;
    const noted: number[] = [];
    const guesses: GuessLimit = {
      ...NO_LIMIT,
      refuse() {
        if (counted >= 100) throw new ProblemError('rate_limited', 'Too many guesses.');
      },
      count: async () => void counted++,
      noteValid: async () => void noted.push(now),
    };
    const find = async (sha256: string) => (isRevoked ? null : lookUp(sha256));
    const admit = createAuthenticator(['metered'], find, () => now, guesses);
    const ask = (key: string) => admit(requestWith(key)).catch((error) => error.kind);
    expect(await ask(real)).toBe('the account');
    const refused: unknown[] = [];
    for (let i = 1; i <= 101; i++) refused.push(await ask(keyOf(i)));
    expect(refused).toEqual([...Array.from({ length: 100 }, () => 'unauthorized'), 'rate_limited']);
    for (const at of [1, 23, 46]) {
      now = at * HOUR;
      expect(await ask(real)).toBe('the account');
    }
    expect(noted).toEqual([0, 1, 23, 46].map((at) => at * HOUR));
    now += 24 * HOUR + 30_000;
    expect(await ask(real)).toBe('rate_limited');
    now -= HOUR;
    isRevoked = true;
    expect(await ask(real)).toBe('unauthorized');
    now += 30_000;
    expect(await ask(real)).toBe('rate_limited');
    expect(asked()).toBe(104);
  });
});
