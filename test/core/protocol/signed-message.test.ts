import { describe, expect, it } from 'vitest';
import {
  clockText,
  formatSigningSecret,
  isSigned,
  readSigningSecret,
  signedHeaders,
} from '#protocol/signed-message.ts';

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
