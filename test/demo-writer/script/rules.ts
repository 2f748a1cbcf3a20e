import type { RoundEndReason, ScriptedRules, Team } from './scripted-match.ts';

export interface MatchLength {
  readonly rounds: number;
  /** A match of more rounds is tied after so many, and goes on in overtimes. */
  readonly regular: number;
  /** Rounds of each overtime. */
  readonly overtime: number;
}

/** The least rounds of a match with a half-time. */
const HALVES_FROM_ROUNDS = 12;

/** Returns the rounds of the first half. */
export function firstHalf({ rounds, regular }: MatchLength): number {
  return Math.floor(Math.min(rounds, regular) / 2);
}

/** Returns the half that a round is in. Sides swap before a second half, and stay when an overtime begins. */
export function halfOf(length: MatchLength, number: number): Pick<ScriptedRules, 'phase' | 'overtime'> {
  const { rounds, regular, overtime } = length;
  const late = number - regular - 1;
  if (late >= 0) {
    const phase = late % overtime < overtime / 2 ? 'first half' : 'second half';
    return { phase, overtime: Math.floor(late / overtime) + 1 };
  }
  const isWhole = rounds < HALVES_FROM_ROUNDS && rounds <= regular;
  return { phase: isWhole || number <= firstHalf(length) ? 'first half' : 'second half', overtime: 0 };
}

/** Returns the side that must win a round, so that the match ends in its last one and not before; null if both may. */
export function dueWinner(length: MatchLength, number: number, { overtime, scores }: ScriptedRules): Team | null {
  const { rounds, regular } = length;
  if (rounds <= regular) return null;
  const tied = (regular + overtime * length.overtime) / 2;
  if (scores.T !== tied && scores.CT !== tied) return null;
  return (scores.T === tied) === (number === rounds) ? 'T' : 'CT';
}

/** Returns the rules at the start of a recording. */
export function initialRules(warmup: boolean): ScriptedRules {
  return {
    warmup,
    paused: false,
    freeze: false,
    bombPlanted: false,
    liveTick: 0,
    roundStarts: 0,
    roundEnds: 0,
    roundsPlayed: 0,
    phase: 'first half',
    overtime: 0,
    outcome: null,
    scores: { T: 0, CT: 0 },
  };
}

export function roundStarted(rules: ScriptedRules, liveTick: number): ScriptedRules {
  return {
    ...rules,
    freeze: true,
    bombPlanted: false,
    liveTick,
    roundStarts: rules.roundStarts + 1,
    outcome: null,
  };
}

/** A draw counts as a round played, for no team. */
export function roundEnded(rules: ScriptedRules, winner: Team | null, reason: RoundEndReason): ScriptedRules {
  return {
    ...rules,
    outcome: { winner, reason },
    roundEnds: rules.roundEnds + 1,
    roundsPlayed: rules.roundsPlayed + 1,
    scores: winner === null ? rules.scores : { ...rules.scores, [winner]: rules.scores[winner] + 1 },
  };
}

/** Sets the scoreboard of an earlier moment: an empty one is a restart, another one a loaded backup. */
export function scoresRestored(rules: ScriptedRules, scores: ScriptedRules['scores']): ScriptedRules {
  return { ...rules, scores, roundsPlayed: scores.T + scores.CT, outcome: null };
}

export function sidesSwapped(rules: ScriptedRules): ScriptedRules {
  return { ...rules, scores: { T: rules.scores.CT, CT: rules.scores.T } };
}
