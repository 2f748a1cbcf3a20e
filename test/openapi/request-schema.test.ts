import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSubmit } from '../../protocol/submit.ts';
import { fuzzedSubmit } from '../conformance/support/arbitraries.ts';
import { roundRequest, segment, timelineRequest } from '../conformance/support/requests.ts';

const DOCUMENT = JSON.parse(readFileSync(new URL('../../src/openapi.json', import.meta.url), 'utf8'));

// The document around the schemas is none of a validator's business.
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(DOCUMENT, 'openapi.json');
const validate = ajv.compile({ $ref: 'openapi.json#/components/schemas/SubmitRequest' });

/** What JSON Schema has no words for; the service refuses it all the same. */
const BEYOND_JSON_SCHEMA = [
  // It compares no two fields.
  /64 ticks after start_tick|64000 ticks after start_tick/,
  // It does not take a URL apart: hosts that are none, ports beyond 65535.
  /valid host and port/,
  // To it, a string is text.
  /surrogate/,
];

const named = (message: string) => BEYOND_JSON_SCHEMA.some((rule) => rule.test(message));

/** Whether a body is taken by the service and by the published schema, and what the service says to it. */
function verdicts(body: unknown) {
  const parsed = parseSubmit(body);
  const messages = parsed.ok ? [] : parsed.errors.map(({ message }) => message);
  return { server: parsed.ok, schema: validate(body), messages };
}

const round = (fields: object) => roundRequest({ ...fields });
const hook = (fields: object) => roundRequest({ webhook_url: 'https://r.example.com/', ...fields });
const ticks = (start_tick: unknown, end_tick: unknown) =>
  timelineRequest({ timeline: [segment({ start_tick, end_tick })] });
const player = (steam64_id: unknown) => roundRequest({ steam64_id });
const demo = (demo_url: unknown) => roundRequest({ demo_url });

const TAKEN: readonly unknown[] = [
  round({}),
  timelineRequest(),
  ...['https://bücher.example/a b.dem', 'HTTPS://demos.example.com:8443?x=@#y', 'http://[2001:db8::1]/a@b'].map(demo),
  ...['1', '18446744073709551615', '18446744073709551609', '9999999999999999999'].map(player),
  ticks(0, 64),
  ticks(10, 64_010),
  ...['a', 'a\tb c', '!~', 'x'.repeat(4096)].map((webhook_auth_header) => hook({ webhook_auth_header })),
  round({ round: 9007199254740991, fps: 30.0, pre_kill_padding: 0.5 }),
  round({ idempotency_key: '🎬'.repeat(255), force: true }),
  round({ watermark_image_id: '0AFF4E19-D3B5-4826-9F1E-8B64A2D05C37' }),
  demo(`https://demos.example.com/${'🎬'.repeat(4096 - 26)}`),
  round({ extras: null }),
  round({ force: false }),
];

const REFUSED: readonly unknown[] = [
  ...[null, [], 'x', 7, true, {}],
  ...['ftp://demos.example.com/a', 'http:demos.example.com', 'https:///demos.example.com/a', 'https://', '//a/b'].map(
    demo,
  ),
  ...['https://user@demos.example.com/', 'https://user:password@demos.example.com/', 'https://@a.example/'].map(demo),
  ...['https://a.example/ ', ' https://a.example/', 'https://a.example/\n', 'https://a\t.example/', 'https:\\\\a'].map(
    demo,
  ),
  ...['https://a.example\\@b.example/', 'https://a b.example/', null, 7, ['https://a.example/']].map(demo),
  demo(`https://demos.example.com/${'a'.repeat(4097 - 26)}`),
  ...['18446744073709551616', '18446744073709551620', '18446744073709552000', '99999999999999999999', '0'].map(player),
  ...['01', '', ' 1', '1\n', '+1', '1e3', '٣', '100000000000000000000', 7, null].map(player),
  ...[
    [-1, 64],
    [0, 63],
    [0, 0],
    [0.5, 100],
    ['0', '64'],
    [0, 9007199254740992],
    [0, null],
  ].map(([a, b]) => ticks(a, b)),
  timelineRequest({ timeline: [] }),
  timelineRequest({ timeline: Array.from({ length: 21 }, () => segment()) }),
  timelineRequest({ timeline: [segment({ fps: 30 })] }),
  timelineRequest({ timeline: [[]] }),
  ...['round', 'pre_kill_padding', 'post_kill_padding'].map((field) => timelineRequest({ [field]: 2 })),
  timelineRequest({ steam64_id: '76561198000000001' }),
  { demo_url: 'https://demos.example.com/match.dem' },
  ...[0, -1, 1.5, 9007199254740992, 1e308, '7', null].map((value) => round({ round: value })),
  ...[4, 121, 29.97, '30', null].map((fps) => round({ fps })),
  ...[720, '1080', null].map((resolution) => round({ resolution })),
  ...[0.49, 5.01, '3', null].map((pre_kill_padding) => round({ pre_kill_padding })),
  ...[{ bind: '1' }, { spec_show_xray: 1 }, { spec_show_xray: '2' }, [], null].map((commands) => round({ commands })),
  ...['big', '', null].map((thumbnail_style) => round({ thumbnail_style })),
  ...['x', '', null, '0c7a4e19d3b548269f1e8b64a2d05c37'].map((watermark_image_id) => round({ watermark_image_id })),
  ...['', 'x'.repeat(256), '🎬'.repeat(256), 7, null].map((idempotency_key) => round({ idempotency_key })),
  ...['é', 'a\nb', 'a\r\nX: y', ' a', 'a ', '\ta', '', '\u007f', 'a\u0080', 'x'.repeat(4097), 7, null].map(
    (webhook_auth_header) => hook({ webhook_auth_header }),
  ),
  round({ webhook_auth_header: 'a' }),
  round({ force: true }),
  ...['true', 1, null].map((force) => round({ force, idempotency_key: 'a' })),
  ...['hud_killfeed', 'hud_damage_ticker'].flatMap((flag) => ['yes', 0, null].map((value) => round({ [flag]: value }))),
  round({ FPS: 30 }),
  JSON.parse(JSON.stringify(round({})).replace('{', '{"__proto__":1,')),
];

const ONLY_THE_SERVICE_REFUSES: readonly (readonly [string, unknown])[] = [
  ['a segment of 63 ticks that begins later', ticks(1, 64)],
  ['a segment of 64001 ticks', ticks(0, 64_001)],
  ['a segment that ends before it begins', ticks(2000, 1000)],
  ['a port beyond 65535', demo('https://demos.example.com:99999/')],
  ['a host that is no IPv6 address', demo('https://[::g]/')],
  ['a host that is no IPv4 address', demo('https://1.2.3.999/')],
  ['half a surrogate pair', round({ idempotency_key: '\ud800' })],
];

const labelled = (bodies: readonly unknown[]) =>
  bodies.map((body) => [JSON.stringify(body).slice(0, 160), body] as const);

describe('the published schema of a submit', () => {
  it.each(labelled(TAKEN))('takes what the service takes: %s', (_, body) => {
    expect(verdicts(body)).toMatchObject({ server: true, schema: true });
  });

  it.each(labelled(REFUSED))('refuses what the service refuses: %s', (_, body) => {
    expect(verdicts(body)).toMatchObject({ server: false, schema: false });
  });

  it.each(ONLY_THE_SERVICE_REFUSES)('cannot say, and the service does: %s', (_, body) => {
    const { server, schema, messages } = verdicts(body);
    expect({ server, schema }).toEqual({ server: false, schema: true });
    expect(messages.filter(named)).toEqual(messages);
  });

  it('comes to the verdict of the service on whatever is sent, but for what it cannot say', () => {
    const bodies = fuzzedSubmit.filter(({ sent }) => sent !== null).map(({ sent }) => sent);
    fc.assert(
      fc.property(bodies, (body) => {
        const { server, schema, messages } = verdicts(body);
        if (server !== schema)
          expect({ schema, unnamed: messages.filter((m) => !named(m)) }).toEqual({ schema: true, unnamed: [] });
      }),
      { numRuns: 3000 },
    );
  });
});

describe('the pattern of a Steam id', () => {
  const { pattern } = DOCUMENT.components.schemas.SubmitRequest.properties.steam64_id;

  it('ends exactly at 2^64', () => {
    const largest = 2n ** 64n - 1n;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt(1n, 2n ** 67n),
          fc.bigInt(-1000n, 1000n).map((offset) => largest + offset),
        ),
        (id) => new RegExp(pattern).test(String(id)) === id <= largest,
      ),
      { numRuns: 5000 },
    );
  });
});
