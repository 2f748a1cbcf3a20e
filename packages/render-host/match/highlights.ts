import type { SubmitRequest } from '#protocol/submit.ts';
import { clutchOf } from './clutches.ts';
import { isEnemyKill } from './kills.ts';
import type { Kill, Match, PlayerIndex, Round } from './match.ts';

/**
 * The feats and their values. The score of a highlight is the sum of its feats: docs/highlights.md explains the
 * weights. A round has one of `3k`, `4k` and `ace`.
 */
const FEAT_SCORES = {
  ace: 100,
  '4k': 60,
  '3k': 30,
  clutch_1v1: 15,
  clutch_1v2: 40,
  clutch_1v3: 70,
  clutch_1v4: 100,
  clutch_1v5: 130,
  opening_double: 20,
  last_second_defuse: 45,
  knife: 25,
  no_scope: 20,
  flick_headshot: 18,
  wallbang: 12,
  through_smoke: 10,
} as const;

export type FeatKind = keyof typeof FEAT_SCORES;

export interface Feat {
  readonly kind: FeatKind;
  readonly tick: number;
}

/** What one player did in one round. */
export interface Highlight {
  readonly player: PlayerIndex;
  readonly round: number;
  /** The first and last tick of it, without padding. */
  readonly startTick: number;
  readonly endTick: number;
  readonly kills: readonly Kill[];
  /** The most valuable first. */
  readonly feats: readonly Feat[];
  readonly score: number;
  /** What to submit, without the demo's address. */
  readonly request: Pick<SubmitRequest, 'steam64_id' | 'round' | 'timeline'>;
}

const OPENING_SECONDS = 8;
const FLICK = { seconds: 0.2, degrees: 45 } as const;
/** A defuse with less than this left on the fuse. */
const LAST_SECONDS = 1.5;
const FUSE_SECONDS = 40;
const PADDING_SECONDS = { before: 3, after: 2 } as const;

/**
 * Returns each highlight of a match, the best first; of two equal ones the earlier first. Uses only kills that count.
 */
export function findHighlights(match: Match): readonly Highlight[] {
  return match.rounds
    .flatMap((round) => match.players.flatMap((_, player) => highlightOf(match, round, player)))
    .sort((a, b) => b.score - a.score || a.startTick - b.startTick);
}

function highlightOf(match: Match, round: Round, player: PlayerIndex): Highlight[] {
  const kills = match.kills.filter((kill) => kill.round === round.number && isEnemyKill(kill));
  const own = kills.filter(({ attacker }) => attacker === player);
  const clutch = clutchOf(match, round);
  const feats = [
    ...multiKill(own),
    ...(clutch !== null && clutch.player === player ? clutchFeat(clutch.against, clutch.tick) : []),
    ...openingDouble(match, kills, player),
    ...own.flatMap((kill) => killFeats(match, kill)),
    ...lastSecondDefuse(match, round, player),
  ].sort((a, b) => FEAT_SCORES[b.kind] - FEAT_SCORES[a.kind]);
  if (feats.length === 0) return [];
  const ticks = [...feats.map(({ tick }) => tick), ...own.map(({ tick }) => tick)];
  const startTick = Math.min(...ticks);
  const endTick = Math.max(...ticks);
  const score = feats.reduce((sum, { kind }) => sum + FEAT_SCORES[kind], 0);
  const request = requestFor(match, player, round, own.length > 0 && !feats.some(isDefuse), startTick, endTick);
  return [{ player, round: round.number, startTick, endTick, kills: own, feats, score, request }];
}

function multiKill(kills: readonly Kill[]): Feat[] {
  const kind = kills.length >= 5 ? 'ace' : kills.length === 4 ? '4k' : kills.length === 3 ? '3k' : null;
  return kind === null ? [] : [{ kind, tick: kills.at(-1)?.tick ?? 0 }];
}

function clutchFeat(against: number, tick: number): Feat[] {
  const kind = (['clutch_1v1', 'clutch_1v2', 'clutch_1v3', 'clutch_1v4', 'clutch_1v5'] as const)[
    Math.min(against, 5) - 1
  ];
  return kind === undefined ? [] : [{ kind, tick }];
}

/** The first two kills of a round, if the second follows soon. */
function openingDouble({ tickRate }: Match, kills: readonly Kill[], player: PlayerIndex): Feat[] {
  const [first, second] = kills;
  if (first?.attacker !== player || second?.attacker !== player) return [];
  return second.tick - first.tick > OPENING_SECONDS * tickRate ? [] : [{ kind: 'opening_double', tick: second.tick }];
}

function killFeats(match: Match, kill: Kill): Feat[] {
  const kinds: FeatKind[] = [];
  if (kill.noScope) kinds.push('no_scope');
  if (kill.throughSmoke) kinds.push('through_smoke');
  if (kill.wallbang) kinds.push('wallbang');
  if (/^(knife|bayonet)/.test(kill.weapon)) kinds.push('knife');
  if (kill.headshot && turnBefore(match, kill) >= FLICK.degrees) kinds.push('flick_headshot');
  return kinds.map((kind) => ({ kind, tick: kill.tick }));
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

function lastSecondDefuse({ effects, tickRate }: Match, round: Round, player: PlayerIndex): Feat[] {
  const until = round.officialEndTick ?? Infinity;
  return effects.flatMap(({ kind, defusedBy, startTick, endTick }): Feat[] => {
    if (kind !== 'bomb' || defusedBy !== player || startTick < round.startTick || startTick >= until) return [];
    const left = FUSE_SECONDS - (endTick - startTick) / tickRate;
    return left < LAST_SECONDS ? [{ kind: 'last_second_defuse', tick: endTick }] : [];
  });
}

function isDefuse({ kind }: Feat): boolean {
  return kind === 'last_second_defuse';
}

/** Requests all kills of the round, with the announcement of the win; or the span itself if it has more than kills. */
function requestFor(
  { players, tickRate, firstTick, lastTick }: Match,
  player: PlayerIndex,
  { number }: Round,
  isKills: boolean,
  startTick: number,
  endTick: number,
): Highlight['request'] {
  const steamId = players[player]?.steamId ?? '';
  if (isKills) return { steam64_id: steamId, round: number };
  const start_tick = Math.max(firstTick, startTick - PADDING_SECONDS.before * tickRate);
  const end_tick = Math.min(lastTick, endTick + PADDING_SECONDS.after * tickRate);
  return { timeline: [{ steam64_id: steamId, start_tick, end_tick }] };
}
