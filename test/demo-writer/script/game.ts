import { TEAM_NUMBER } from '#demo-format/game.ts';
import type { Field } from './battle/field.ts';
import { createFighter, type Fighter, isAlive, revive } from './battle/fighter.ts';
import { firesOf, projectilesOf } from './battle/grenades.ts';
import { WARMUP_PLAN } from './battle/round-plan.ts';
import { playerStates, playTick } from './battle/skirmish.ts';
import { chooseWeapon } from './battle/weapons.ts';
import { AREAS, SPAWN_AREA } from './map/areas.ts';
import { areaOf, type FloorPoint, pointIn } from './map/navigation.ts';
import type { Random } from './random.ts';
import { ROSTER, TEAM_SIZE } from './roster.ts';
import { initialRules } from './rules.ts';
import { type MatchFrame, type ScriptedRules, type Team, TICK_RATE } from './scripted-match.ts';

/** A match while it is being made. */
export interface Game {
  readonly random: Random;
  readonly fighters: readonly Fighter[];
  tick: number;
  rules: ScriptedRules;
  field: Field;
}

export function createGame(random: Random): Game {
  const fighters = ROSTER.map(({ userId }, slot) => createFighter(slot, userId, slot < TEAM_SIZE ? 'T' : 'CT'));
  const field = createField(random, fighters, true);
  return { random, fighters, tick: 0, rules: initialRules(true), field };
}

export function createField(random: Random, fighters: readonly Fighter[], warmup: boolean): Field {
  return {
    random,
    fighters,
    plan: WARMUP_PLAN,
    tick: 0,
    liveTick: 0,
    decided: false,
    warmup,
    events: [],
    clouds: [],
    flights: [],
    nextEntityIndex: 0,
    carrier: null,
    bomb: null,
    work: null,
    alarm: null,
    killCount: 0,
  };
}

/** Plays the next tick. Calls `before` first, and `after` once all have moved and shot. */
export function playFrame(game: Game, before?: () => void, after?: () => void): MatchFrame {
  game.tick++;
  game.field.tick = game.tick;
  game.field.events = [];
  before?.();
  // `before` replaces the field at a round's start.
  const { field } = game;
  playTick(field);
  after?.();
  return {
    tick: game.tick,
    players: playerStates(field),
    rules: { ...game.rules, bombPlanted: field.bomb !== null },
    projectiles: projectilesOf(field),
    fires: firesOf(field),
    bomb: field.bomb,
    events: field.events,
  };
}

/** Puts a fighter at their place for a round's start, with their view to the map. */
function spawn(game: Game, fighter: Fighter, place: FloorPoint, height: number): void {
  revive(fighter, place, height, fighter.team === 'T' ? 180 : 45);
  game.field.events.push({ name: 'player_spawn', values: { userid: fighter.userId } });
}

export function spawnTeams(game: Game): void {
  for (const fighter of game.fighters) {
    const area = areaOf(SPAWN_AREA[fighter.team]);
    spawn(game, fighter, pointIn(area, game.random), area.height);
  }
}

export function announceTeam(game: Game, fighter: Fighter, oldTeam: Team | null): void {
  const oldteam = oldTeam === null ? 0 : TEAM_NUMBER[oldTeam];
  const values = { userid: fighter.userId, team: TEAM_NUMBER[fighter.team], oldteam };
  game.field.events.push({ name: 'player_team', values });
}

const WARMUP_LEAST_TICKS = 15 * TICK_RATE;
const WARMUP_MOST_TICKS = 60 * TICK_RATE;
const RESPAWN_TICKS = 2 * TICK_RATE;

/** All players join, then fight all over the map until one has died and some time has passed. */
export function* warmUp(game: Game): Generator<MatchFrame> {
  const { field, fighters } = game;
  const diedAt = new Map<Fighter, number>();
  let deaths = 0;
  yield playFrame(game, () => join(game));
  while (game.tick < WARMUP_MOST_TICKS && (deaths === 0 || game.tick < WARMUP_LEAST_TICKS)) {
    yield playFrame(game, () => {
      for (const fighter of fighters) {
        const since = diedAt.get(fighter);
        if (since === undefined || game.tick - since < RESPAWN_TICKS) continue;
        diedAt.delete(fighter);
        spawnAnywhere(game, fighter);
      }
    });
    for (const fighter of fighters) {
      if (isAlive(fighter) || diedAt.has(fighter)) continue;
      diedAt.set(fighter, game.tick);
      deaths++;
    }
  }
  yield playFrame(game, () => {
    game.rules = { ...game.rules, warmup: false };
    // A death between warm-up and the first round would belong to neither.
    field.decided = true;
    for (const fighter of fighters) Object.assign(fighter, { score: 0, target: null });
    field.events.push({ name: 'warmup_end', values: {} }, { name: 'begin_new_match', values: {} });
    field.events.push({ name: 'round_announce_match_start', values: {} });
  });
}

/** All players are there from the first tick on. */
function join(game: Game): void {
  const { events } = game.field;
  events.push({ name: 'hltv_versioninfo', values: { version: 1 } });
  for (const fighter of game.fighters) {
    events.push({ name: 'player_connect_full', values: { userid: fighter.userId } });
    fighter.weapon = chooseWeapon(fighter.team, false, 'other', game.random);
    announceTeam(game, fighter, null);
    spawnAnywhere(game, fighter);
  }
  events.push({ name: 'round_announce_warmup', values: {} });
}

function spawnAnywhere(game: Game, fighter: Fighter): void {
  const { random } = game;
  const area = AREAS[random.whole(0, AREAS.length - 1)] ?? areaOf('mid');
  spawn(game, fighter, pointIn(area, random), area.height);
}
