import type { OtherPart } from '#domain/clip/plan/match.ts';
import type { Match, PlayerIndex, Round, RoundSource, Team } from './match.ts';
import { endReasonOf, type RoundSign, type RulesState } from './round-sign.ts';
import { type EndMark, lastingScores, marksOf, type RoundMark } from './round-signs.ts';

export interface RoundReading {
  readonly rounds: readonly Round[];
  readonly otherParts: readonly OtherPart[];
  readonly evidence: Match['roundEvidence'];
  /** Ticks at which a round began, including those that do not count, because the map is cleared then. */
  readonly starts: readonly number[];
  /** Returns the number of the match's round at a tick; null at others, such as in a warm-up or a replayed round. */
  roundAt(tick: number): number | null;
}

/** A span of play that may be a round. */
interface Stretch {
  readonly startTick: number;
  /** Whether its start is not a round's: the recording begins there, or the warm-up ends. */
  joined: boolean;
  source: RoundSource;
  warmup: boolean;
  /** Whether the match begins with it, so that nothing before counts. */
  begins: boolean;
  freezeEndTick: number | null;
  end: EndMark | null;
  officialEndTick: number | null;
  /** The start of the next stretch, or the tick after the last. */
  untilTick: number;
  number: number | null;
  /** The rules if the recording starts after the end of a round. */
  aftermath: RulesState | null;
  /** What the teams, by their side now, had scored before the scoreboard was reset. */
  carried: Scores;
}

type Scores = Readonly<Record<Team, number>>;
/** Returns the side of each player of the match at a tick; null for one who is not there. */
type SidesAt = (tick: number) => ReadonlyMap<PlayerIndex, Team | null>;

/** The announcement takes longer than the scores take to follow. */
const SCORE_LAG_TICKS = 128;

/**
 * Turns the signs of a demo into rounds. Demos begin anywhere, games restart, and administrators load backups. So
 * numbers are read, not counted, if the rules or the scores have them, and the last take of a number counts.
 *
 * A reset of the scoreboard begins a new part, unless most of the players have changed sides: then it is the second
 * half. The part with most decided rounds is the match.
 */
export function readRounds(
  signs: readonly RoundSign[],
  firstTick: number,
  lastTick: number,
  sidesAt: SidesAt = () => new Map(),
): RoundReading {
  const marks = marksOf(signs);
  const stretches = split(marks, firstTick, lastTick);
  const numbers = numberStretches(stretches, signs, marks);
  const scores = lastingScores(signs);
  const scoreOf = ({ startTick, end, aftermath, carried }: Stretch): Scores | null => {
    const shown = (end ?? aftermath) === null ? null : scoreOnceDecided(scores, end?.tick ?? startTick);
    return shown && { T: shown.T + carried.T, CT: shown.CT + carried.CT };
  };
  const parts = joinHalves(playsOf(stretches, signs), signs, sidesAt, scoreOf);
  const played = parts.filter((part) => part.some(isDecided) && !isOfKnives(part, signs));
  const match = played.reduce((most, part) => (decidedIn(part) >= decidedIn(most) ? part : most), played[0] ?? []);
  const counted = withoutKnives(played.length > 0 ? match : (parts.at(-1) ?? []), signs);
  const rounds = counted.map((stretch): Round => {
    const { startTick, freezeEndTick, end, officialEndTick, untilTick } = stretch;
    const outcome = end ?? stretch.aftermath;
    const over = untilTick <= lastTick ? untilTick : null;
    return {
      number: stretch.number ?? 0,
      startTick,
      freezeEndTick,
      endTick: end?.tick ?? null,
      officialEndTick: officialEndTick ?? (outcome === null ? null : over),
      winner: outcome?.winner ?? null,
      reason: outcome === null ? null : endReasonOf(outcome.reason),
      score: scoreOf(stretch),
    };
  });
  const otherParts = played.flatMap((part): OtherPart[] => {
    const [first, last] = [part[0], part.at(-1)];
    if (part === match || first === undefined || last === undefined) return [];
    const sides = part.flatMap((stretch) => [...sidesAt(lateTick(stretch))]);
    return [
      {
        startTick: first.startTick,
        endTick: last.untilTick,
        rounds: decidedIn(part),
        players: [...new Set(sides.flatMap(([player, side]) => (side === null ? [] : [player])))],
      },
    ];
  });
  const sourcesOf = (kind: RoundMark['kind']) => [
    ...new Set(marks.filter((one) => one.kind === kind).map(({ source }) => source)),
  ];
  return {
    rounds,
    otherParts,
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
 * Returns the score after a round. It may follow some ticks later. If the sides swap soon after, it is the score before
 * the swap.
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
      carried: { T: 0, CT: 0 },
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
        // The announcement comes as the freeze time of the first round ends, so the current round is the first.
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

/** Gives each stretch the number that the scoreboard showed, and returns the source of the numbers. */
function numberStretches(stretches: Stretch[], signs: readonly RoundSign[], marks: readonly RoundMark[]): RoundSource {
  const rules = signs.filter((sign) => sign.kind === 'rules');
  const scores = lastingScores(signs);
  const reportsEnds = marks.some(({ kind }) => kind === 'end');
  let previous: Stretch | null = null;
  let begins = false;
  for (const stretch of stretches) {
    const { startTick, end, untilTick } = stretch;
    // Just before the end: a count that rises with the end of a round, or with the next start, has not risen yet.
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
 * Whether the round ended before the stretch began, and the next has not started. Then the number of a recording's
 * first stretch is the old one.
 */
function isAftermath({ joined, end }: Stretch, state: RulesState): boolean {
  return joined && end === null && state.decided;
}

function stateAt<T extends { readonly tick: number }>(states: readonly T[], tick: number): T | undefined {
  return states.findLast((state) => state.tick <= tick) ?? states[0];
}

/** Rounds from one empty scoreboard to the next. */
interface Play {
  readonly stretches: readonly Stretch[];
  /** Whether the match before had ended. */
  readonly isAfterEnd: boolean;
}

/** Returns the stretches that are rounds: no warm-up, nothing after a match, the last take of each number. */
function playsOf(stretches: readonly Stretch[], signs: readonly RoundSign[]): Play[] {
  const overAfter = (tick: number): number => {
    const firstEnd = stretches.find(({ startTick, end }) => startTick >= tick && end !== null)?.end?.tick ?? Infinity;
    return signs.find((sign) => sign.tick >= firstEnd && isOver(sign))?.tick ?? Infinity;
  };
  const plays: Play[] = [];
  let current: Stretch[] = [];
  let isAfterEnd = false;
  let over = overAfter(0);
  for (const stretch of stretches) {
    const { number, warmup, startTick } = stretch;
    // After a warm-up, even an emptied scoreboard may come late.
    if (warmup || number === null || number < 1) continue;
    if (number === 1 && current.some(isDecided)) {
      plays.push({ stretches: current, isAfterEnd });
      isAfterEnd = startTick > over;
      over = overAfter(startTick);
      current = [];
    } else if (startTick > over) continue;
    current = [...current.filter((earlier) => (earlier.number ?? 0) < number), stretch];
  }
  return [...plays, { stretches: current, isAfterEnd }];
}

/** Joins plays of the same players on changed sides. Their numbers and scores go on, except after a knife round. */
function joinHalves(
  plays: readonly Play[],
  signs: readonly RoundSign[],
  sidesAt: SidesAt,
  scoreOf: (stretch: Stretch) => Scores | null,
): Stretch[][] {
  const parts: Stretch[][] = [];
  for (const { stretches, isAfterEnd } of plays) {
    const part = parts.at(-1) ?? [];
    const before = part.findLast(isDecided);
    const next = stretches.find(isDecided) ?? (isAfterEnd ? undefined : stretches.at(-1));
    const goesOn =
      before !== undefined &&
      next !== undefined &&
      haveSwapped(sidesAt(lateTick(before)), sidesAt(lateTick(next))) &&
      !isOfKnives(part, signs);
    if (!goesOn) {
      parts.push([...stretches]);
      continue;
    }
    const { T, CT } = scoreOf(before) ?? { T: 0, CT: 0 };
    for (const stretch of stretches) {
      stretch.number = (stretch.number ?? 0) + (before.number ?? 0);
      stretch.carried = { T: CT, CT: T };
    }
    parts[parts.length - 1] = [...part.filter(({ startTick }) => startTick <= before.startTick), ...stretches];
  }
  return parts;
}

/** Whether more than half of all who were there before or after changed sides. */
function haveSwapped(before: ReturnType<SidesAt>, after: ReturnType<SidesAt>): boolean {
  const all = [...before].map(([player, was]) => [was, after.get(player) ?? null]);
  const there = all.filter(([was, is]) => was !== null || is !== null);
  const changed = there.filter(([was, is]) => was !== is && was !== null && is !== null);
  return changed.length > there.length / 2;
}

function isDecided({ end }: Stretch): boolean {
  return end !== null;
}

function decidedIn(part: readonly Stretch[]): number {
  return part.filter(isDecided).length;
}

/** Returns a tick at which the players of a round have their sides. */
function lateTick({ end, untilTick }: Stretch): number {
  return end?.tick ?? untilTick - 1;
}

function isOfKnives(part: readonly Stretch[], signs: readonly RoundSign[]): boolean {
  return part.filter(isDecided).every((stretch) => isBroke(stretch, signs));
}

/** Leaves out a knife round that the match begins with. */
function withoutKnives(part: readonly Stretch[], signs: readonly RoundSign[]): readonly Stretch[] {
  const [first, second] = part;
  const isKnife = first?.number === 1 && isBroke(first, signs) && (second === undefined || !isBroke(second, signs));
  return isKnife ? part.slice(1) : part;
}

function isOver(sign: RoundSign): boolean {
  return sign.kind === 'matchOver' || (sign.kind === 'rules' && sign.state.over);
}

/** Whether players fight with knives: they have no money, and no gun is fired. A deathmatch has no money either. */
function isBroke({ startTick, untilTick }: Stretch, signs: readonly RoundSign[]): boolean {
  const within = (wanted: RoundSign['kind']): boolean =>
    signs.some(({ kind, tick }) => kind === wanted && tick >= startTick && tick < untilTick);
  return within('broke') && !within('gunfire');
}
