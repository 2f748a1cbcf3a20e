import { beforeAll, describe, expect, it } from 'vitest';
import { composeMatch, createSampleMatch, encodeDemo, type TrueKill, truthOf } from '#demo-writer/index.ts';
import { type Found, readWithDeadem } from './deadem-reader.ts';

/**
 * As servers recorded until 2024, players under their slots: everything of the script is in it by the script's own
 * names.
 */
const OLD = { nativeRoundEvents: true, wireId: (slot: number) => slot };

describe('the sample demo, read by @deademx/cs2 as it comes', () => {
  const match = createSampleMatch({ rounds: 3 });
  const truth = truthOf(match);
  let found: Found;

  beforeAll(async () => {
    found = await readWithDeadem(encodeDemo(match, OLD), match);
  });

  it('has every player where the script has it, at every tick', () => {
    expect(found.differences).toEqual([]);
    expect(found.ticks).toBe(truth.lastTick);
  });

  it('names the players and their Steam ids, in any script', () => {
    const players = [...found.players].filter(([, { name }]) => name !== 'DemoRecorder');
    expect(players).toEqual(match.players.map(({ userId, name, steamId }) => [userId, { name, steamId }]));
    expect([...found.players.values()].map(({ name }) => name)).toEqual(expect.arrayContaining(['Käthe Möwe', 'Маяк']));
  });

  it('has the kills with everything that is said of them', () => {
    const kills = found.events.filter(({ name }) => name === 'player_death');
    expect(kills.map(({ tick, values }) => killOf(tick, values))).toEqual(
      truth.kills.map(({ warmup, ...kill }) => kill),
    );
  });

  it('has the rounds', () => {
    const ticksOf = (name: string): number[] => found.events.filter((e) => e.name === name).map(({ tick }) => tick);
    expect(ticksOf('round_start')).toEqual(truth.rounds.map(({ startTick }) => startTick));
    expect(ticksOf('round_freeze_end')).toEqual(truth.rounds.map(({ freezeEndTick }) => freezeEndTick));
    expect(ticksOf('round_end')).toEqual(truth.rounds.map(({ endTick }) => endTick));
    expect(ticksOf('round_officially_ended')).toEqual(truth.rounds.map(({ officialEndTick }) => officialEndTick));
    const winners = found.events.filter(({ name }) => name === 'round_end').map(({ values }) => values.winner);
    expect(winners).toEqual(truth.rounds.map(({ winner }) => (winner === 'T' ? 2 : 3)));
  });

  it('has every other event as often as the script', () => {
    const counts = new Map<string, number>();
    for (const { name } of found.events) counts.set(name, (counts.get(name) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(truth.eventCounts));
  });

  it('names bodies in events by their entity', () => {
    const [fire] = found.events.filter(({ name }) => name === 'weapon_fire');
    const body = found.demo.getEntity(Number(fire?.values.userid_pawn) & 0x3fff);
    expect(body?.class.name).toBe('CCSPlayerPawn');
  });

  it('creates and deletes grenades and the bomb', () => {
    for (const [name, indices] of found.seen) expect(indices.size, name).toBeGreaterThan(0);
    expect([...found.demo.getEntitiesByClassNameIterator('CFlashbangProjectile')]).toEqual([]);
  });

  it('keeps the score in the game rules', () => {
    const rules = found.lastRules;
    expect(rules?.getField('m_pGameRules.m_totalRoundsPlayed')).toBe(3);
    expect(rules?.getField('m_pGameRules.m_bWarmupPeriod')).toBe(false);
    expect(rules?.getField('m_pGameRules.m_nRoundEndCount')).toBe(3);
  });

  it('says in its header what recorded it', () => {
    expect(found.header).toMatchObject({ mapName: 'de_mirage', patchVersion: 14160, demoVersionName: 'valve_demo_2' });
    expect(found.header.gameDirectory).toMatch(/csgo$/);
  });
});

describe('a demo as servers record them since 2024', () => {
  it('has rounds in its entities alone, and ids of players over 65,000', async () => {
    const match = createSampleMatch({ rounds: 2 });
    const { rounds } = truthOf(match);
    const found = await readWithDeadem(encodeDemo(match), match);
    expect(found.differences).toEqual([]);
    const names = new Set(found.events.map(({ name }) => name));
    for (const name of ['round_start', 'round_end', 'round_officially_ended']) expect(names).not.toContain(name);
    const scores = [...found.demo.getEntitiesByClassNameIterator('CCSTeam')].map((team) => team.getField('m_iScore'));
    const won = (side: string) => rounds.filter(({ winner }) => winner === side).length;
    expect(scores).toEqual([0, 0, won('T'), won('CT')]);
    expect(Math.min(...found.players.keys())).toBeGreaterThan(65_000);
  });

  it('has bodies in events where the name of the player says nothing', async () => {
    const kills = [{ tick: 50, attacker: 0, victim: 5, attackerGone: true }];
    const match = composeMatch({ kills, lastTick: 60 });
    const { events, demo } = await readWithDeadem(encodeDemo(match), match);
    const death = events.find(({ name }) => name === 'player_death');
    expect(death?.values.attacker).toBe(65_535);
    const body = demo.getEntity(Number(death?.values.attacker_pawn) & 0x3fff);
    expect(Number(body?.getField('m_hController')) & 0x3fff).toBe(1);
  });
});

describe('a reader of some classes only', () => {
  it('skips the others by their announced size and finds the same players', async () => {
    const match = createSampleMatch({ rounds: 1 });
    const found = await readWithDeadem(encodeDemo(match), match, ['CCSPlayerPawn', 'CCSPlayerController']);
    expect(found.differences).toEqual([]);
    expect(found.ticks).toBe(truthOf(match).lastTick);
  });
});

function killOf(tick: number, values: Readonly<Record<string, unknown>>): Omit<TrueKill, 'warmup'> {
  const player = (value: unknown): number | null => (value === 65535 ? null : Number(value));
  return {
    tick,
    attacker: player(values.attacker),
    victim: Number(values.userid),
    assister: player(values.assister),
    weapon: String(values.weapon),
    headshot: values.headshot === true,
    wallbang: Number(values.penetrated) > 0,
    noScope: values.noscope === true,
    throughSmoke: values.thrusmoke === true,
    attackerBlind: values.attackerblind === true,
  };
}
