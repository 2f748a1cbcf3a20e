import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSampleMatch, writeDemoFile } from '#demo-writer/index.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { walkedCells } from '#scene/match/levels.ts';
import { type SceneMatch, TRACK_PRESENT, TRACK_TEAM_T } from '#scene/match/match.ts';
import { TracksError } from '#tracks/bytes.ts';
import { PRECISION, unpackChunk } from '#tracks/chunk.ts';
import { cutTracks, isWholeTracks, loadChunks, matchOf, openTracks, shotsOf, writeTracks } from '#tracks/file.ts';
import { buildKill, buildMatch } from '../render-host/builders.ts';
import { haveRealDemos, realDemo, testFolder } from '../render-host/match/real-demos.ts';

type Bytes = Uint8Array<ArrayBuffer>;
const readerOf = (bytes: Bytes) => async (start: number, length: number) => bytes.slice(start, start + length);
const open = (bytes: Bytes) => openTracks(readerOf(bytes));
const write = (match: SceneMatch) => writeTracks(match, walkedCells(match, 200_000));

async function decoded(bytes: Bytes) {
  const file = await open(bytes);
  return matchOf(file, await loadChunks(file, { startTick: file.firstTick, endTick: file.lastTick + 1 }));
}

async function recorded(path: string) {
  const result = await readMatch(path);
  if (!result.ok) throw new Error(result.detail);
  return result.match;
}

async function generated(rounds: number) {
  const path = join(await testFolder(), 'match.dem');
  await writeDemoFile(createSampleMatch({ seed: 7, rounds }), path);
  return recorded(path);
}

const LISTS = ['hurts', 'weaponFires', 'blindings', 'sights', 'outfits', 'flights', 'bombPlaces', 'effects'] as const;
const HEAD = ['map', 'tickRate', 'firstTick', 'rounds', 'clocks', 'kills', 'bombActions'] as const;

function expectSame(found: SceneMatch, match: SceneMatch, tolerance = 1): void {
  for (const name of [...HEAD, ...LISTS]) expect(found[name], name).toEqual(match[name]);
  expect(found.players).toEqual(
    match.players.map(({ name, isBot, crosshair }) => ({ name, isBot, ...(crosshair && { crosshair }) })),
  );
  expect(found.tracks.flags).toEqual(match.tracks.flags);
  expect(found.tracks.health).toEqual(match.tracks.health);
  for (const axis of ['x', 'y', 'z'] as const) {
    const most = worst(found.tracks[axis], match.tracks[axis], (away) => Math.abs(away));
    expect(most).toBeLessThanOrEqual(tolerance * PRECISION.position.tolerance);
  }
  const turned = worst(found.tracks.yaw, match.tracks.yaw, (away) => Math.abs(away - 360 * Math.round(away / 360)));
  expect(turned).toBeLessThanOrEqual(tolerance * PRECISION.angle.tolerance + 1e-3);
}

const worst = (a: Float32Array, b: Float32Array, away: (difference: number) => number) =>
  a.reduce((most, value, i) => Math.max(most, away(value - (b[i] ?? Number.NaN))), 0);

const OUTFIT = {
  tick: 0,
  player: 0,
  place: 'Mid',
  armor: 100,
  helmet: true,
  kit: false,
  money: 800,
  weapon: 'awp',
  items: ['awp', 'knife'],
};

/** A match of two players who jump, turn, leave and come back at random. */
const matches = fc
  .record({
    ticks: fc.integer({ min: 1, max: 1300 }),
    seed: fc.integer(),
    kills: fc.array(fc.record({ tick: fc.integer({ min: 0, max: 1299 }), headshot: fc.boolean() }), { maxLength: 5 }),
    items: fc.array(fc.constantFrom('ak47', 'awp', 'ナイフ', ''), { maxLength: 3 }),
    seconds: fc.double({ noNaN: true, noDefaultInfinity: true }),
  })
  .map(({ ticks, seed, kills, items, seconds }) => {
    let state = seed;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return (state >>> 8) / 2 ** 24;
    };
    const at = (tick: number) => Math.min(tick, ticks - 1);
    const match = buildMatch({
      ticks,
      players: [{ name: 'Käthe 🦊' }, { name: '' }],
      kills: kills
        .map(({ tick, headshot }) => buildKill({ tick: at(tick), victim: 1, headshot, weapon: items[0] ?? 'knife' }))
        .sort((a, b) => a.tick - b.tick),
      blindings: [{ tick: at(3), player: 1, by: null, seconds: seconds + 0 }],
      outfits: [0, 500, 900].map((tick) => ({
        tick: at(tick),
        player: 0,
        place: 'Mid',
        armor: 100,
        helmet: true,
        kit: false,
        money: null,
        weapon: items[0] ?? null,
        items,
        ...(items.length > 1 ? { clip: tick % 7 } : {}),
      })),
      effects: [{ kind: 'smoke', startTick: at(100), endTick: at(700), x: 1.5, y: -7, z: 1e6 * random() }],
      flights: [
        { kind: 'decoy', player: null, path: [at(90), at(600)].map((tick) => ({ tick, x: 1, y: 2, z: random() })) },
      ],
    });
    for (let i = 0; i < match.tracks.flags.length; i++) {
      if (random() < 0.01) match.tracks.x.fill(4000 * random() - 2000, i);
      if (random() < 0.2) match.tracks.yaw.fill(360 * random() - 180, i);
      if (random() < 0.02) match.tracks.flags[i] = 0;
      if (random() < 0.02) match.tracks.health[i] = Math.floor(100 * random());
    }
    for (const column of ['x', 'y', 'z', 'yaw'] as const) {
      for (const [i, flags] of match.tracks.flags.entries())
        if ((flags & TRACK_PRESENT) === 0) match.tracks[column][i] = 0;
    }
    return match;
  });

describe('a file of tracks', () => {
  test('has all events of any match exactly, and each sample within the tolerance', { tags: ['long'] }, async () => {
    await fc.assert(
      fc.asyncProperty(matches, async (match) => expectSame(await decoded(await write(match)), match)),
      { numRuns: 60 },
    );
  });

  test('has the same for any span of ticks, with what has begun before it', { tags: ['long'] }, async () => {
    const match = await generated(1);
    const bytes = await write(match);
    const file = await open(bytes);
    const all = await loadChunks(file, { startTick: file.firstTick, endTick: file.lastTick + 1 });
    const reads: [number, number][] = [];
    const read = (start: number, length: number) => {
      reads.push([start, length]);
      return readerOf(bytes)(start, length);
    };
    const counted = { ...file, read };
    for (const startTick of [700, 1500, 3000]) {
      const some = matchOf(file, await loadChunks(counted, { startTick, endTick: startTick + 600 }));
      const { firstTick, length } = some.tracks;
      expect([firstTick <= startTick, firstTick + length >= startTick + 600]).toEqual([true, true]);
      const within = ({ tick }: { tick: number }) => tick >= firstTick && tick < firstTick + length;
      for (const list of ['hurts', 'weaponFires'] as const) expect(some[list]).toEqual(match[list].filter(within));
      for (const effect of matchOf(file, all).effects) {
        const isDuring = effect.startTick < firstTick + length && effect.endTick > firstTick;
        if (isDuring) expect(some.effects).toContainEqual(effect);
      }
      for (const player of match.players.keys()) {
        const before = match.outfits.findLast((one) => one.player === player && one.tick <= firstTick);
        if (before) expect(some.outfits).toContainEqual(before);
      }
    }
    expect(reads).toHaveLength(3);
  });

  test('has at most 150 kB a minute, and no Steam id', { tags: ['long'] }, async () => {
    const match = await generated(2);
    const bytes = await write(match);
    const minutes = match.tracks.length / match.tickRate / 60;
    expect(bytes.length / minutes).toBeLessThan(40_000);
    expectSame(await decoded(bytes), match);
    const texts = JSON.stringify([await open(bytes), await decoded(bytes)]);
    for (const { steamId, name } of match.players) {
      expect(texts).not.toContain(steamId);
      expect(texts).toContain(name);
    }
  });

  test.skipIf(!haveRealDemos)('has demos recorded by the game', async () => {
    for (const name of ['14065.dem', '14090.dem', '14160.dem']) {
      const match = await recorded(realDemo(name));
      const bytes = await write(match);
      expectSame(await decoded(bytes), match);
      expect(bytes.length / (match.tracks.length / match.tickRate / 60)).toBeLessThan(150_000);
    }
  });

  test('ends in a message if it is damaged, and never in a long wait or a large allocation', {
    tags: ['long'],
  }, async () => {
    const match = await generated(1);
    const whole = await write({
      ...match,
      outline: { map: 'm', source: 'nav', splits: [1], areas: [[0, 0, 0, 1, 1, 1, 2, 2, 2]] },
    });
    const expected = await decoded(whole);
    let same = 0;
    const mutations = fc.array(fc.record({ at: fc.nat(whole.length - 1), by: fc.integer({ min: 1, max: 255 }) }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(mutations, fc.option(fc.nat(whole.length - 1)), async (changes, end) => {
        const bytes = whole.slice(0, end ?? whole.length);
        for (const { at, by } of changes) bytes[at] = (bytes[at] ?? 0) ^ by;
        try {
          expect(await decoded(bytes)).toEqual(expected);
          same++;
        } catch (error) {
          expect(error).toBeInstanceOf(TracksError);
        }
      }),
      { numRuns: 1000 },
    );
    // Bits of a zlib header may change without a change of the content.
    expect(same).toBeLessThan(5);
  });

  test('with hostile content and right checksums ends in a message, too', { tags: ['long'] }, async () => {
    const bytes = await write(buildMatch({ ticks: 600, kills: [buildKill()], outfits: [OUTFIT] }));
    const file = await open(bytes);
    const [place] = file.chunks;
    // A change of the content of the head, and of a chunk.
    const raws = [bytes.slice(13, file.headBytes), bytes.slice(file.headBytes, file.headBytes + (place?.bytes ?? 0))];
    const [head = new Uint8Array(), chunk = new Uint8Array()] = await Promise.all(raws.map(contentOf));
    const change = fc.record({
      at: fc.nat(head.length - 1),
      by: fc.integer({ min: 1, max: 255 }),
      ofHead: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, by, ofHead }) => {
        const changed = (ofHead ? head : chunk).slice();
        changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ by;
        const packed = await packedOf(changed);
        const opened = async () => {
          if (!ofHead) return unpackChunk(packed, { startTick: 0, endTick: 512, rawBytes: changed.length }, 10);
          const preamble = bytes.slice(0, 13);
          new DataView(preamble.buffer).setUint32(5, packed.length);
          return decoded(new Uint8Array([...preamble, ...packed, ...bytes.slice(file.headBytes)]));
        };
        await opened().catch((error: unknown) => expect(error).toBeInstanceOf(TracksError));
      }),
      { numRuns: 600 },
    );
    for (const rounds of [[null], {}, 'rounds'] as never[]) {
      const odd = await write({ ...buildMatch({ ticks: 600 }), rounds });
      await expect(open(odd)).rejects.toThrow(TracksError);
    }
    const many = {
      ...file,
      chunks: Array.from({ length: 3000 }, (_, i) => ({ startTick: i, endTick: i + 1, bytes: 9, rawBytes: 4_000_000 })),
    };
    await expect(loadChunks(many, { startTick: 0, endTick: 9000 })).rejects.toThrow(TracksError);
    expect(await isWholeTracks(readerOf(bytes), bytes.length)).toBe(true);
    expect(await isWholeTracks(readerOf(bytes), bytes.length + 1)).toBe(false);
    await expect(isWholeTracks(() => Promise.reject(new Error('storage')), 9)).rejects.toThrow('storage');
  });
});

describe('a cut', () => {
  const kills = [
    buildKill({ tick: 100, attacker: 1, victim: 6 }),
    buildKill({ tick: 900, attacker: 0, victim: 5 }),
    buildKill({ tick: 1900, attacker: 0, victim: 7, round: 2 }),
    buildKill({ tick: 2900, attacker: 2, victim: 8, round: 3 }),
  ];
  const round = { freezeEndTick: null, endTick: null, officialEndTick: null, winner: null, reason: null, score: null };
  const match = buildMatch({
    ticks: 3000,
    kills,
    rounds: [0, 1500, 2500].map((startTick, i) => ({ ...round, number: i + 1, startTick })),
    players: Array.from({ length: 11 }, (_, i) => ({ name: `Player ${i}` })),
    weaponFires: [700, 850, 1850, 2000].map((tick) => ({ tick, player: 0, weapon: 'awp' })),
  });
  // A player who is gone by then.
  for (let tick = 300; tick < 3000; tick++) match.tracks.flags[10 * 3000 + tick] = 0;
  match.tracks.flags.fill(TRACK_PRESENT | TRACK_TEAM_T, 10 * 3000, 10 * 3000 + 300);
  const shot = { subject: 0, pov: 0, round: 1, speeds: [{ tick: 860, speed: 0.5 }] };
  const shots = [
    { ...shot, startTick: 1800, endTick: 2000, kills: [1900] },
    { ...shot, startTick: 800, endTick: 1000, kills: [900] },
  ];

  test('has only the ticks of its shots, and the kills of their rounds so far', async () => {
    const bytes = await cutTracks(await open(await write(match)), shots, 3);
    const file = await open(bytes);
    expect(file).toMatchObject({ firstTick: 800, lastTick: 1999, shots, leadSeconds: 3 });
    expect(file.chunks.reduce((sum, { startTick, endTick }) => sum + endTick - startTick, 0)).toBe(400);
    const cut = await decoded(bytes);
    expect(cut.weaponFires.map(({ tick }) => tick)).toEqual([850, 1850]);
    expect(cut.kills).toEqual(kills.slice(0, 3));
    expect(cut.rounds.map(({ number }) => number)).toEqual([1, 2]);
    expect(shotsOf(file)).toEqual(shots.map((one, i) => ({ ...one, kills: [kills[2 - i]] })));
    expect(cut.players.map(({ name }) => name)).toEqual([...Array.from({ length: 10 }, (_, i) => `Player ${i}`), '']);
    for (const tick of [800, 999, 1800, 1999]) {
      const [i, j] = [tick - cut.tracks.firstTick, tick];
      expect(cut.tracks.flags[i]).toBe(match.tracks.flags[j]);
      expect(cut.tracks.x[i]).toBeCloseTo(match.tracks.x[j] ?? 0, 0);
    }
    expect(cut.tracks.flags[1500 - 800]).toBe(0);
  });

  test('of ticks that are not there is refused', async () => {
    const file = await open(await write(match));
    await expect(cutTracks(file, [{ ...shot, startTick: 9000, endTick: 9100, kills: [] }], 0)).rejects.toThrow(
      TracksError,
    );
  });
});

const packedOf = async (raw: Bytes): Promise<Bytes> =>
  new Uint8Array(
    await new Response(new Blob([raw]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer(),
  );

const contentOf = async (packed: Bytes): Promise<Bytes> =>
  new Uint8Array(
    await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer(),
  );
