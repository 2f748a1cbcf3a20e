import type { RoundEndReason, ScriptedRules, Team } from './scripted-match.ts';

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
