import { describe, expect, it } from 'vitest';
import { parseSubmit, SubmitRequest } from '#protocol/clip/submit.ts';
import { isBeyondSchema, schemaTakes } from './published-schema.ts';

const ROUND = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '76561198000000001' };
const SEGMENT = { steam64_id: '76561198000000001', start_tick: 0, end_tick: 64 };
const TIMELINE = { demo_url: 'https://demos.example.com/a.dem', timeline: [SEGMENT] };

/** Every broken rule, as `path: message`. The published schema must agree if it can express the rule. */
function errorsOf(body: unknown): string[] {
  const parsed = parseSubmit(body);
  const errors = parsed.ok ? [] : parsed.errors;
  const isBeyond = errors.length > 0 && errors.every(({ message }) => isBeyondSchema(message));
  if (!isBeyond) expect(schemaTakes(body)).toBe(parsed.ok);
  return errors.map(({ path, message }) => `${path}: ${message}`);
}

describe('a request', () => {
  it('has the length of cards only with a card', () => {
    const needs = ['card_seconds: needs an intro_asset_id, an outro_asset_id or a title_card'];
    expect(errorsOf({ ...ROUND, card_seconds: 3 })).toEqual(needs);
    expect(errorsOf({ ...ROUND, card_seconds: 3, title_card: false })).toEqual(needs);
    const id = '5e1ec7ed-0c11-4d1c-8a5e-7ea5e7a11e5d';
    for (const card of [{ title_card: true }, { intro_asset_id: id }, { outro_asset_id: id }]) {
      expect(errorsOf({ ...ROUND, card_seconds: 1, ...card })).toEqual([]);
    }
    expect(errorsOf({ ...ROUND, card_seconds: 10.5, title_card: true })).toEqual([
      'card_seconds: must be at most 10 seconds',
    ]);
  });

  it('has a speed for each segment', () => {
    expect(
      errorsOf({
        ...TIMELINE,
        timeline: [
          { ...SEGMENT, speed: 0.1 },
          { ...SEGMENT, speed: 4 },
        ],
      }),
    ).toEqual([]);
    expect(errorsOf({ ...TIMELINE, timeline: [{ ...SEGMENT, speed: 4.1 }] })).toEqual([
      'timeline[0].speed: must be at most 4',
    ]);
  });

  it('keeps what was sent, and the text of its extras', () => {
    expect(parseSubmit({ ...ROUND, extras: { a: 1 } }, '{"a":1.0}')).toEqual({
      ok: true,
      request: { ...ROUND, extras: '{"a":1.0}' },
    });
    expect(parseSubmit(TIMELINE)).toEqual({ ok: true, request: { ...TIMELINE, extras: null } });
  });

  it('gets every broken rule at once', () => {
    expect(errorsOf({ demo_url: 'ftp://x', fps: 4, resolution: 720, force: true, surprise: 1 })).toEqual([
      'demo_url: must be an absolute http or https URL of the demo, without user name or password',
      'fps: must be at least 5',
      'resolution: must be 1080 or 1440',
      'surprise: is not a known field',
      'steam64_id: either steam64_id or timeline is required',
      'force: needs an idempotency_key',
    ]);
    expect(errorsOf({ ...ROUND, FPS: 30 })).toEqual(['FPS: is not a known field: did you mean fps?']);
    expect(
      errorsOf({ ...ROUND, commands: { spec_show_xrays: '1' }, timeline: [{ ...SEGMENT, startTick: 1 }] }),
    ).toEqual([
      'timeline[0].startTick: is not a known field: did you mean start_tick?',
      'commands.spec_show_xrays: is not a known field: did you mean spec_show_xray?',
      'timeline: must not be sent together with steam64_id',
    ]);
    const { steam64_id: steamid, ...rest } = ROUND;
    expect(errorsOf({ ...rest, steamid })[0]).toBe('steamid: is not a known field: did you mean steam64_id?');
    const proto = JSON.parse(JSON.stringify(ROUND).replace('{', '{"__proto__":1,'));
    expect(errorsOf(proto)).toEqual(['__proto__: is not a known field']);
  });

  it.each([null, 5, 'text', [], true, undefined])('is a JSON object, not %j', (body) => {
    expect(errorsOf(body)).toEqual([': must be a JSON object']);
  });

  it('gets the missing field', () => {
    expect(errorsOf({ steam64_id: '1' })).toEqual([
      'demo_url: is required and must be a JSON string with an absolute http(s) URL',
    ]);
    expect(errorsOf({ ...TIMELINE, timeline: [{}] })).toEqual([
      'timeline[0].steam64_id: is required and must be a JSON string with a 64-bit Steam id',
      'timeline[0].start_tick: is required and must be a whole number of ticks',
      'timeline[0].end_tick: is required and must be a whole number of ticks',
    ]);
  });
});

describe('the two modes', () => {
  it('exclude each other', () => {
    expect(errorsOf({ ...ROUND, timeline: [SEGMENT] })).toEqual([
      'timeline: must not be sent together with steam64_id',
    ]);
    expect(
      errorsOf({ ...TIMELINE, round: 1, pre_kill_padding: 1, post_kill_padding: 1, pov: 'both', merge_gap: 1 }),
    ).toEqual(
      ['round', 'pre_kill_padding', 'post_kill_padding', 'pov', 'merge_gap'].map(
        (name) => `${name}: must not be sent together with timeline`,
      ),
    );
  });

  it('are one of the two', () => {
    expect(errorsOf({ demo_url: ROUND.demo_url })).toEqual(['steam64_id: either steam64_id or timeline is required']);
  });
});

const NO_DEMO = 'must be an absolute http or https URL of the demo, without user name or password';
const NO_RECEIVER = 'must be an absolute http or https URL of your webhook receiver, without user name or password';
const NO_STEAM_ID = 'must be a 64-bit Steam id in decimal digits';
const UUID = '5E1EC7ED-0C11-0D1C-0A5E-7EA5E7A11E5D';

/** Values that a field may have, and those that break a rule. */
const FIELDS: Record<string, { readonly takes: readonly unknown[]; readonly breaks: Record<string, unknown[]> }> = {
  demo_url: {
    takes: [
      ...['HTTP://example.com', 'https://example.com:8080/a?b#c', 'https://exämple.com/ü', 'http://[2001:db8::1]/a@b'],
      ...['https://example.com/a b.dem', `https://example.com/${'🎬'.repeat(4076)}`],
      `https://example.com/${'a'.repeat(4076)}`,
    ],
    breaks: {
      'must be a JSON string with an absolute http(s) URL': [null, 5],
      'must be at most 4096 characters': [`https://example.com/${'a'.repeat(4077)}`],
      [NO_DEMO]: [
        ...['match.dem', '/match.dem', 'file:///a.dem', 'data:,A', 'https:/example.com', 'https:\\\\example.com', ''],
        ...['//example.com', 'https:example.com', 'https:///a', 'https://u:p@example.com', ' https://example.com'],
        ...['ftp://example.com', 'https://', 'https://@example.com', 'https://a.example\\@b.example/', 'https://a\t.b'],
        ...['https://example.com/a ', 'https://example.com/a\n', 'https://example.com/\u0001', 'https://exam ple.com'],
        'https://example.com\\a',
      ],
      'must have a valid host and port': ['https://example.com:99999/', 'https://[::g]/', 'https://1.2.3.999/'],
    },
  },
  steam64_id: {
    takes: ['1', '18446744073709551615', '9999999999999999999', '17999999999999999999', '18446744073709551609'],
    breaks: {
      'must be a JSON string with a 64-bit Steam id': [1],
      'must be a JSON string with a 64-bit Steam id: as a number it loses its last digits': [
        Number('76561198000000001'),
      ],
      [`${NO_STEAM_ID}: STEAM_0:1:19867136 is 76561198000000001`]: ['STEAM_0:1:19867136'],
      [NO_STEAM_ID]: [
        ...[
          ' 1',
          '1\n',
          '+1',
          '1e3',
          '0x11',
          '٣',
          '７',
          '18446744073709551620',
          '100000000000000000000',
          '0',
          '',
          '01',
        ],
        ...['18446744073709551616', '28446744073709551615', '-1', '1x', 'x1', '999999999999999999999'],
      ],
    },
  },
  round: {
    takes: [1, 9007199254740991],
    breaks: {
      'must be 1 or greater': [0],
      'must be a positive integer': [1.5, '1', true, null, [1], 9007199254740992],
    },
  },
  pre_kill_padding: {
    takes: [0.5, 5],
    breaks: {
      'must be at least 0.5 seconds': [0.49],
      'must be at most 5 seconds': [5.01],
      'must be a number of seconds': ['1'],
    },
  },
  post_kill_padding: {
    takes: [0.5, 5],
    breaks: { 'must be at least 0.5 seconds': [0.49], 'must be at most 5 seconds': [5.01] },
  },
  fps: {
    takes: [5, 120],
    breaks: {
      'must be at least 5': [4],
      'must be at most 120': [121],
      'must be an integer from 5 to 120': [30.5, '30', true, null, []],
    },
  },
  pov: {
    takes: ['killer', 'victim', 'both'],
    breaks: { 'must be one of "killer", "victim", "both"': ['enemy'] },
  },
  merge_gap: {
    takes: [0, 10],
    breaks: { 'must be at least 0 seconds': [-0.1], 'must be at most 10 seconds': [10.1] },
  },
  kill_slowdown: {
    takes: [0.1, 1],
    breaks: { 'must be at least 0.1': [0.09], 'must be at most 1': [1.1], 'must be a number': ['1'] },
  },
  title_card: { takes: [true], breaks: { 'must be true or false': [1] } },
  intro_asset_id: { takes: [UUID], breaks: { 'must be the UUID of one of your intros': ['1'] } },
  outro_asset_id: { takes: [UUID], breaks: { 'must be the UUID of one of your outros': ['1'] } },
  music_asset_id: { takes: [UUID], breaks: { 'must be the UUID of one of your music': ['1'] } },
  resolution: { takes: [1080, 1440], breaks: { 'must be 1080 or 1440': [720, 2160, '1080', 1080.5, null] } },
  aspect: {
    takes: ['16:9', '9:16', '1:1', '4:5'],
    breaks: { 'must be one of "16:9", "9:16", "1:1", "4:5"': ['16x9', '9:16 ', 1.5, null] },
  },
  hud_killfeed: { takes: [true], breaks: { 'must be true or false': [1, null, {}] } },
  hud_damage_ticker: { takes: [false], breaks: { 'must be true or false': ['true'] } },
  thumbnail_style: {
    takes: ['full', 'killfeed', 'none'],
    breaks: { 'must be one of "full", "killfeed", "none"': ['big', 'Full', ' full', '', null, 0] },
  },
  thumbnail_tick: {
    takes: [0, 9007199254740991],
    breaks: { 'must not be negative': [-1], 'must be a whole number of ticks': [1.5, '1', null] },
  },
  names: {
    takes: ['show', 'hide', {}, { 1: 'a', [`${2n ** 64n - 1n}`]: '🎬'.repeat(32) }],
    breaks: { 'must be "show", "hide", or an object of texts by Steam id': ['Hide', null, ['a'], { 1: 2 }] },
  },
  watermark_image_id: {
    takes: [UUID],
    breaks: { 'must be the UUID of one of your watermarks': ['logo', '', 7, null, '0c7a4e19d3b548269f1e8b64a2d05c37'] },
  },
  idempotency_key: {
    takes: ['k', ' \u0000\n ', 'k'.repeat(255), '🎬'.repeat(255)],
    breaks: {
      'must be at most 255 characters': ['🎬'.repeat(256), 'k'.repeat(256)],
      'must not be empty': [''],
      'must not have half a surrogate pair': ['\ud800'],
      'must be a string': [5, null],
    },
  },
  webhook_url: {
    takes: ['https://hooks.example.com:8443/a?b=1#c', 'http://127.0.0.1:1/', 'https://[2606:2800:220:1::1]/'],
    breaks: {
      [NO_RECEIVER]: [
        ...['', 'hooks', '/hooks', '//hooks.example.com', 'ftp://hooks.example.com', 'ws://hooks.example.com'],
        ...['javascript:alert(1)', 'mailto:a@example.com', 'http://', 'http:hooks.example.com', ' http://a.example/'],
        ...['http://a.example/\n', 'http://u:p@a.example/'],
      ],
    },
  },
};

describe.each(Object.entries(FIELDS))('%s', (name, { takes, breaks }) => {
  it.each(takes)('may be %j', (value) => {
    expect(errorsOf({ ...ROUND, [name]: value })).toEqual([]);
  });

  const broken = Object.entries(breaks).flatMap(([rule, values]) => values.map((value) => [value, rule] as const));
  it.each(broken)('is not %j: it %s', (value, rule) => {
    expect(errorsOf({ ...ROUND, [name]: value })).toEqual([`${name}: ${rule}`]);
  });
});

it.each(Object.keys(SubmitRequest.shape).filter((field) => field !== 'extras'))('null is refused: %s', (field) => {
  const { steam64_id: _, ...timeline } = { ...ROUND, timeline: [SEGMENT] };
  const request = field === 'timeline' ? timeline : { ...ROUND, webhook_url: 'https://hooks.example.com/' };
  expect(errorsOf({ ...request, [field]: null }).map((error) => error.split(':')[0])).toContain(field);
});

describe('fields that hang together', () => {
  it('names are texts of 1 to 32 characters, cleaned, for at most 64 Steam ids', () => {
    const parsed = parseSubmit({ ...ROUND, names: { 76561198000000001: ' a\u202e\n<b> ' } });
    expect(parsed.ok && parsed.request.names).toEqual({ 76561198000000001: 'a <b>' });
    const errors = errorsOf({ ...ROUND, names: { 1: '\u200f ', 2: 'a'.repeat(33), 'STEAM_1:1:5': 'b' } });
    expect(errors).toEqual([
      'names.1: must have 1 to 32 characters',
      'names.2: must have 1 to 32 characters',
      'names.STEAM_1:1:5: must be a 64-bit Steam id in decimal digits: STEAM_1:1:5 is 76561197960265739',
    ]);
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i + 1}`, 'a']));
    expect(errorsOf({ ...ROUND, names: many(64) })).toEqual([]);
    expect(errorsOf({ ...ROUND, names: many(65) })).toEqual(['names: must name at most 64 players']);
  });

  it('the tick of the thumbnail is in a segment', () => {
    const segments = [SEGMENT, { ...SEGMENT, start_tick: 80, end_tick: 180 }];
    const at = (thumbnail_tick: number) => errorsOf({ ...TIMELINE, timeline: segments, thumbnail_tick });
    for (const tick of [0, 63, 80, 179]) expect(at(tick)).toEqual([]);
    const rule = 'must be in a segment of the timeline: at or after its start_tick and before its end_tick';
    for (const tick of [64, 79, 180]) expect(at(tick)).toEqual([`thumbnail_tick: ${rule}`]);
  });

  it('the HUD of the game is only for 16:9', () => {
    const commands = { cl_draw_only_deathnotices: '0' };
    const path = 'commands.cl_draw_only_deathnotices';
    for (const aspect of ['9:16', '1:1', '4:5']) {
      expect(errorsOf({ ...ROUND, aspect, commands })).toEqual([
        `${path}: must be "1" with this aspect: the HUD of the game is laid out for 16:9 and would be cut off`,
      ]);
      expect(errorsOf({ ...ROUND, aspect, commands: { [path.slice(9)]: '1' } })).toEqual([]);
    }
    expect(errorsOf({ ...ROUND, aspect: '16:9', commands })).toEqual([]);
  });

  it('a watermark is named in lower case from here on', () => {
    const parsed = parseSubmit({ ...ROUND, watermark_image_id: '5E1EC7ED-0C11-0D1C-0A5E-7EA5E7A11E5D' });
    expect(parsed.ok && parsed.request.watermark_image_id).toBe('5e1ec7ed-0c11-0d1c-0a5e-7ea5e7a11e5d');
  });

  it('force needs a key, and only where it is set', () => {
    expect(errorsOf({ ...ROUND, force: true })).toEqual(['force: needs an idempotency_key']);
    expect(errorsOf({ ...ROUND, force: true, idempotency_key: 'k' })).toEqual([]);
    expect(errorsOf({ ...ROUND, force: false })).toEqual([]);
    for (const force of ['true', 1, null, {}])
      expect(errorsOf({ ...ROUND, force, idempotency_key: 'k' })).toEqual(['force: must be true or false']);
  });

  it('an auth header needs a receiver, and is printable ASCII', () => {
    const hook = { ...ROUND, webhook_url: 'https://hooks.example.com/' };
    expect(errorsOf({ ...ROUND, webhook_auth_header: 'Bearer x' })).toEqual([
      'webhook_auth_header: needs a webhook_url',
    ]);
    for (const header of ['x', 'Bearer a b\tc', '~!'])
      expect(errorsOf({ ...hook, webhook_auth_header: header })).toEqual([]);
    const outside = ['ü', 'Bearer ÿ', '🎬', 'a\u0000b', 'a\nb', 'a\r\nX: y', '\u007f', 'a\u0080'];
    for (const header of ['', ' ', ' x', 'x ', '\tx', ...outside]) {
      expect(errorsOf({ ...hook, webhook_auth_header: header })).toEqual([
        'webhook_auth_header: must be printable ASCII, with spaces and tabs only within',
      ]);
    }
    expect(errorsOf({ ...hook, webhook_auth_header: 'x'.repeat(4096) })).toEqual([]);
    expect(errorsOf({ ...hook, webhook_auth_header: 'x'.repeat(4097) })).toEqual([
      'webhook_auth_header: must be at most 4096 characters',
    ]);
    for (const header of [5, null])
      expect(errorsOf({ ...hook, webhook_auth_header: header })).toEqual(['webhook_auth_header: must be a string']);
  });

  it('commands are known ones, with "0" or "1"', () => {
    expect(errorsOf({ ...ROUND, commands: { spec_show_xray: '1', cl_draw_only_deathnotices: '0' } })).toEqual([]);
    expect(errorsOf({ ...ROUND, commands: { spec_show_xray: 1, quit: '1' } })).toEqual([
      'commands.spec_show_xray: must be "0" or "1"',
      'commands.quit: is not a known field',
    ]);
    for (const value of [1, true, null, '2', '', ' 1', 'true'])
      expect(errorsOf({ ...ROUND, commands: { spec_show_xray: value } })).toEqual([
        'commands.spec_show_xray: must be "0" or "1"',
      ]);
    for (const name of ['sv_cheats', '__proto__', 'constructor']) {
      const commands = JSON.parse(`{"${name}":"1"}`);
      expect(errorsOf({ ...ROUND, commands })).toEqual([`commands.${name}: is not a known field`]);
    }
    for (const commands of ['quit', null, [], 1])
      expect(errorsOf({ ...ROUND, commands })).toEqual(['commands: must be an object of commands']);
    expect(errorsOf({ ...ROUND, commands: {} })).toEqual([]);
  });
});

describe('segments', () => {
  const withSegments = (...timeline: unknown[]) => errorsOf({ ...TIMELINE, timeline });
  const length = 'timeline[0].end_tick: must lie at least 64 and at most 64000 ticks after start_tick';

  it('are 1 to 20', () => {
    expect(withSegments()).toEqual(['timeline: must have at least 1 segment']);
    expect(withSegments(...Array(20).fill(SEGMENT))).toEqual([]);
    expect(withSegments(...Array(21).fill(SEGMENT))).toEqual(['timeline: must have at most 20 segments']);
    expect(errorsOf({ ...TIMELINE, timeline: {} })).toEqual(['timeline: must be an array of segment objects']);
    for (const entry of [5, [], null]) {
      expect(withSegments(entry)).toEqual(['timeline[0]: must be a segment object']);
    }
    expect(withSegments({ ...SEGMENT, fps: 30 })).toEqual(['timeline[0].fps: is not a known field']);
  });

  it('are 64 to 64000 ticks long', () => {
    for (const end_tick of [64, 64_000]) expect(withSegments({ ...SEGMENT, end_tick })).toEqual([]);
    for (const end_tick of [0, 63, 64_001]) expect(withSegments({ ...SEGMENT, end_tick })).toEqual([length]);
    expect(withSegments({ ...SEGMENT, start_tick: 1 })).toEqual([length]);
    expect(withSegments({ ...SEGMENT, start_tick: 10, end_tick: 64_010 })).toEqual([]);
    expect(withSegments({ ...SEGMENT, start_tick: 2000, end_tick: 1000 })).toEqual([length]);
    for (const end_tick of ['64', null]) {
      expect(withSegments({ ...SEGMENT, end_tick })).toEqual(['timeline[0].end_tick: must be a whole number of ticks']);
    }
  });

  it('begin at a whole tick', () => {
    expect(withSegments({ ...SEGMENT, start_tick: -1 })).toEqual(['timeline[0].start_tick: must not be negative']);
    expect(withSegments({ ...SEGMENT, start_tick: 0.5 })).toEqual([
      'timeline[0].start_tick: must be a whole number of ticks',
    ]);
  });
});
