import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEMO_COMMAND } from '#demo-format/container.ts';
import { composeMatch, encodeDemo, type MatchOutline } from '#demo-writer/index.ts';
import { parseDemo } from '#render-host/match/parse-demo.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { framesOf, type RawFrame } from './hostile-demos.ts';
import { composedDemo, writeTestFile } from './real-demos.ts';

async function read(content: Uint8Array) {
  return readMatch(await writeTestFile(content));
}

const whole = Buffer.from(encodeDemo(composeMatch({ rounds: [{ startTick: 10 }], lastTick: 200 })));
const codeOf = async (content: Uint8Array) => {
  const result = await read(content);
  return result.ok ? 'ok' : result.code;
};

describe('demo_failed_parse', () => {
  test.each([
    ['an empty file', Buffer.alloc(0)],
    ['ten bytes', Buffer.from('PBDEMS2\0..')],
    ['a bare preamble', Buffer.concat([Buffer.from('PBDEMS2\0'), Buffer.alloc(8)])],
    ['a web page', Buffer.from('<!doctype html><title>Not found</title><p>The file is gone.')],
    ['noise under the magic bytes', Buffer.concat([Buffer.from('PBDEMS2\0'), Buffer.alloc(100_000, 0xa7)])],
    [
      'a frame that claims two gigabytes',
      Buffer.from('50424445 4d533200 0000000000000000 0701ffffffff07'.replace(/ /g, ''), 'hex'),
    ],
  ])('for %s', async (_name, content) => {
    expect(await codeOf(content)).toBe('demo_failed_parse');
  });

  test('for a demo cut off before its first ticks', async () => {
    for (const part of [0.001, 0.01, 0.1]) {
      const result = await read(whole.subarray(0, Math.floor(whole.length * part)));
      expect(result).toMatchObject({ code: 'demo_failed_parse', detail: expect.stringContaining('cut off') });
    }
  });

  test('for a demo without its list of events, since its kills cannot be read', async () => {
    const detail = expect.stringContaining('list of game events');
    const script = composeMatch({ kills: [{ tick: 20, attacker: 0, victim: 5 }], lastTick: 40 });
    expect(await read(encodeDemo(script, { eventList: false }))).toMatchObject({ code: 'demo_failed_parse', detail });
  });

  test('for a demo with damaged bytes in its signon data', async () => {
    const damaged = Buffer.from(whole);
    damaged.fill(0x5a, 2000, 3000);
    expect(await codeOf(damaged)).toBe('demo_failed_parse');
  });

  test('for a demo whose ticks would fill the memory', async () => {
    // Packets at the ticks 1 and 2^31 - 1, and the end mark.
    const far = Buffer.concat([
      Buffer.from('PBDEMS2\0'),
      Buffer.alloc(8),
      Buffer.from('07010007ffffffff0700000100', 'hex'),
    ]);
    expect(await read(far)).toMatchObject({ code: 'demo_failed_parse', detail: expect.stringContaining('ticks') });
  });

  test('for a demo in which nobody plays', async () => {
    expect(await codeOf(encodeDemo(composeMatch({ players: [] })))).toBe('demo_failed_parse');
  });
});

test.each([
  ['a web page', Buffer.from('<!doctype html>'), 'html', 'an HTML page'],
  [
    'a demo of which a transfer made text',
    Buffer.from(whole.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
    'crlf',
    'damaged in transfer',
  ],
])('%s is named', async (_name, content, found, words) => {
  const detail = expect.stringContaining(`it is ${words}`);
  expect(await read(content)).toEqual({ ok: false, code: 'demo_failed_parse', detail, facts: { found } });
});

test('a demo without its end is read as far as it goes', { tags: ['long'] }, async () => {
  const all = await read(whole);
  if (!all.ok) throw new Error(all.detail);
  expect(all.match.complete).toBe(true);
  for (const part of [0.7, 0.9, 0.99]) {
    const cut = await read(whole.subarray(0, Math.floor(whole.length * part)));
    if (!cut.ok) throw new Error(cut.detail);
    const { lastTick, tracks, complete } = cut.match;
    expect(complete).toBe(false);
    expect(lastTick).toBeGreaterThan(10);
    expect(lastTick).toBeLessThan(all.match.lastTick);
    expect(tracks.x.slice(0, lastTick)).toEqual(all.match.tracks.x.slice(0, lastTick));
  }
  const script = composeMatch({ rounds: [{ startTick: 10 }], lastTick: 200 });
  expect(await read(encodeDemo(script, { endMark: false }))).toEqual({
    ...all,
    match: { ...all.match, complete: false },
  });
});

/** Returns the frame of a tick's packet. */
function packetAt(tick: number): RawFrame {
  const packets = framesOf(whole).filter(({ command }) => command === DEMO_COMMAND.packet);
  const found = packets[tick - 1];
  if (found === undefined) throw new Error(`no packet of tick ${tick}`);
  return found;
}

describe('a demo that is damaged in the middle is read up to there', () => {
  const filled = (value: number, from: number, to = whole.length): Buffer =>
    Buffer.concat([whole.subarray(0, from), Buffer.alloc(to - from, value), whole.subarray(to)]);
  const { start, payloadAt, end } = packetAt(101);
  const replaced = (hex: string): Buffer =>
    Buffer.concat([whole.subarray(0, start), Buffer.from(hex, 'hex'), whole.subarray(end)]);

  test.each<[string, Buffer, RegExp]>([
    ['zeros from the start of a frame to the end of the file', filled(0, start), /^an end mark at byte \d+, which/],
    ['zeros from the middle of a frame to the end of the file', filled(0, start + 9), /./],
    ['a few zeros at the end', filled(0, start).subarray(0, start + 5), /^an end mark/],
    ['a frame that became an end mark', filled(0x40, start, start + 1), /^an end mark/],
    ['an invalid command', filled(0xff, start, start + 1), /^no demo command at byte \d+$/],
    ['a run of ones', filled(0xff, start, start + 2000), /^no demo command at byte \d+$/],
    ['a frame that claims two gigabytes', replaced('0765ffffffff07'), /^a frame of \d+ bytes is larger/],
    ['damaged Snappy data', filled(0xff, payloadAt, payloadAt + 9), /Snappy/],
    ['a message longer than its packet', replaced('0765051a030e7f7f'), /longer than its packet/],
  ])('%s', async (_name, content, reason) => {
    const expected = await read(whole.subarray(0, start));
    if (!expected.ok) throw new Error(expected.detail);
    expect(expected.match).toMatchObject({ lastTick: 100, complete: false });
    const damage = { tick: 100, reason: expect.stringMatching(reason) };
    expect(await read(content)).toEqual({ ...expected, match: { ...expected.match, damage } });
  });
});

test.each<[string, string, MatchOutline, object]>([
  ['another game', 'demo_incompatible', { gameDirectory: '/srv/deadlock/game/citadel' }, { game: 'citadel' }],
  [
    'another game on Windows',
    'demo_incompatible',
    { gameDirectory: 'C:\\Steam\\dota 2 beta\\game\\dota' },
    { game: 'dota' },
  ],
])('a demo of %s is %s, and says what it is', async (_name, code, outline, facts) => {
  expect(await readMatch(await composedDemo(outline))).toMatchObject({ ok: false, code, facts });
});

test('a demo of a workshop map is read, also in the child process', { tags: ['long'] }, async () => {
  const demoPath = await composedDemo({ map: 'workshop/3070284539/de_test' });
  const options = { demoPath, workDir: dirname(demoPath), signal: new AbortController().signal };
  expect(await parseDemo(options)).toMatchObject({ ok: true, match: { map: 'workshop/3070284539/de_test' } });
});

test('content of a server on a map of the game is no workshop map', async () => {
  const result = await readMatch(await composedDemo({ map: 'de_mirage' }, { addons: '3160201162' }));
  expect(result).toMatchObject({ ok: true, match: { map: 'de_mirage' } });
});

test('a demo of Counter-Strike 2 on Windows is read', async () => {
  const gameDirectory = 'C:\\Steam\\Counter-Strike Global Offensive\\game\\csgo';
  expect((await readMatch(await composedDemo({ gameDirectory }))).ok).toBe(true);
});

test('a CS:GO demo is demo_incompatible', async () => {
  expect(await codeOf(Buffer.concat([Buffer.from('HL2DEMO\0'), Buffer.alloc(2000)]))).toBe('demo_incompatible');
});
