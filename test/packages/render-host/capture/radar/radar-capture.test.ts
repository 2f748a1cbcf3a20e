import { describe, expect, it } from 'vitest';
import { createRadarSource } from '#render-host/capture/radar/radar-capture.ts';
import type { Match, Round } from '#render-host/match/match.ts';
import { planShots } from '#render-host/plan/plan-shots.ts';
import { createCamera } from '#scene/camera/camera.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { toScreen } from '#scene/paint/moment.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildHurt, buildKill, buildMatch, buildOptions, buildShot, type MatchPlan } from '../../builders.ts';
import {
  allHashes,
  changedPixels,
  hashOf,
  OWN_PANEL,
  PROGRESS,
  paintedSource,
  paintFrame,
  type Region,
  TEAM_CT,
  TEAM_T,
  TITLE,
  TOP_MIDDLE,
  TOP_RIGHT,
  WHOLE,
} from '../../frame-checks.ts';
import { timeline } from '../../plan/build-match.ts';

const ownKill = buildKill({ tick: 160, victim: 5, headshot: true });
const otherKill = buildKill({ tick: 150, attacker: 1, victim: 6 });

function buildScene(plan: MatchPlan = {}): { match: Match; shots: Shot[] } {
  const match = buildMatch({
    kills: [otherKill, ownKill],
    hurts: [buildHurt({ tick: 146 }), buildHurt({ tick: 160, damage: 73, healthLeft: 0 })],
    weaponFires: [{ tick: 160, player: 0, weapon: 'ak47' }],
    ...plan,
  });
  return { match, shots: [buildShot({ kills: [ownKill] })] };
}

/** A match of players who are nowhere near a panel. */
const inTheMiddle: MatchPlan = {
  stand: (player) => ({ x: player < 5 ? -150 : 150, y: ((player % 5) - 2) * 60, yaw: player < 5 ? 0 : 180 }),
};

async function frameAt(tick: number, options: CaptureOptions, { match, shots } = buildScene()): Promise<Uint8Array> {
  const shot = shots[0];
  const index = Math.round(((tick - (shot?.startTick ?? 0)) / match.tickRate) * options.fps);
  return paintFrame(match, shots, options, index);
}

/** For what holds at each size. */
const SMALL = { width: 320, height: 180 };

describe('the frames of a clip', () => {
  it('are as many as the shots last at the frame rate, one at least for each shot', async () => {
    const { match } = buildScene();
    const shots = [buildShot(), buildShot({ startTick: 100, endTick: 101 }), buildShot({ startTick: 10, endTick: 75 })];
    const source = createRadarSource(match, shots, buildOptions({ fps: 30, ...SMALL }));
    expect(source.frameCount).toBe(90 + 1 + 30);
    expect(await allHashes(source)).toHaveLength(121);
  });

  it('are opaque and the size that was asked for', async () => {
    const frame = await frameAt(120, buildOptions());
    expect(frame).toHaveLength(640 * 360 * 4);
    expect(frame.every((value, i) => i % 4 !== 3 || value === 255)).toBe(true);
  });

  it('are the same pixels each time, drawn in a row or one alone', async () => {
    const { match, shots } = buildScene();
    const options = buildOptions({ damageTicker: true, onlyDeathnotices: false, ...SMALL });
    const first = await allHashes(createRadarSource(match, shots, options));
    const painted = paintedSource(match, shots, options);
    for (const index of [29, 3, 16]) expect(hashOf(await painted.frame(index))).toBe(first[index]);
    expect(await allHashes(painted)).toEqual(first);
    expect(new Set(first).size).toBe(first.length);
  });

  it('of slow motion move evenly, and show what those of real time show at these ticks', async () => {
    const { match, shots } = buildScene();
    const slow = shots.map((shot) => ({ ...shot, speeds: [{ tick: 0, speed: 0.1 }] }));
    const [slowed, usual] = [paintedSource(match, slow, buildOptions()), paintedSource(match, shots, buildOptions())];
    expect(slowed.frameCount).toBe(10 * usual.frameCount);
    const frames = await Promise.all(Array.from({ length: 12 }, (_, i) => slowed.frame(60 + i)));
    const changes = frames.slice(1).map((frame, i) => changedPixels(frames[i] ?? frame, frame, buildOptions()));
    expect(Math.max(...changes)).toBeLessThan(3 * Math.min(...changes));
    const [same, real] = [await slowed.frame(150, 'bare'), await usual.frame(15, 'bare')];
    expect(changedPixels(same, real, buildOptions())).toBeLessThan(640 * 360 * 0.05);
  });

  it('stop without an error when the signal is aborted', async () => {
    const { match, shots } = buildScene();
    const abort = new AbortController();
    let seen = 0;
    for await (const _ of createRadarSource(match, shots, buildOptions({ fps: 60, ...SMALL })).frames(abort.signal)) {
      if (++seen === 5) abort.abort();
    }
    expect(seen).toBe(5);
  });

  it('are the same where the first ones were drawn ahead, and end with the source where nobody came for them', async () => {
    const { match, shots } = buildScene();
    const source = createRadarSource(match, shots, buildOptions(SMALL));
    source.begin();
    const [first] = await allHashes(source);
    expect(first).toBe(hashOf(paintFrame(match, shots, buildOptions(SMALL), 0)));
    const threads = () => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
    const before = threads();
    source.begin();
    expect(threads()).toBeGreaterThan(before);
    await source.close();
    expect(threads()).toBe(before);
  });

  it('report what went wrong while drawing', async () => {
    const { match } = buildScene();
    const broken = { ...match, tracks: { ...match.tracks, x: null } } as unknown as Match;
    await expect(allHashes(createRadarSource(broken, [buildShot()], buildOptions()))).rejects.toThrow();
  });

  it('show no killfeed, title or HUD when bare', async () => {
    const { match, shots } = buildScene(inTheMiddle);
    const options = buildOptions({ onlyDeathnotices: false });
    const bare = await createRadarSource(match, shots, options).frame(16, 'bare');
    const quiet = paintedSource(match, shots, buildOptions());
    expect(hashOf(bare)).toBe(hashOf(await quiet.frame(16, 'bare')));
    expect(changedPixels(paintFrame(match, shots, options, 16), bare, options, TOP_RIGHT)).toBeGreaterThan(500);
  });
});

describe('a shot over several rounds', () => {
  it('shows each tick as a shot of only its round does: score, clock, crosses and camera', async () => {
    const rounds = [0, 640, 1280].map((startTick, nth): Round => {
      const score = { CT: nth + 1, T: 0 };
      const decided = {
        endTick: startTick + 400,
        officialEndTick: startTick + 600,
        winner: 'CT',
        reason: null,
      } as const;
      return { number: nth + 1, startTick, freezeEndTick: startTick + 64, ...decided, score };
    });
    // After the first round is decided the camera stays behind a player who runs: it must not in the third.
    const stand = (player: number, tick: number) => ({ x: (tick % 640) * 4, y: player * 200, yaw: 0 });
    const kills = [300, 940].map((tick, nth) => buildKill({ tick, attacker: 1, victim: 5 + nth, round: nth + 1 }));
    const match = buildMatch({ ticks: 1920, rounds, kills, stand });
    const frameOf = (startTick: number, options: CaptureOptions) => {
      const planned = planShots(match, timeline([match.players[0]?.steamId ?? '', startTick, 1900]));
      if (!planned.ok) return expect.unreachable();
      return frameAt(1600, options, { match, shots: [...planned.shots] });
    };
    // A name stays where it was put because of a panel, which differs with the way of the camera.
    for (const [onlyDeathnotices, region] of [[true, WHOLE] as const, [false, TOP_MIDDLE] as const]) {
      const options = buildOptions({ onlyDeathnotices });
      const alone = await frameOf(1280, options);
      for (const startTick of [64, 640]) {
        expect(changedPixels(await frameOf(startTick, options), alone, options, region)).toBe(0);
      }
    }
  });
});

describe('a picture of 1440 lines', () => {
  it('is the picture of 1080 lines, larger', async () => {
    const small = buildOptions({ width: 480, height: 270 });
    const large = buildOptions({ width: 640, height: 360 });
    const from = await frameAt(120, small);
    const to = await frameAt(120, large);
    let difference = 0;
    for (let y = 0; y < 270; y++) {
      for (let x = 0; x < 480; x++) {
        const a = (y * 480 + x) * 4;
        const b = (Math.floor((y * 4) / 3) * 640 + Math.floor((x * 4) / 3)) * 4;
        difference += Math.abs((from[a + 1] ?? 0) - (to[b + 1] ?? 0));
      }
    }
    expect(difference / (480 * 270)).toBeLessThan(4);
  });
});

/** What an option may change, and what it must leave alone. */
async function expectChangesOnly(
  tick: number,
  change: Partial<CaptureOptions>,
  where: Region,
  scene = buildScene(),
): Promise<void> {
  const options = buildOptions();
  const before = await frameAt(tick, options, scene);
  const after = await frameAt(tick, { ...options, ...change }, scene);
  const inside = changedPixels(before, after, options, where);
  expect(inside).toBeGreaterThan(20);
  expect(changedPixels(before, after, options, WHOLE)).toBe(inside);
}

describe('picture options', () => {
  it('ownKillfeed leaves the other players’ kills out, and changes nothing but the killfeed', async () => {
    await expectChangesOnly(158, { ownKillfeed: true }, TOP_RIGHT);
  });

  it('onlyDeathnotices switched off adds the scoreboard, the players’ panels, the title and the progress line, moves the player’s name to theirs, and nothing else', async () => {
    const { match, shots } = buildScene(inTheMiddle);
    const options = buildOptions();
    const [shot] = shots;
    if (shot === undefined) return expect.unreachable();
    const before = await frameAt(140, options, { match, shots });
    const after = await frameAt(140, { ...options, onlyDeathnotices: false }, { match, shots });
    const top = changedPixels(before, after, options, TOP_MIDDLE);
    const bottom = changedPixels(before, after, options, OWN_PANEL);
    const name = changedPixels(before, after, options, around(match, shot, 0, 140, options, 30));
    expect(name).toBeGreaterThan(50);
    const title = changedPixels(before, after, options, TITLE);
    const line = changedPixels(before, after, options, PROGRESS);
    expect(Math.min(top, bottom, title)).toBeGreaterThan(500);
    expect(line).toBeGreaterThan(300);
    const lists = [TEAM_CT, TEAM_T].map((region) => changedPixels(before, after, options, region));
    expect(Math.min(...lists)).toBeGreaterThan(2000);
    const all = [top, bottom, name, title, line, ...lists];
    expect(changedPixels(before, after, options)).toBe(all.reduce((sum, count) => sum + count));
  });

  it('damageTicker shows numbers at the victim while the damage is fresh, and nothing long before it', async () => {
    const options = buildOptions();
    const ticking = { ...options, damageTicker: true };
    expect(changedPixels(await frameAt(110, options), await frameAt(110, ticking), options)).toBe(0);
    await expectChangesOnly(150, { damageTicker: true }, { left: 0.4, top: 0.1, right: 0.95, bottom: 0.9 });
  });

  it('xray outlines an opponent whom nobody of the team sees', async () => {
    const back = buildMatch({
      stand: (player, tick) => ({ x: player < 5 ? 0 : -320, y: (player % 5) * 150 - 300 + tick / 8, yaw: 0 }),
    });
    const scene = { match: back, shots: [buildShot()] };
    await expectChangesOnly(140, { xray: true }, { left: 0, top: 0, right: 0.5, bottom: 1 }, scene);
  });

  it('xray changes nothing while everybody is in view', async () => {
    const options = buildOptions();
    const facing = { match: buildMatch(), shots: [buildShot()] };
    const plain = await frameAt(150, options, facing);
    expect(changedPixels(plain, await frameAt(150, { ...options, xray: true }, facing), options)).toBe(0);
  });
});

/** Part of the picture around a player's marker at a tick. */
function around(match: Match, shot: Shot, player: number, tick: number, options: CaptureOptions, reach = 4): Region {
  const { width, height } = options;
  const state = playerAt(match, player, tick);
  if (state === null) throw new Error(`player ${player} is not there`);
  const { x, y } = toScreen({ view: createCamera(match, shot, width, height).at(tick), options }, state);
  return {
    left: (x - reach) / width,
    right: (x + reach) / width,
    top: (y - reach) / height,
    bottom: (y + reach) / height,
  };
}

/** Returns the match as if a player had never been in it. */
function without(player: number, match: Match): Match {
  const { tracks } = match;
  const flags = tracks.flags.slice().fill(0, player * tracks.length, (player + 1) * tracks.length);
  return { ...match, tracks: { ...tracks, flags } };
}

describe('odd matches', () => {
  const options = buildOptions({ onlyDeathnotices: false });
  const shots = [buildShot({ kills: [ownKill] })];
  const named = (names: readonly string[]): Match =>
    buildMatch({ players: [...names, ...names].map((name) => ({ name })), kills: [ownKill] });

  it('with names of every kind are drawn, and the names move nobody', async () => {
    const plain = named(['a', 'b', 'c', 'd', 'e']);
    const odd = named(['', '\u202eevil\u0000', '👩‍👩‍👧‍👦'.repeat(20), 'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!', 'x'.repeat(500)]);
    const tick = 64 + 2 * 64;
    const before = await frameAt(tick, options, { match: plain, shots });
    const after = await frameAt(tick, options, { match: odd, shots });
    expect(changedPixels(before, after, options)).toBeGreaterThan(500);
    for (const player of [0, 1, 2, 6]) {
      const marker = around(plain, buildShot({ kills: [ownKill] }), player, tick, options);
      const absent = await frameAt(tick, options, { match: without(player, plain), shots });
      expect(changedPixels(before, absent, options, marker)).toBeGreaterThan(20);
      expect(changedPixels(before, after, options, marker)).toBe(0);
    }
  });

  it('without rounds, with a player who is never there, and with a killer that is the world are drawn', async () => {
    const world = buildKill({ attacker: null, attackerTeam: null, victim: 0, weapon: 'world', round: null });
    const all = buildMatch({ rounds: [], kills: [world], map: 'workshop/123/de_sometown' });
    const match = without(6, all);
    const shot = buildShot({ round: null });
    const tick = 140;
    const frame = await frameAt(tick, options, { match, shots: [shot] });
    const withHim = await frameAt(tick, options, { match: all, shots: [shot] });
    expect(changedPixels(frame, withHim, options, around(all, shot, 6, tick, options))).toBeGreaterThan(20);
    const unseen = { ...match, kills: [] };
    expect(
      changedPixels(frame, await frameAt(tick, options, { match: unseen, shots: [shot] }), options, TOP_RIGHT),
    ).toBeGreaterThan(100);
  });
});
