import type { Round, Team } from './match.ts';

/** A stretch of play that may turn out to be a round, once the whole demo is known. */
export interface Span {
  readonly startTick: number;
  freezeEndTick: number | null;
  endTick: number | null;
  officialEndTick: number | null;
  winner: Team | null;
  /** Set by `finish`; null for what did not count (warm-up, a restarted or rolled back round). */
  number: number | null;
}

/** Follows the round events in demo order. Every method takes the tick of its event. */
export interface RoundTracker {
  warmupAnnounced(tick: number): void;
  /** `begin_new_match` or `warmup_end`: whatever was played before does not count. */
  matchBegun(tick: number): void;
  /** `round_announce_match_start`, sent in the first round: ends the warm-up, and what was before did not count. */
  matchStartAnnounced(tick: number): void;
  roundStarted(tick: number): void;
  freezeEnded(tick: number): void;
  roundEnded(tick: number, winner: Team | null, reason: number): void;
  roundOfficiallyEnded(tick: number): void;
  /** `cs_win_panel_match`: the match is over; a later start belongs to the server's next match. */
  matchEnded(): void;
  /** The span in which something that counts happens now, such as a kill; null during warm-up and after the match. */
  currentSpan(): Span | null;
  /** Whether the match began, or began anew, within the recording. */
  sawMatchStart(): boolean;
  /** Numbers the spans and returns the rounds that count. */
  finish(): readonly Round[];
}

/** `round_end` with this reason is the game commencing: the players are in, and the match restarts. */
const REASON_GAME_COMMENCING = 16;

/**
 * Finds the rounds that count. Demos begin anywhere (in the warm-up, amid a round) and games restart, so nothing is
 * numbered before the end. A span that never ended, in a demo that reports ends, was restarted or rolled back by an
 * admin: the round that was played in its stead takes its number. A demo without any round event is one round.
 */
export function createRoundTracker(firstTick: number): RoundTracker {
  let phase: 'live' | 'warmup' | 'over' = 'live';
  let spans: Span[] = [];
  let current: Span | null = null;
  let started = false;
  /** Since when play counts, where no round start says so. */
  let liveSince = firstTick;

  function open(startTick: number): Span {
    const span: Span = {
      startTick,
      freezeEndTick: null,
      endTick: null,
      officialEndTick: null,
      winner: null,
      number: null,
    };
    spans.push(span);
    current = span;
    return span;
  }

  /** The demo joins a round that is under way: it starts with the recording, as far as anybody can tell. */
  function joined(): Span | null {
    return phase === 'live' ? (current ?? open(liveSince)) : current;
  }

  /** A start in the very tick of the restart already belongs to the new match, whichever event is sent first. */
  function forgetBefore(tick: number): void {
    started = true;
    spans = spans.filter((span) => span.startTick >= tick);
    current = spans.at(-1) ?? null;
    liveSince = tick;
  }

  return {
    warmupAnnounced(tick) {
      if (phase === 'over') return;
      phase = 'warmup';
      spans = spans.filter((span) => span.startTick < tick);
      current = null;
    },

    matchBegun(tick) {
      if (phase === 'over') return;
      phase = 'live';
      forgetBefore(tick);
    },

    matchStartAnnounced(tick) {
      if (phase === 'over') return;
      if (phase === 'warmup') liveSince = tick;
      phase = 'live';
      // It is announced as the freeze time of the first round ends: the round under way is that first round.
      if (spans.some(hasEnded)) return;
      spans = current === null ? [] : [current];
      started = true;
    },

    roundStarted(tick) {
      if (phase !== 'live') current = null;
      else if (current?.startTick !== tick) open(tick);
    },

    freezeEnded(tick) {
      const span = joined();
      if (span === null || span.freezeEndTick === tick) return;
      const next = span.freezeEndTick === null && span.endTick === null ? span : open(tick);
      next.freezeEndTick = tick;
    },

    roundEnded(tick, winner, reason) {
      if (reason === REASON_GAME_COMMENCING) {
        if (phase === 'live') forgetBefore(tick + 1);
        return;
      }
      const span = joined();
      if (span === null || span.endTick === tick) return;
      const ended = span.endTick === null ? span : open(span.officialEndTick ?? span.endTick);
      ended.endTick = tick;
      ended.winner = winner;
    },

    roundOfficiallyEnded(tick) {
      const previous = current?.startTick === tick ? spans.at(-2) : current;
      if (previous) previous.officialEndTick ??= tick;
    },

    matchEnded() {
      phase = 'over';
    },

    currentSpan: joined,

    sawMatchStart: () => started,

    finish() {
      if (spans.length === 0 && phase === 'live') open(liveSince);
      const reportsEnds = spans.some(hasEnded);
      const counted = spans.filter((span, at) => !reportsEnds || hasEnded(span) || at === spans.length - 1);
      return counted.map((span, at): Round => {
        span.number = at + 1;
        const { number, startTick, freezeEndTick, endTick, officialEndTick, winner } = span;
        return { number, startTick, freezeEndTick, endTick, officialEndTick, winner };
      });
    },
  };
}

function hasEnded(span: Span): boolean {
  return span.endTick !== null || span.officialEndTick !== null;
}
