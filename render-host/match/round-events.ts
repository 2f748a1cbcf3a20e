import type { GameEvent } from './game-events.ts';
import type { Team } from './match.ts';
import type { RoundTracker } from './round-tracker.ts';

type Handler = (rounds: RoundTracker, tick: number, event: GameEvent) => void;

const HANDLERS: Readonly<Record<string, Handler>> = {
  round_announce_warmup: (rounds, tick) => rounds.warmupAnnounced(tick),
  warmup_end: (rounds, tick) => rounds.matchBegun(tick),
  begin_new_match: (rounds, tick) => rounds.matchBegun(tick),
  round_announce_match_start: (rounds, tick) => rounds.matchStartAnnounced(tick),
  round_start: (rounds, tick) => rounds.roundStarted(tick),
  round_freeze_end: (rounds, tick) => rounds.freezeEnded(tick),
  round_end: (rounds, tick, event) => rounds.roundEnded(tick, winnerOf(event), event.number('reason')),
  round_officially_ended: (rounds, tick) => rounds.roundOfficiallyEnded(tick),
  cs_win_panel_match: (rounds) => rounds.matchEnded(),
};

export const ROUND_EVENTS: readonly string[] = Object.keys(HANDLERS);

/** Tells the tracker of a game event, if it is one about rounds. */
export function trackRounds(rounds: RoundTracker, tick: number, event: GameEvent): void {
  HANDLERS[event.name]?.(rounds, tick, event);
}

function winnerOf(event: GameEvent): Team | null {
  const winner = event.number('winner');
  return winner === 2 ? 'T' : winner === 3 ? 'CT' : null;
}
