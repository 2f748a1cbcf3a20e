import type { TickSpan } from '#domain/plan/plannable-match.ts';
import type { Entities } from '../source2/entities.ts';
import { isEverybodyBroke, sampleRules, sampleScores } from './entity-sampler.ts';
import type { GameEvent } from './game-events.ts';
import type { RoundClock } from './match.ts';
import { RejectedDemo } from './rejected-demo.ts';
import { type RoundSign, type RulesState, teamOf } from './round-sign.ts';

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
