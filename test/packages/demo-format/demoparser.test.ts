import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSampleMatch, truthOf, writeDemoFile } from '#demo-writer/index.ts';
import type { ScriptedState } from '#demo-writer/script/scripted-match.ts';

interface Found {
  readonly header: { readonly map_name: string; readonly patch_version: string };
  readonly deaths: readonly Readonly<Record<string, unknown>>[];
  readonly roundEnds: readonly Readonly<Record<string, unknown>>[];
  readonly ticks: readonly TickRow[];
}

interface TickRow {
  readonly tick: number;
  readonly steamid: string;
  readonly name: string;
  readonly X: number;
  readonly Y: number;
  readonly Z: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly health: number;
  readonly armor_value: number;
  readonly team_num: number;
  readonly is_alive: boolean;
}

const CHILD = new URL('./demoparser-child.ts', import.meta.url).pathname;
const SAMPLE_EVERY_TICKS = 97;

describe('the sample demo, read by demoparser2', () => {
  const match = createSampleMatch({ rounds: 3, seed: 2 });
  const truth = truthOf(match);
  const states = sampledStates();
  const nameOf = new Map(match.players.map(({ userId, name }) => [userId, name]));
  let directory: string;
  let found: Found;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'demo-writer-'));
    const path = join(directory, 'sample.dem');
    // It finds no players by ids over 65,000.
    await writeDemoFile(match, path, { wireId: (slot) => slot });
    const ticks = [...states.keys()].map(String);
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, path, ...ticks], { maxBuffer: 1 << 26 });
    found = JSON.parse(stdout) as Found;
  });

  afterAll(() => rm(directory, { recursive: true }));

  function sampledStates(): Map<number, ScriptedState[]> {
    const sampled = new Map<number, ScriptedState[]>();
    for (const { tick, players } of match.frames()) {
      if (tick % SAMPLE_EVERY_TICKS === 1) sampled.set(tick, [...players]);
    }
    return sampled;
  }

  it('has the ten players by their Steam ids and names at every tick asked for', () => {
    expect(found.ticks).toHaveLength(states.size * match.players.length);
    const players = new Map(found.ticks.map(({ steamid, name }) => [steamid, name]));
    expect(players).toEqual(new Map(match.players.map(({ steamId, name }) => [steamId, name])));
  });

  it('has them where the script has them', () => {
    const slotOf = new Map(match.players.map(({ steamId }, slot) => [steamId, slot]));
    for (const row of found.ticks) {
      const state = states.get(row.tick)?.[slotOf.get(row.steamid) ?? -1];
      const where = `${row.name} at tick ${row.tick}`;
      expect(Math.hypot(row.X - (state?.x ?? 0), row.Y - (state?.y ?? 0), row.Z - (state?.z ?? 0)), where).toBeLessThan(
        0.01,
      );
      expect(row.health, where).toBe(state?.health);
      expect(row.armor_value, where).toBe(state?.armor);
      expect(row.team_num, where).toBe(state?.team === 'T' ? 2 : 3);
      expect(row.is_alive, where).toBe((state?.health ?? 0) > 0);
      expect(Math.abs(row.pitch - (state?.pitch ?? 0)), where).toBeLessThan(0.001);
      expect(Math.abs(Math.sin(((row.yaw - (state?.yaw ?? 0)) * Math.PI) / 360)), where).toBeLessThan(0.001);
    }
  });

  it('has the kills with everything that is said of them', () => {
    const name = (userId: number | null): string | null => (userId === null ? null : (nameOf.get(userId) ?? '?'));
    const wanted = truth.kills.map((kill) => ({
      tick: kill.tick,
      attacker_name: name(kill.attacker),
      user_name: name(kill.victim),
      assister_name: name(kill.assister),
      weapon: kill.weapon,
      headshot: kill.headshot,
      penetrated: kill.wallbang ? 1 : 0,
      noscope: kill.noScope,
      thrusmoke: kill.throughSmoke,
      attackerblind: kill.attackerBlind,
      is_warmup_period: kill.warmup,
    }));
    expect(found.deaths).toHaveLength(wanted.length);
    expect(found.deaths).toEqual(wanted.map((kill) => expect.objectContaining(kill)));
  });

  it('has the ends of the rounds, which it makes up out of the game rules', () => {
    const ends = found.roundEnds.map(({ tick, winner, total_rounds_played }) => [tick, winner, total_rounds_played]);
    expect(ends).toEqual(truth.rounds.map(({ endTick, winner }, at) => [endTick, winner, at + 1]));
  });

  it('knows the map', () => {
    expect(found.header).toMatchObject({ map_name: match.map, patch_version: String(match.patchVersion) });
  });
});
