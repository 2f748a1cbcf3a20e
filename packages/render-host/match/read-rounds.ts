import type { Match, Round, RoundSource } from './match.ts';
import { type EndMark, lastingScores, marksOf, type RoundMark } from './round-marks.ts';
import { type RoundSign, type RulesState, reasonOf } from './round-sign.ts';

export interface RoundReading {
  readonly rounds: readonly Round[];
  readonly evidence: Match['roundEvidence'];
  /** Ticks at which a round began, those that did not count too: the map is cleared then. */
  readonly starts: readonly number[];
  /** The number of the round under way; null in warm-up, after the match, and in a round that was played anew. */
  roundAt(tick: number): number | null;
}

/** A stretch of play that may be a round. */
interface Stretch {
  readonly startTick: number;
  /** Nothing says that a round starts here: the recording does, or the warm-up ends. */
  joined: boolean;
  source: RoundSource;
  warmup: boolean;
  /** The match begins with it: what was before does not count. */
  begins: boolean;
  freezeEndTick: number | null;
  end: EndMark | null;
  officialEndTick: number | null;
  /** Of the next stretch, or the tick after the last. */
  untilTick: number;
  number: number | null;
  /** The rules as the recording starts after the end of a round. */
  aftermath: RulesState | null;
}

/** The announcement is up for longer than the scores take to follow. */
const SCORE_LAG_TICKS = 128;

/**
 * Turns what a demo tells of its rounds into rounds. Demos begin anywhere, games restart, and an administrator loads
 * backups: a number is read, not counted, wherever the rules or the scores have it, and the last take of a number is
 * the one that counts.
 */
export function readRounds(signs: readonly RoundSign[], firstTick: number, lastTick: number): RoundReading {
  const marks = marksOf(signs);
  const stretches = split(marks, firstTick, lastTick);
  const numbers = numberStretches(stretches, signs, marks);
  const counted = countedStretches(stretches, signs);
  const scores = lastingScores(signs);
  const rounds = counted.map((stretch): Round => {
    const { startTick, freezeEndTick, end, officialEndTick, untilTick } = stretch;
    const outcome = end ?? stretch.aftermath;
    const shown = outcome === null ? null : scoreOnceDecided(scores, end?.tick ?? startTick);
    const over = untilTick <= lastTick ? untilTick : null;
    return {
      number: stretch.number ?? 0,
      startTick,
      freezeEndTick,
      endTick: end?.tick ?? null,
      officialEndTick: officialEndTick ?? (outcome === null ? null : over),
      winner: outcome?.winner ?? null,
      reason: outcome === null ? null : reasonOf(outcome.reason),
      score: shown,
    };
  });
  const sourcesOf = (kind: RoundMark['kind']) => [
    ...new Set(marks.filter((one) => one.kind === kind).map(({ source }) => source)),
  ];
  return {
    rounds,
    evidence: { starts: sourcesOf('start'), ends: sourcesOf('end'), numbers: [numbers] },
    starts: stretches.filter(({ joined }) => !joined).map(({ startTick }) => startTick),
    roundAt(tick) {
      const stretch = stretches.findLast(({ startTick }) => startTick <= tick);
      return stretch !== undefined && counted.includes(stretch) ? stretch.number : null;
    },
  };
}

type ScoreSign = ReturnType<typeof lastingScores>[number];

/**
 * The scores may follow the end of a round by some ticks; when the sides change soon after, the scores of before are
 * meant.
 */
function scoreOnceDecided(scores: readonly ScoreSign[], endTick: number): ScoreSign['scores'] | null {
  const at = scores.findLastIndex(({ tick }) => tick <= endTick);
  const [now, next] = [scores[at], scores[at + 1]];
  if (now === undefined) return null;
  const isLate = next !== undefined && next.tick <= endTick + SCORE_LAG_TICKS && sumOf(next) === sumOf(now) + 1;
  return (isLate ? next : now).scores;
}

function sumOf({ scores }: ScoreSign): number {
  return scores.T + scores.CT;
}

/** Cuts the recording at its marks. */
function split(marks: readonly RoundMark[], firstTick: number, lastTick: number): Stretch[] {
  const stretches: Stretch[] = [];
  let warm = marks.some(({ kind, tick }) => kind === 'warmup' && tick <= firstTick);
  let current = open(firstTick, { joined: true });

  function open(tick: number, of: Partial<Stretch>): Stretch {
    const stretch: Stretch = {
      startTick: tick,
      joined: false,
      source: 'events',
      warmup: warm,
      begins: false,
      freezeEndTick: null,
      end: null,
      officialEndTick: null,
      untilTick: lastTick + 1,
      number: null,
      aftermath: null,
      ...of,
    };
    const previous = stretches.at(-1);
    if (previous !== undefined && previous.startTick === tick) {
      stretch.begins ||= previous.begins;
      stretches.pop();
    }
    const before = stretches.at(-1);
    if (before !== undefined) before.untilTick = tick;
    stretches.push(stretch);
    return stretch;
  }

  for (const mark of marks) {
    const { tick, source } = mark;
    switch (mark.kind) {
      case 'officialEnd':
        current.officialEndTick ??= tick;
        break;
      case 'warmup':
        if (!warm) current = open(tick, { joined: true, warmup: true });
        warm = true;
        break;
      case 'matchBegun':
        warm = false;
        current = open(tick, { joined: true, warmup: false, begins: true });
        break;
      case 'start':
        if (current.startTick !== tick || current.joined)
          current = open(tick, { source, begins: current.startTick === tick && current.begins });
        break;
      case 'matchStart':
        // It is announced as the freeze time of the first round ends: the round under way is that first round.
        if (warm) {
          warm = false;
          current = open(tick, { joined: true, warmup: false, begins: true });
        } else if (!hasEnded(stretches)) current.begins = true;
        break;
      case 'freezeEnd':
        if (current.freezeEndTick === tick) break;
        if (current.freezeEndTick !== null || current.end !== null) current = open(tick, { source });
        current.freezeEndTick = tick;
        break;
      case 'end':
        if (current.end !== null) current = open(current.officialEndTick ?? current.end.tick, { source });
        current.end = mark;
        break;
    }
  }
  return stretches;
}

/** Whether a round has ended since the match began. */
function hasEnded(stretches: readonly Stretch[]): boolean {
  const from = stretches.findLastIndex(({ begins }) => begins);
  return stretches.slice(Math.max(0, from)).some(({ end }) => end !== null);
}

/** Gives each stretch the number that the scoreboard had while it was played, and says what told it. */
function numberStretches(stretches: Stretch[], signs: readonly RoundSign[], marks: readonly RoundMark[]): RoundSource {
  const rules = signs.filter((sign) => sign.kind === 'rules');
  const scores = lastingScores(signs);
  const reportsEnds = marks.some(({ kind }) => kind === 'end');
  let previous: Stretch | null = null;
  let begins = false;
  for (const stretch of stretches) {
    const { startTick, end, untilTick } = stretch;
    // Just before the end: whether a count rises with the end of a round or with the next start, it has not risen yet.
    const probe = Math.max(startTick, (end?.tick ?? untilTick) - 1);
    const state = stateAt(rules, probe)?.state ?? null;
    const score = stateAt(scores, probe)?.scores ?? null;
    const sum = score === null ? null : score.T + score.CT;
    if (state !== null && isAftermath(stretch, state)) {
      if (stretch !== stretches[0]) continue;
      stretch.number = sum ?? state.played;
      stretch.aftermath = state;
    } else if (state !== null) stretch.number = state.played + 1;
    else if (sum !== null) stretch.number = sum + 1;
    else if (!stretch.warmup) {
      begins ||= stretch.begins;
      const isEmpty =
        stretch.joined &&
        end === null &&
        stretch.freezeEndTick === null &&
        untilTick <= (stretches.at(-1)?.startTick ?? 0);
      if (isEmpty) continue;
      const next =
        previous === null || begins ? 1 : (previous.number ?? 0) + (previous.end !== null || !reportsEnds ? 1 : 0);
      stretch.number = next;
      previous = stretch;
      begins = false;
    }
  }
  return rules.length > 0 ? 'rules' : scores.length > 0 ? 'scores' : 'count';
}

/**
 * The round was over before the stretch began, and the next is yet to come: of a recording's first stretch the number
 * is the old one.
 */
function isAftermath({ joined, end }: Stretch, state: RulesState): boolean {
  return joined && end === null && state.decided;
}

function stateAt<T extends { readonly tick: number }>(states: readonly T[], tick: number): T | undefined {
  return states.findLast((state) => state.tick <= tick) ?? states[0];
}

/** The stretches that are rounds: no warm-up, nothing after the match, of each number the last take, no knife round. */
function countedStretches(stretches: readonly Stretch[], signs: readonly RoundSign[]): Stretch[] {
  const firstEnd = stretches.find(({ end }) => end !== null)?.end?.tick ?? Infinity;
  const over = signs.find((sign) => sign.tick >= firstEnd && isOver(sign))?.tick ?? Infinity;
  let counted: Stretch[] = [];
  for (const stretch of stretches) {
    const { number, warmup, startTick } = stretch;
    if (warmup || startTick > over) continue;
    // Once a warm-up is over even an emptied scoreboard may lag behind.
    if (number === null || number < 1) continue;
    counted = [...counted.filter((earlier) => (earlier.number ?? 0) < number), stretch];
  }
  const [first, second] = counted;
  const isKnife = first?.number === 1 && isBroke(first, signs) && (second === undefined || !isBroke(second, signs));
  return isKnife ? counted.slice(1) : counted;
}

function isOver(sign: RoundSign): boolean {
  return sign.kind === 'matchOver' || (sign.kind === 'rules' && sign.state.over);
}

/** Whether it is fought with knives: nobody has money, and no gun is heard. A deathmatch has no money either. */
function isBroke({ startTick, untilTick }: Stretch, signs: readonly RoundSign[]): boolean {
  const within = (wanted: RoundSign['kind']): boolean =>
    signs.some(({ kind, tick }) => kind === wanted && tick >= startTick && tick < untilTick);
  return within('broke') && !within('gunfire');
}
