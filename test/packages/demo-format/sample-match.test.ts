import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSampleMatch, encodeDemo, type TrueKill, type Truth, truthOf } from '#demo-writer/index.ts';
import { STAR } from '#demo-writer/script/battle/round-plan.ts';
import { isFloor } from '#demo-writer/script/map/sight.ts';
import { TICK_RATE } from '#demo-writer/script/scripted-match.ts';
import { unpackSample } from '#render-host/sample-demo.ts';

const GUNS_NEED_AIM = /^(?!hegrenade|inferno|world)/;

describe('the sample match', () => {
  const match = createSampleMatch();
  const truth = truthOf(match);

  it('is the same for the same seed, to the byte, and another for another', () => {
    const digest = (): string =>
      createHash('sha256')
        .update(encodeDemo(createSampleMatch({ rounds: 1, seed: 7 })))
        .digest('hex');
    expect(digest()).toBe(digest());
    const kills = (seed: number): Truth['kills'] => truthOf(createSampleMatch({ rounds: 1, seed })).kills;
    expect(kills(8)).not.toEqual(kills(7));
  });

  it('is the committed demo, which npm run write-demo -- packages/render-host/sample.dem.zst writes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sample-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'sample.dem');
    await unpackSample(path);
    expect(Buffer.compare(await readFile(path), encodeDemo(match))).toBe(0);
  });

  it('plays the same again at every reading', () => {
    expect(truthOf(match)).toEqual(truth);
  });

  it('has ten players of two teams, with Steam ids of their own', () => {
    expect(match.players).toHaveLength(10);
    expect(new Set(match.players.map(({ steamId }) => steamId)).size).toBe(10);
    for (const { steamId } of match.players) expect(steamId).toMatch(/^7656119\d{10}$/);
  });

  it('begins with a warm-up that has a kill', () => {
    const [first] = truth.rounds;
    const warmup = truth.kills.filter((kill) => kill.warmup);
    expect(warmup.length).toBeGreaterThan(0);
    expect(warmup.every(({ tick }) => tick < (first?.startTick ?? 0))).toBe(true);
    expect(truth.kills.every(({ tick, warmup }) => warmup || tick > (first?.startTick ?? 0))).toBe(true);
  });

  it.each([1, 2, 3])('gives the star four kills and the round in its second round, with seed %i', (seed) => {
    expectStarRound(truthOf(createSampleMatch({ seed })), 1);
  });

  it.each([1, 2, 3])('gives the star the only round of a short match, with seed %i', (seed) => {
    expectStarRound(truthOf(createSampleMatch({ rounds: 1, seed })), 0);
  });

  it('has the bomb planted, and every special kind of kill', () => {
    expect(truth.eventCounts.get('bomb_planted')).toBeGreaterThan(0);
    const counted = truth.kills.filter(({ warmup }) => !warmup);
    for (const kind of ['headshot', 'wallbang', 'noScope', 'throughSmoke', 'attackerBlind'] as const) {
      expect(counted.filter((kill) => kill[kind]).length, kind).toBeGreaterThan(0);
    }
    expect(counted.filter(({ assister }) => assister !== null).length).toBeGreaterThan(0);
  });

  it('has every grenade', () => {
    const names = ['smokegrenade_detonate', 'flashbang_detonate', 'hegrenade_detonate', 'inferno_startburn'] as const;
    for (const name of names) expect(truth.eventCounts.get(name), name).toBeGreaterThan(0);
  });

  it('moves nobody faster than a knife run, through a wall, or after death', () => {
    let before: { x: number; y: number; health: number }[] = [];
    let fastest = 0;
    let off = 0;
    let deadMoved = 0;
    for (const { players, events } of match.frames()) {
      const spawned = new Set(events.flatMap((e) => (e.name === 'player_spawn' ? [e.values.userid] : [])));
      players.forEach((player, slot) => {
        const last = before[slot];
        if (!isFloor(player.x, player.y)) off++;
        if (last === undefined || spawned.has(slot)) return;
        const speed = Math.hypot(player.x - last.x, player.y - last.y) * TICK_RATE;
        fastest = Math.max(fastest, speed);
        if (last.health === 0 && speed > 0) deadMoved++;
      });
      before = players.map(({ x, y, health }) => ({ x, y, health }));
    }
    expect(off).toBe(0);
    expect(deadMoved).toBe(0);
    expect(fastest).toBeLessThanOrEqual(250.001);
    expect(fastest).toBeGreaterThan(215);
  });

  it('has each killer look at the victim', () => {
    const deaths = new Map(truth.kills.map((kill) => [kill.tick, kill]));
    for (const { tick, players } of match.frames()) {
      const kill = deaths.get(tick);
      if (kill === undefined || kill.attacker === null || !GUNS_NEED_AIM.test(kill.weapon)) continue;
      const from = players[kill.attacker];
      const to = players[kill.victim];
      if (from === undefined || to === undefined) throw new Error('no such player');
      const wanted = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
      const error = Math.abs(((from.yaw - wanted + 540) % 360) - 180);
      expect(error, `tick ${tick}`).toBeLessThan(4);
    }
  });

  it('spreads over the map: most of its floor is walked on', () => {
    const cell = 160;
    const floor = new Set<string>();
    const trodden = new Set<string>();
    const key = (x: number, y: number): string => `${Math.floor(x / cell)} ${Math.floor(y / cell)}`;
    for (let x = -2600; x < 1500; x += 20)
      for (let y = -2700; y < 800; y += 20) if (isFloor(x, y)) floor.add(key(x, y));
    for (const { players } of match.frames()) for (const { x, y } of players) trodden.add(key(x, y));
    expect(trodden.size / floor.size).toBeGreaterThan(0.6);
  });

  it('stays small enough to make in passing', () => {
    const bytes = encodeDemo(createSampleMatch({ rounds: 1 })).length;
    expect(bytes).toBeGreaterThan(0.3e6);
    expect(bytes).toBeLessThan(2e6);
  });
});

describe('a long match', () => {
  const truth = truthOf(createSampleMatch({ rounds: 13 }));
  const counted = truth.kills.filter(({ warmup }) => !warmup);

  it('has a death by the world, a suicide, and a team kill', () => {
    expect(counted.some(({ attacker }) => attacker === null)).toBe(true);
    expect(counted.some(({ attacker, victim }) => attacker === victim)).toBe(true);
    expect(counted.some((kill) => isTeamKill(kill))).toBe(true);
  });

  it('changes sides once', () => {
    expect(truth.eventCounts.get('announce_phase_end')).toBe(1);
    expect(truth.eventCounts.get('player_team')).toBe(20);
  });

  it('has rounds and kills as a real one has', () => {
    expect(truth.rounds).toHaveLength(13);
    expect(truth.rounds.every(({ officialEndTick }) => officialEndTick !== null)).toBe(true);
    expect(new Set(truth.rounds.map(({ reason }) => reason)).size).toBeGreaterThan(2);
    expect(counted.length / 13).toBeGreaterThan(5);
    expect(counted.length / 13).toBeLessThan(9);
    expect(truth.lastTick / 13 / TICK_RATE).toBeGreaterThan(75);
  });

  /** The first half of the players are one team, also after the sides swap. */
  function isTeamKill({ attacker, victim }: TrueKill): boolean {
    return attacker !== null && attacker !== victim && attacker < 5 === victim < 5;
  }
});

it.each([1, 2])('a match of 30 rounds is tied after 24 and ends in its overtime, with seed %i', (seed) => {
  const { rounds, eventCounts } = truthOf(createSampleMatch({ rounds: 30, seed }));
  expect(rounds[23]?.score).toEqual({ T: 12, CT: 12 });
  const most = rounds.map(({ score }) => Math.max(score?.T ?? 0, score?.CT ?? 0));
  expect(most.map((wins, at) => wins > (at < 24 ? 12 : 15)).indexOf(true)).toBe(29);
  // After the first half, and amid the overtime.
  expect(eventCounts.get('announce_phase_end')).toBe(2);
});

it('refuses a match of no rounds', () => {
  expect(() => createSampleMatch({ rounds: 0 })).toThrow(RangeError);
});

function expectStarRound(truth: Truth, index: number): void {
  const round = truth.rounds[index];
  if (round === undefined) throw new Error(`no round ${index}`);
  const kills = truth.kills.filter(({ tick }) => tick >= round.startTick && tick <= (round.endTick ?? 0));
  expect(kills.filter(({ attacker }) => attacker === STAR).length).toBeGreaterThanOrEqual(4);
  expect(kills.at(-1)).toMatchObject({ attacker: STAR, tick: round.endTick });
  expect(round.winner).toBe('T');
}
