import { deathEvent, fireEvent, HITGROUP, type Hit, hurtEvent, PLAIN_KILL } from './combat-events.ts';
import type { GameEvent } from './game-events.ts';
import { GAME } from './game-identity.ts';
import { ROSTER } from './roster.ts';
import { initialRules, roundEnded, roundStarted, TEAM_NUMBER } from './rules.ts';
import type {
  MatchFrame,
  PlayerState,
  RoundEndReason,
  RulesState,
  ScriptedMatch,
  ScriptedPlayer,
  Team,
} from './scripted-match.ts';
import { ROUND_END_REASON, TICK_RATE } from './scripted-match.ts';

/** A kill to be written as shot, wound and death. Players are positions in the list of players. */
export interface ComposedKill {
  readonly tick: number;
  /** null: the world. The victim itself: suicide. */
  readonly attacker: number | null;
  readonly victim: number;
  readonly assister?: number;
  /** Without `weapon_`; `ak47` where left out. */
  readonly weapon?: string;
  readonly headshot?: boolean;
  readonly wallbang?: boolean;
  readonly noScope?: boolean;
  readonly throughSmoke?: boolean;
  readonly attackerBlind?: boolean;
}

export interface ComposedRound {
  readonly startTick: number;
  /** Two seconds after the start where left out; null leaves the event out. */
  readonly freezeEndTick?: number | null;
  /** Left out, the recording stops before the round is decided. */
  readonly endTick?: number;
  /** Five seconds after the end where left out; null leaves the event out. */
  readonly officialEndTick?: number | null;
  /** `CT` where left out. */
  readonly winner?: Team;
  readonly reason?: RoundEndReason;
}

export interface MatchOutline {
  readonly map?: string;
  readonly gameDirectory?: string;
  readonly patchVersion?: number;
  /** The first half of them are terrorists. */
  readonly players?: readonly ScriptedPlayer[];
  /** Warm-up lasts until this tick; left out, there is none. */
  readonly warmupEndTick?: number;
  readonly rounds?: readonly ComposedRound[];
  readonly kills?: readonly ComposedKill[];
  /** Anything else. */
  readonly extraEvents?: readonly { readonly tick: number; readonly event: GameEvent }[];
  /** Five seconds after the last of the above where left out. */
  readonly lastTick?: number;
}

const FREEZE_TICKS = 2 * TICK_RATE;
const PAUSE_TICKS = 5 * TICK_RATE;
const FULL_HEALTH = 100;

interface Stage {
  rules: RulesState;
  readonly players: PlayerState[];
}

/** Changes the stage and says which events tell of it. */
type Cue = (stage: Stage) => readonly GameEvent[];
type Cues = Map<number, Cue[]>;

/**
 * Makes a match of exactly the given rounds and kills, for tests. Every player walks a circle of its own; the dead lie
 * where they fell until a round starts. Nothing is checked: impossible matches are welcome.
 */
export function composeMatch(outline: MatchOutline): ScriptedMatch {
  const players = outline.players ?? ROSTER;
  return {
    ...GAME,
    map: outline.map ?? 'de_mirage',
    gameDirectory: outline.gameDirectory ?? GAME.gameDirectory,
    patchVersion: outline.patchVersion ?? GAME.patchVersion,
    players,
    frames: () => composedFrames(outline, players),
  };
}

function* composedFrames(outline: MatchOutline, roster: readonly ScriptedPlayer[]): Generator<MatchFrame> {
  const cues: Cues = new Map();
  const { warmupEndTick, extraEvents = [], rounds = [], kills = [] } = outline;
  if (warmupEndTick !== undefined) planWarmup(cues, warmupEndTick);
  for (const round of rounds) planRound(cues, round);
  for (const { tick, event } of extraEvents) addCue(cues, tick, () => [event]);
  for (const kill of kills) planKill(cues, kill, roster);

  const lastTick = outline.lastTick ?? Math.max(1, ...cues.keys()) + PAUSE_TICKS;
  const stage: Stage = {
    rules: initialRules(warmupEndTick !== undefined),
    players: roster.map((_, slot) => standing(slot, slot < roster.length / 2 ? 'T' : 'CT')),
  };
  for (let tick = 1; tick <= lastTick; tick++) {
    stage.players.forEach((player, slot) => {
      if (player.health > 0) stage.players[slot] = { ...player, ...walk(slot, tick) };
    });
    const events = (cues.get(tick) ?? []).flatMap((cue) => cue(stage));
    yield { tick, players: stage.players, rules: stage.rules, projectiles: [], bomb: null, events };
  }
}

function addCue(cues: Cues, tick: number, cue: Cue): void {
  cues.set(tick, [...(cues.get(tick) ?? []), cue]);
}

function planWarmup(cues: Cues, endTick: number): void {
  addCue(cues, 1, () => [{ name: 'round_announce_warmup', values: {} }]);
  addCue(cues, endTick, (stage) => {
    stage.rules = { ...stage.rules, warmup: false };
    return [
      { name: 'warmup_end', values: {} },
      { name: 'begin_new_match', values: {} },
    ];
  });
}

function planRound(cues: Cues, round: ComposedRound): void {
  const { startTick, freezeEndTick = startTick + FREEZE_TICKS, endTick, winner = 'CT' } = round;
  addCue(cues, startTick, (stage) => {
    stage.rules = roundStarted(stage.rules, startTick);
    stage.players.forEach(({ team }, slot) => {
      stage.players[slot] = { ...standing(slot, team), ...walk(slot, startTick) };
    });
    return [
      { name: 'round_prestart', values: {} },
      { name: 'round_start', values: { timelimit: 115, objective: 'BOMB TARGET' } },
    ];
  });
  if (freezeEndTick !== null) {
    addCue(cues, freezeEndTick, (stage) => {
      stage.rules = { ...stage.rules, freeze: false };
      return [{ name: 'round_freeze_end', values: {} }];
    });
  }
  if (endTick === undefined) return;
  const { reason = winner === 'CT' ? 'ctsWin' : 'terroristsWin', officialEndTick = endTick + PAUSE_TICKS } = round;
  addCue(cues, endTick, (stage) => {
    stage.rules = roundEnded(stage.rules, winner, reason);
    return [{ name: 'round_end', values: { winner: TEAM_NUMBER[winner], reason: ROUND_END_REASON[reason] } }];
  });
  if (officialEndTick !== null) {
    addCue(cues, officialEndTick, () => [{ name: 'round_officially_ended', values: {} }]);
  }
}

function planKill(cues: Cues, kill: ComposedKill, roster: readonly ScriptedPlayer[]): void {
  const userId = (player: number): number => {
    const found = roster[player];
    if (found === undefined) throw new RangeError(`no player ${player}`);
    return found.userId;
  };
  const { attacker, assister, headshot = false, weapon = attacker === null ? 'world' : 'ak47' } = kill;
  addCue(cues, kill.tick, (stage) => {
    const victim = stage.players[kill.victim];
    if (victim === undefined) throw new RangeError(`no player ${kill.victim}`);
    const hit: Hit = {
      attacker: attacker === null ? null : userId(attacker),
      victim: userId(kill.victim),
      weapon,
      damage: victim.health,
      armorDamage: 0,
      healthLeft: 0,
      armorLeft: victim.armor,
      hitgroup: headshot ? HITGROUP.head : HITGROUP.chest,
    };
    stage.players[kill.victim] = { ...victim, health: 0 };
    const death = deathEvent(hit, {
      ...PLAIN_KILL,
      assister: assister === undefined ? null : userId(assister),
      headshot,
      wallbang: kill.wallbang ?? false,
      noScope: kill.noScope ?? false,
      throughSmoke: kill.throughSmoke ?? false,
      attackerBlind: kill.attackerBlind ?? false,
    });
    return hit.attacker === null ? [death] : [fireEvent(hit.attacker, weapon), hurtEvent(hit), death];
  });
}

const CIRCLE_RADIUS = 160;
const CIRCLE_SPACING = 700;
const TURN_PER_TICK = 225 / CIRCLE_RADIUS / TICK_RATE;

/** Where a player is on its circle, looking ahead. */
function walk(slot: number, tick: number): Pick<PlayerState, 'x' | 'y' | 'yaw'> {
  const turn = slot + tick * TURN_PER_TICK;
  const heading = ((turn * 180) / Math.PI + 90) % 360;
  return {
    x: ((slot % 5) - 2) * CIRCLE_SPACING + Math.cos(turn) * CIRCLE_RADIUS,
    y: (slot < 5 ? 1 : -1) * CIRCLE_SPACING + Math.sin(turn) * CIRCLE_RADIUS,
    yaw: heading > 180 ? heading - 360 : heading,
  };
}

function standing(slot: number, team: Team): PlayerState {
  return {
    team,
    ...walk(slot, 0),
    z: 64,
    pitch: 0,
    health: FULL_HEALTH,
    armor: 100,
    ducking: false,
    scoped: false,
    defusing: false,
    flashDuration: 0,
    place: '',
    score: 0,
  };
}
