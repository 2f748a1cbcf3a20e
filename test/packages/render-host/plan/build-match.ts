import type { PlannableKill, PlanResult } from '#domain/clip/plan/match.ts';
import { planSelection } from '#domain/clip/plan/plan-selection.ts';
import type { KillSelection, Selection, TimelineSelection } from '#domain/clip/render-order.ts';
import { demoMatch, HostInspection } from '#protocol/demo/demos.ts';
import { plannableDemo } from '#protocol/demo/plan.ts';
import { demoView } from '#render-host/match/demo-view.ts';
import { inspectMatch } from '#render-host/match/inspect-match.ts';
import type { Kill, Match, Round } from '#render-host/match/match.ts';
import { plannableMatch } from '#render-host/plan/plan-shots.ts';
import { PLAIN_KILLS } from '#test/support/plain-order.ts';

export const ANNA = '76561198000000001';
export const BORIS = '76561198000000002';
export const CLEO = '76561198000000003';

/**
 * Creates a match of three players, Anna and Cleo (T) against Boris (CT), over 20,000 ticks without rounds or kills.
 */
export function buildMatch(overrides: Partial<Match> = {}): Match {
  const player = (steamId: string, name: string, userId: number) => ({
    steamId,
    name,
    userId,
    isBot: false,
    seats: [],
  });
  return {
    gamePatch: null,
    build: null,
    complete: true,
    recorder: null,
    gaps: [],
    otherParts: [],
    clocks: [],
    roundEvidence: { starts: [], ends: [], numbers: [] },
    map: 'de_test',
    tickRate: 64,
    firstTick: 1,
    lastTick: 20_000,
    players: [player(ANNA, 'Anna', 0), player(BORIS, 'Boris', 1), player(CLEO, 'Cleo', 2)],
    rounds: [],
    kills: [],
    hurts: [],
    weaponFires: [],
    reloads: [],
    blindings: [],
    bombActions: [],
    outfits: [],
    flights: [],
    bombPlaces: [],
    sights: [],
    effects: [],
    tracks: {
      firstTick: 1,
      length: 0,
      x: new Float32Array(),
      y: new Float32Array(),
      z: new Float32Array(),
      yaw: new Float32Array(),
      pitch: new Float32Array(),
      health: new Uint8Array(),
      flags: new Uint8Array(),
    },
    ...overrides,
  };
}

export function buildRound(overrides: Partial<Round> & Pick<Round, 'number' | 'startTick'>): Round {
  return {
    freezeEndTick: null,
    endTick: null,
    officialEndTick: null,
    winner: null,
    reason: null,
    score: null,
    ...overrides,
  };
}

/** Anna kills Boris in round 1. */
export function buildKill(overrides: Partial<Kill> & Pick<Kill, 'tick'>): Kill {
  return {
    attacker: 0,
    victim: 1,
    assister: null,
    attackerTeam: 'T',
    victimTeam: 'CT',
    weapon: 'ak47',
    headshot: false,
    wallbang: false,
    noScope: false,
    throughSmoke: false,
    attackerBlind: false,
    round: 1,
    ...overrides,
  };
}

/** Anna's kills in the whole demo, 3 s before to 2 s after each. */
export function killSelection(overrides: Partial<KillSelection> = {}): KillSelection {
  return { ...PLAIN_KILLS, steam64Id: ANNA, round: null, preKillPadding: 3, postKillPadding: 2, ...overrides };
}

export function timeline(...segments: readonly [string, number, number][]): TimelineSelection {
  return {
    mode: 'timeline',
    killSlowdown: null,
    segments: segments.map(([steam64Id, startTick, endTick]) => ({ steam64Id, startTick, endTick, speed: 1 })),
  };
}

/**
 * Plans as a host does, by the planner of the checkout that the tests are in: the host's own import would find the
 * installed workspace, which mutation testing does not change.
 */
export function planShots(match: Match, selection: Selection): PlanResult<Kill> {
  return planSelection(plannableMatch(match), selection);
}

/** A plan by the match itself and one by what a host reports of it: equal ones show the same. */
export function bothPlans(match: Match, selection: Selection): [ofHost: object, ofInspection: object] {
  const reported = HostInspection.parse(JSON.parse(JSON.stringify(demoView(inspectMatch(match)))));
  const demo = demoMatch(reported, 'https://demos.example.com/a.dem');
  return [shown(planShots(match, selection)), shown(planSelection(plannableDemo(demo), selection))];
}

/** An inspection has only the kills that count. */
function shown(plan: PlanResult<PlannableKill>): object {
  if (!plan.ok) return { code: plan.code, facts: plan.facts };
  return plan.shots.map(({ kills, ...shot }) => {
    return { ...shot, kills: kills.flatMap(({ tick, round }) => (round === null ? [] : [tick])) };
  });
}
