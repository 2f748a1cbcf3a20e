import { fuseOf, isEnemyKill, sideAt } from '#scene/match/match.ts';
import {
  type Kill,
  type MapEffect,
  type Match,
  type PlayerIndex,
  type Round,
  type Team,
  TRACK_ALIVE,
} from './match.ts';

/** A player who was the last of their side, against so many opponents, and whose side won the round. */
export interface Clutch {
  readonly player: PlayerIndex;
  /** When they were left alone. */
  readonly tick: number;
  readonly against: number;
}

/** The players who are alive when the freeze time of a round ends, by side. */
export type Lineup = Readonly<Record<Team, ReadonlySet<PlayerIndex>>>;

function lineupOf(match: Match, round: Round): Lineup {
  const lineup = { T: new Set<PlayerIndex>(), CT: new Set<PlayerIndex>() };
  const start = liveTick(round);
  for (const player of match.players.keys()) {
    const side = sideAt(match.tracks, player, start);
    if (side !== null && isAlive(match, player, start)) lineup[side].add(player);
  }
  return lineup;
}

/**
 * Returns the clutch of a round; null if there was none, or the winner is unknown. Whoever dies or leaves is no longer
 * alive. `kills` are all deaths of the round.
 */
function clutchOf(match: Match, round: Round, lineup: Lineup, kills: readonly Kill[]): Clutch | null {
  const { winner, endTick } = round;
  if (winner === null || endTick === null) return null;
  const loser: Team = winner === 'T' ? 'CT' : 'T';
  const own = new Set(lineup[winner]);
  const enemies = new Set(lineup[loser]);
  // A player who started alone was not left alone.
  if (own.size < 2) return null;
  const exits = [...own, ...enemies]
    .map((player) => ({ player, tick: exitOf(match, round, player, kills) }))
    .filter(({ tick }) => tick <= endTick)
    .sort((a, b) => a.tick - b.tick);
  for (const [at, { player, tick }] of exits.entries()) {
    own.delete(player);
    enemies.delete(player);
    // Those who die in the same tick die together.
    if (exits[at + 1]?.tick === tick) continue;
    const [last] = own;
    if (own.size === 1 && last !== undefined) {
      return enemies.size === 0 ? null : { player: last, tick, against: enemies.size };
    }
  }
  return null;
}

/** Returns the tick from which a player is dead or gone; Infinity if they survive the round. */
function exitOf({ tracks }: Match, round: Round, player: PlayerIndex, kills: readonly Kill[]): number {
  const death = kills.find(({ victim }) => victim === player)?.tick ?? Infinity;
  const row = player * tracks.length;
  const until = Math.min(death, round.endTick ?? Infinity, tracks.firstTick + tracks.length - 1);
  for (let tick = liveTick(round); tick < until; tick++) {
    if (((tracks.flags[row + tick - tracks.firstTick] ?? 0) & TRACK_ALIVE) === 0) return tick;
  }
  return death;
}

function liveTick({ freezeEndTick, startTick }: Round): number {
  return freezeEndTick ?? startTick;
}

export function isAlive({ tracks }: Match, player: PlayerIndex, tick: number): boolean {
  const at = Math.min(Math.max(tick - tracks.firstTick, 0), tracks.length - 1);
  return ((tracks.flags[player * tracks.length + at] ?? 0) & TRACK_ALIVE) !== 0;
}

/** The values of feats. docs/rules.md has the rules, their sources and the weights. */
const FEAT_SCORES = {
  '5k': 85,
  '4k': 60,
  '3k': 30,
  clutch_1v1: 30,
  clutch_1v2: 45,
  clutch_1v3: 70,
  clutch_1v4: 100,
  clutch_1v5: 130,
  opening_double: 20,
  ninja_defuse: 50,
  last_second_defuse: 45,
  collateral: 35,
  zeus: 25,
  knife: 25,
  no_scope: 20,
  flick_headshot: 18,
  blind: 15,
  wallbang: 12,
  in_air: 12,
  through_smoke: 10,
} as const;

/** An ace is worth this for each enemy, up to five. */
const ACE_SCORE = 20;

export type FeatKind = keyof typeof FEAT_SCORES | 'ace';

export interface Feat {
  readonly kind: FeatKind;
  readonly tick: number;
  readonly score: number;
}

/** A round with what the rules of feats ask about it. */
export interface RoundFacts {
  readonly round: Round;
  /** Kills of enemies, in tick order. */
  readonly kills: readonly Kill[];
  /** Whether the dead come back in the round, as in deathmatch, or everybody is an enemy. */
  readonly hasRespawns: boolean;
  /** Null for such a round, and for a player's own recording, which does not have all players. */
  readonly lineup: Lineup | null;
  readonly clutch: Clutch | null;
  /** The bomb that was defused. */
  readonly defused: MapEffect | null;
}

const OPENING_SECONDS = 8;
const FLICK = { seconds: 0.2, degrees: 45 } as const;
/** A defuse with less than this left on the fuse. */
const LAST_SECONDS = 1.5;
/** Who takes over a bot dies twice in a round. */
const MOST_LIVES = 2;
/** Weapons that hit several players without a shot. */
const NO_BULLET = /^(hegrenade|inferno|molotov|incgrenade|planted_c4|c4|knife|bayonet|taser)/;

export function roundFactsOf(match: Match, round: Round): RoundFacts {
  const deaths = match.kills.filter((kill) => kill.round === round.number);
  const kills = deaths.filter(isEnemyKill);
  const hasRespawns = kills.some(({ freeForAll, victim }) => {
    return freeForAll || kills.filter((kill) => kill.victim === victim).length > MOST_LIVES;
  });
  const lineup = hasRespawns || match.recorder !== null ? null : lineupOf(match, round);
  const until = round.officialEndTick ?? Infinity;
  const defused = match.effects.find(
    ({ kind, defusedBy, startTick }) =>
      kind === 'bomb' && defusedBy !== undefined && startTick >= round.startTick && startTick < until,
  );
  const clutch = lineup === null ? null : clutchOf(match, round, lineup, deaths);
  return { round, kills, hasRespawns, lineup, clutch, defused: defused ?? null };
}

/** Returns what a player did in a round, the most valuable first. */
export function featsOf(match: Match, facts: RoundFacts, player: PlayerIndex): Feat[] {
  const { clutch, kills } = facts;
  const own = kills.filter(({ attacker }) => attacker === player);
  return [
    ...multiKill(facts, player, own),
    ...(clutch?.player === player ? clutchFeat(clutch) : []),
    ...openingDouble(match, facts, player),
    ...collaterals(own),
    ...own.flatMap((kill) => killFeats(match, kill)),
    ...(facts.defused?.defusedBy === player ? defuseFeats(match, facts.defused, player) : []),
  ].sort((a, b) => b.score - a.score);
}

function feat(kind: keyof typeof FEAT_SCORES, tick: number): Feat {
  return { kind, tick, score: FEAT_SCORES[kind] };
}

/**
 * An ace is all enemies alive at the end of the freeze time, so two in wingman. Where the dead come back, many kills
 * are no feat.
 */
function multiKill({ lineup, hasRespawns }: RoundFacts, player: PlayerIndex, own: readonly Kill[]): Feat[] {
  if (hasRespawns) return [];
  const tick = own.at(-1)?.tick ?? 0;
  const enemies = lineup?.T.has(player) ? lineup.CT : lineup?.CT.has(player) ? lineup.T : null;
  if (enemies !== null && enemies.size >= 2) {
    const isAce = [...enemies].every((enemy) => own.some(({ victim }) => victim === enemy));
    if (isAce) return [{ kind: 'ace', tick, score: ACE_SCORE * Math.min(enemies.size, 5) }];
  }
  const count = Math.min(own.length, 5);
  return count < 3 ? [] : [feat(`${count as 3 | 4 | 5}k`, tick)];
}

function clutchFeat({ against, tick }: Clutch): Feat[] {
  return [feat(`clutch_1v${Math.min(against, 5) as 1 | 2 | 3 | 4 | 5}`, tick)];
}

/** The first two kills of a round, if the second follows soon. */
function openingDouble({ tickRate }: Match, { kills, hasRespawns }: RoundFacts, player: PlayerIndex): Feat[] {
  const [first, second] = kills;
  if (hasRespawns || first?.attacker !== player || second?.attacker !== player) return [];
  return second.tick - first.tick > OPENING_SECONDS * tickRate ? [] : [feat('opening_double', second.tick)];
}

/** Two kills or more by one bullet. No gun fires twice in a tick. */
function collaterals(own: readonly Kill[]): Feat[] {
  return own.flatMap((kill, at) => {
    const isSame = (other: Kill | undefined): boolean => other?.tick === kill.tick && other.weapon === kill.weapon;
    const isSecond = isSame(own[at - 1]) && !isSame(own[at - 2]);
    return isSecond && !NO_BULLET.test(kill.weapon) ? [feat('collateral', kill.tick)] : [];
  });
}

function killFeats(match: Match, kill: Kill): Feat[] {
  const kinds: (keyof typeof FEAT_SCORES)[] = [];
  if (kill.noScope) kinds.push('no_scope');
  if (kill.throughSmoke) kinds.push('through_smoke');
  if (kill.wallbang) kinds.push('wallbang');
  if (kill.attackerBlind) kinds.push('blind');
  if (kill.attackerInAir) kinds.push('in_air');
  if (kill.weapon === 'taser') kinds.push('zeus');
  if (/^(knife|bayonet)/.test(kill.weapon)) kinds.push('knife');
  if (kill.headshot && turnBefore(match, kill) >= FLICK.degrees) kinds.push('flick_headshot');
  return kinds.map((kind) => feat(kind, kill.tick));
}

/** Returns the degrees by which the killer's view turned just before the kill. */
function turnBefore({ tracks, tickRate }: Match, { attacker, tick }: Kill): number {
  if (attacker === null) return 0;
  const at = tick - tracks.firstTick;
  const before = at - Math.round(FLICK.seconds * tickRate);
  if (before < 0 || at >= tracks.length) return 0;
  const row = attacker * tracks.length;
  const radians = (degrees: number | undefined): number => ((degrees ?? 0) * Math.PI) / 180;
  const [yaw1, yaw2] = [radians(tracks.yaw[row + before]), radians(tracks.yaw[row + at])];
  const [pitch1, pitch2] = [radians(tracks.pitch[row + before]), radians(tracks.pitch[row + at])];
  const cosine = Math.sin(pitch1) * Math.sin(pitch2) + Math.cos(pitch1) * Math.cos(pitch2) * Math.cos(yaw2 - yaw1);
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
}

function defuseFeats(match: Match, bomb: MapEffect, player: PlayerIndex): Feat[] {
  const { startTick, endTick } = bomb;
  const left = fuseOf(bomb) - (endTick - startTick) / match.tickRate;
  return [
    ...(left < LAST_SECONDS ? [feat('last_second_defuse', endTick)] : []),
    ...(isNinja(match, player, endTick) ? [feat('ninja_defuse', endTick)] : []),
  ];
}

/**
 * Whether an enemy is alive at the end of a defuse, and none saw the player during it. Without the game's radar in the
 * recording, who sees whom is unknown.
 */
function isNinja(match: Match, player: PlayerIndex, endTick: number): boolean {
  const begun = match.bombActions.findLast(
    ({ kind, tick, player: by }) => kind === 'defuse_begun' && by === player && tick <= endTick,
  );
  if (begun === undefined || match.sights.length === 0 || match.recorder !== null) return false;
  const side = sideAt(match.tracks, player, endTick);
  const isEnemy = (other: PlayerIndex): boolean => {
    const theirs = sideAt(match.tracks, other, endTick);
    return theirs !== null && theirs !== side;
  };
  const isOneLeft = [...match.players.keys()].some((other) => isEnemy(other) && isAlive(match, other, endTick));
  const isSeen = match.sights.some(
    (sight) =>
      sight.player === player && isEnemy(sight.by) && sight.startTick <= endTick && sight.endTick >= begun.tick,
  );
  return isOneLeft && !isSeen;
}
