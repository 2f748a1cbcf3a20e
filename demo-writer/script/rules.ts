import type { RoundEndReason, RulesState, Team } from './scripted-match.ts';

/** The rules' state as a recording starts. */
export function initialRules(warmup: boolean): RulesState {
  return {
    warmup,
    freeze: false,
    bombPlanted: false,
    roundStartTick: 0,
    roundStarts: 0,
    roundEnds: 0,
    roundsPlayed: 0,
    outcome: null,
    scores: { T: 0, CT: 0 },
  };
}

export function roundStarted(rules: RulesState, tick: number): RulesState {
  return {
    ...rules,
    freeze: true,
    bombPlanted: false,
    roundStartTick: tick,
    roundStarts: rules.roundStarts + 1,
    outcome: null,
  };
}

export function roundEnded(rules: RulesState, winner: Team, reason: RoundEndReason): RulesState {
  return {
    ...rules,
    outcome: { winner, reason },
    roundEnds: rules.roundEnds + 1,
    roundsPlayed: rules.roundsPlayed + 1,
    scores: { ...rules.scores, [winner]: rules.scores[winner] + 1 },
  };
}

export function sidesSwapped(rules: RulesState): RulesState {
  return { ...rules, scores: { T: rules.scores.CT, CT: rules.scores.T } };
}

/** Team numbers as events and entities have them. */
export const TEAM_NUMBER: Readonly<Record<Team, number>> = { T: 2, CT: 3 };
