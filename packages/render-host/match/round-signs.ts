import type { TickSpan } from '#domain/clip/plan/match.ts';
import type { Entities } from '../source2/entities.ts';
import { RejectedDemo } from './demo-view.ts';
import { isEverybodyBroke, sampleRules, sampleScores } from './entity-sampler.ts';
import type { GameEvent } from './game-events.ts';
import type { RoundClock, RoundSource, Team } from './match.ts';
import { REASON_GAME_COMMENCING, type RoundSign, type RulesState, teamOf } from './round-sign.ts';

const EVENTS: Readonly<Record<string, Exclude<RoundSign['kind'], 'end' | 'rules' | 'scores'>>> = {
  round_announce_warmup: 'warmup',
  warmup_end: 'matchBegun',
  begin_new_match: 'matchBegun',
  round_announce_match_start: 'matchStart',
  round_start: 'start',
  round_freeze_end: 'freezeEnd',
  round_officially_ended: 'officialEnd',
  cs_win_panel_match: 'matchOver',
};

export const ROUND_EVENTS: readonly string[] = [...Object.keys(EVENTS), 'round_end', 'player_spawn', 'weapon_fire'];

const KNIFE = /knife|bayonet/;

/** A long match has a thousand. Finding rounds compares them with each other. */
const MOST_SIGNS = 20_000;
const MOST_PAUSES = 1000;

/** The fewest players of a round. */
const FEWEST_SPAWNS = 2;

export interface RoundSigns {
  event(tick: number, event: GameEvent): void;
  /** Call it at the end of each tick, with the number of players that have a side. */
  tickEnd(tick: number, entities: Entities, players: number): void;
  signs(): readonly RoundSign[];
  /** Returns the ticks in which the game was paused. */
  pauses(lastTick: number): readonly TickSpan[];
}

/** Collects what shows the rounds of a demo. */
export function createRoundSigns(): RoundSigns {
  const signs: RoundSign[] = [];
  const pauses: TickSpan[] = [];
  let pausedSince: number | null = null;
  let rules: RulesState | null = null;
  let scores: string | null = null;
  let spawns = 0;
  let freezeEnded = false;
  let broke = false;

  function noteRules(tick: number, state: RulesState): void {
    if (rules !== null && sameRules(rules, state)) return;
    if (rules?.freeze === true && !state.freeze) freezeEnded = true;
    rules = state;
    signs.push({ kind: 'rules', tick, state });
    if (state.paused) pausedSince ??= tick;
    else if (pausedSince !== null) {
      pauses.push({ startTick: pausedSince, endTick: tick });
      pausedSince = null;
    }
  }

  return {
    event(tick, event) {
      if (event.name === 'player_spawn') {
        spawns += 1;
      } else if (event.name === 'weapon_fire') {
        if (!broke || KNIFE.test(event.text('weapon'))) return;
        broke = false;
        signs.push({ kind: 'gunfire', tick });
      } else if (event.name === 'round_end') {
        signs.push({ kind: 'end', tick, winner: teamOf(event.number('winner')), reason: event.number('reason') });
      } else {
        const kind = EVENTS[event.name];
        if (kind === undefined) return;
        if (kind === 'freezeEnd') freezeEnded = true;
        signs.push({ kind, tick });
      }
    },

    tickEnd(tick, entities, players) {
      if (signs.length > MOST_SIGNS || pauses.length > MOST_PAUSES) {
        throw new RejectedDemo('demo_failed_parse', 'more rounds and pauses than a match has');
      }
      const state = sampleRules(entities);
      if (state !== null) noteRules(tick, state);
      const now = sampleScores(entities);
      const text = now === null ? null : `${now.T}:${now.CT}`;
      if (now !== null && text !== scores) signs.push({ kind: 'scores', tick, scores: now });
      scores = text;
      if (spawns >= Math.max(FEWEST_SPAWNS, players / 2)) signs.push({ kind: 'spawns', tick });
      spawns = 0;
      if (freezeEnded) broke = isEverybodyBroke(entities);
      if (freezeEnded && broke) signs.push({ kind: 'broke', tick });
      freezeEnded = false;
    },

    signs: () => signs,
    pauses: (lastTick) =>
      pausedSince === null ? pauses : [...pauses, { startTick: pausedSince, endTick: lastTick + 1 }],
  };
}

/** Returns the clocks that the rules show. `serverTick` is the server's tick at demo tick 0; 0 if unknown. */
export function clocksOf(signs: readonly RoundSign[], serverTick: number, tickRate: number): RoundClock[] {
  const clocks: RoundClock[] = [];
  for (const sign of signs) {
    if (sign.kind !== 'rules' || sign.state.roundSeconds <= 0) continue;
    const { roundSeconds: seconds, liveAtSeconds } = sign.state;
    const isTimed = serverTick > 0 && liveAtSeconds > 0;
    const startTick = isTimed ? Math.round(liveAtSeconds * tickRate) - serverTick : null;
    const last = clocks.at(-1);
    if (last?.startTick !== startTick || last.seconds !== seconds) clocks.push({ tick: sign.tick, startTick, seconds });
  }
  return clocks;
}

function sameRules(a: RulesState, b: RulesState): boolean {
  return (Object.keys(a) as (keyof RulesState)[]).every((key) => a[key] === b[key]);
}

/** A change in the course of the match. */
export type RoundMark = { readonly tick: number; readonly source: RoundSource } & (
  | { readonly kind: 'start' | 'freezeEnd' | 'officialEnd' | 'warmup' | 'matchBegun' | 'matchStart' }
  | { readonly kind: 'end'; readonly winner: Team | null; readonly reason: number }
);
export type EndMark = Extract<RoundMark, { kind: 'end' }>;

/** Ticks within which signs of two sources are the same. Rounds are farther apart. */
const SAME_TICKS = 128;
/** Ticks that the two scores may be sent apart when the sides swap. */
const LASTING_TICKS = 8;

/** The order of marks at one tick: ends come before starts. */
const ORDER: readonly RoundMark['kind'][] = [
  'officialEnd',
  'warmup',
  'matchBegun',
  'start',
  'matchStart',
  'freezeEnd',
  'end',
];

/**
 * Turns the signs of a demo into marks, in tick order. If sources agree, the native event is used, else the rules. One
 * source fills in what another lacks. Spawns count as starts only without a better source.
 */
export function marksOf(signs: readonly RoundSign[]): RoundMark[] {
  const marks = [...eventMarks(signs), ...rulesMarks(signs), ...scoreMarks(signs)];
  const hasStarts = marks.some(({ kind }) => kind === 'start');
  if (!hasStarts) {
    for (const { kind, tick } of signs) if (kind === 'spawns') marks.push({ kind: 'start', tick, source: 'spawns' });
  }
  const byPriority = marks.toSorted((a, b) => PRIORITY.indexOf(a.source) - PRIORITY.indexOf(b.source));
  const kept: RoundMark[] = [];
  for (const mark of byPriority) {
    const at = kept.findIndex((other) => other.kind === mark.kind && isSame(other, mark));
    const same = kept[at];
    if (same === undefined) kept.push(mark);
    else if (same.kind === 'end' && mark.kind === 'end') kept[at] = filledIn(same, mark);
  }
  return kept.sort((a, b) => a.tick - b.tick || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

const PRIORITY: readonly RoundSource[] = ['events', 'rules', 'scores', 'spawns'];

/** One source repeats a sign only within one tick. */
function isSame(a: RoundMark, b: RoundMark): boolean {
  const apart = Math.abs(a.tick - b.tick);
  return a.source === b.source ? apart === 0 : apart <= SAME_TICKS;
}

function filledIn(end: EndMark, other: EndMark): EndMark {
  return { ...end, winner: end.winner ?? other.winner, reason: end.reason > 0 ? end.reason : other.reason };
}

function* eventMarks(signs: readonly RoundSign[]): Generator<RoundMark> {
  const source = 'events';
  for (const sign of signs) {
    const { tick, kind } = sign;
    if (kind === 'end' && sign.reason === REASON_GAME_COMMENCING) yield { kind: 'matchBegun', tick: tick + 1, source };
    else if (kind === 'end') yield { ...sign, source };
    else if (isMark(kind)) yield { kind, tick, source };
  }
}

function isMark(kind: RoundSign['kind']): kind is Exclude<RoundMark['kind'], 'end'> {
  return (ORDER as readonly string[]).includes(kind);
}

function* rulesMarks(signs: readonly RoundSign[]): Generator<RoundMark> {
  const source = 'rules';
  let before: Extract<RoundSign, { kind: 'rules' }>['state'] | null = null;
  for (const sign of signs) {
    if (sign.kind !== 'rules') continue;
    const { tick, state } = sign;
    if (before !== null) {
      const started = state.starts === null ? state.freeze && !before.freeze : state.starts !== before.starts;
      const ended = state.ends === null ? state.decided && !before.decided : state.ends !== before.ends;
      if (state.warmup && !before.warmup) yield { kind: 'warmup', tick, source };
      if (!state.warmup && before.warmup) yield { kind: 'matchBegun', tick, source };
      if (started) yield { kind: 'start', tick, source };
      if (before.freeze && !state.freeze) yield { kind: 'freezeEnd', tick, source };
      if (ended && state.reason !== REASON_GAME_COMMENCING) {
        yield { kind: 'end', tick, source, winner: state.winner, reason: state.reason };
      }
    } else if (state.warmup) {
      yield { kind: 'warmup', tick, source };
    }
    before = state;
  }
}

/** A team's score that rises by one ends a round. Both change when the sides swap, or the match restarts. */
function* scoreMarks(signs: readonly RoundSign[]): Generator<RoundMark> {
  let before: Readonly<Record<Team, number>> | null = null;
  for (const { tick, scores } of lastingScores(signs)) {
    if (before !== null) {
      const [t, ct] = [scores.T - before.T, scores.CT - before.CT];
      if ((t === 1 && ct === 0) || (t === 0 && ct === 1)) {
        yield { kind: 'end', tick, source: 'scores', winner: t === 1 ? 'T' : 'CT', reason: 0 };
      }
    }
    before = scores;
  }
}

type ScoreSign = Extract<RoundSign, { kind: 'scores' }>;

export function lastingScores(signs: readonly RoundSign[]): ScoreSign[] {
  const scores = signs.filter((sign): sign is ScoreSign => sign.kind === 'scores');
  return scores.filter(({ tick }, at) => (scores[at + 1]?.tick ?? Infinity) > tick + LASTING_TICKS);
}
