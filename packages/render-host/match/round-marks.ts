import type { RoundSource, Team } from './match.ts';
import { REASON_GAME_COMMENCING, type RoundSign } from './round-sign.ts';

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
    const { tick } = sign;
    switch (sign.kind) {
      case 'start':
      case 'freezeEnd':
      case 'officialEnd':
      case 'warmup':
      case 'matchBegun':
      case 'matchStart':
        yield { kind: sign.kind, tick, source };
        break;
      case 'end':
        if (sign.reason === REASON_GAME_COMMENCING) yield { kind: 'matchBegun', tick: tick + 1, source };
        else yield { kind: 'end', tick, source, winner: sign.winner, reason: sign.reason };
        break;
    }
  }
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
