import { type EventName, NOBODY, type ScriptedEvent } from './game-events.ts';
import type { RoundEndReason, ScriptedMatch, Team } from './scripted-match.ts';

export interface TrueKill {
  readonly tick: number;
  /** Players by userid; null is the world. */
  readonly attacker: number | null;
  readonly victim: number;
  readonly assister: number | null;
  readonly weapon: string;
  readonly headshot: boolean;
  readonly wallbang: boolean;
  readonly noScope: boolean;
  readonly throughSmoke: boolean;
  readonly attackerBlind: boolean;
  readonly warmup: boolean;
}

export interface TrueRound {
  readonly startTick: number;
  freezeEndTick: number | null;
  endTick: number | null;
  officialEndTick: number | null;
  winner: Team | null;
  reason: RoundEndReason | null;
  score: Readonly<Record<Team, number>> | null;
}

/** What happens in a match, for comparison with what a reader finds. */
export interface Truth {
  readonly lastTick: number;
  readonly kills: readonly TrueKill[];
  readonly rounds: readonly TrueRound[];
  readonly eventCounts: ReadonlyMap<EventName, number>;
}

/** Returns what happens in a match, by playing it once. */
export function truthOf(match: ScriptedMatch): Truth {
  const kills: TrueKill[] = [];
  const rounds: TrueRound[] = [];
  const eventCounts = new Map<EventName, number>();
  let lastTick = 0;
  for (const { tick, events, rules } of match.frames()) {
    lastTick = tick;
    for (const event of events) {
      eventCounts.set(event.name, (eventCounts.get(event.name) ?? 0) + 1);
      if (event.name === 'player_death') kills.push(trueKill(event, tick, rules.warmup));
      noteRound(rounds, event, tick);
      const round = rounds.at(-1);
      if (event.name === 'round_end' && round !== undefined && rules.outcome !== null) {
        round.winner = rules.outcome.winner;
        round.reason = rules.outcome.reason;
        round.score = rules.scores;
      }
    }
  }
  return { lastTick, kills, rounds, eventCounts };
}

function noteRound(rounds: TrueRound[], event: ScriptedEvent, tick: number): void {
  if (event.name === 'round_start') {
    const open = { freezeEndTick: null, endTick: null, officialEndTick: null, winner: null, reason: null, score: null };
    rounds.push({ startTick: tick, ...open });
  }
  const round = rounds.at(-1);
  if (round === undefined) return;
  if (event.name === 'round_freeze_end') round.freezeEndTick = tick;
  if (event.name === 'round_end') round.endTick = tick;
  if (event.name === 'round_officially_ended') round.officialEndTick = tick;
}

function trueKill({ values }: ScriptedEvent & { name: 'player_death' }, tick: number, warmup: boolean): TrueKill {
  const player = (userId: number | undefined): number | null =>
    userId === undefined || userId === NOBODY ? null : userId;
  return {
    tick,
    attacker: player(values.attacker),
    victim: values.userid ?? NOBODY,
    assister: player(values.assister),
    weapon: values.weapon ?? '',
    headshot: values.headshot ?? false,
    wallbang: (values.penetrated ?? 0) > 0,
    noScope: values.noscope ?? false,
    throughSmoke: values.thrusmoke ?? false,
    attackerBlind: values.attackerblind ?? false,
    warmup,
  };
}
