import type { TickSpan } from '#domain/clip/plan/match.ts';
import type { SceneMatch } from '#scene/match/match.ts';
import { type PlayerState, playerAt } from '#scene/match/player-state.ts';
import type { Playable } from '../parts/keys.ts';

/** The events of players that others listen to. */
const EVENTS = ['play', 'pause', 'ended', 'seeked', 'timeupdate', 'progress', 'error'];

/** Several players, one of which is shown. */
export interface ShownPlayer {
  /** The shown player: it has the properties and methods of that one, and its events. */
  readonly player: Playable;
  /** Shows a player at a second. It plays if the one before did. */
  show(player: Playable, second: number): void;
}

export function createShownPlayer(first: Playable): ShownPlayer {
  let shown = first;
  const events = new EventTarget();
  const known = new Set<Playable>();
  const forward = (from: Playable) => {
    if (known.has(from)) return;
    known.add(from);
    for (const name of EVENTS) {
      from.addEventListener(name, () => {
        if (from === shown) events.dispatchEvent(new Event(name));
      });
    }
  };
  forward(first);
  const player = new Proxy(first, {
    get(_, name) {
      const of: object = name === 'addEventListener' ? events : shown;
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
    set: (_, name, value) => Reflect.set(shown, name, value, shown),
  });
  return {
    player,
    show(next, second) {
      const isPlaying = !shown.paused;
      shown.pause();
      shown = next;
      forward(next);
      next.currentTime = Math.max(0, second);
      // A browser may refuse sound until somebody has touched the page.
      const playMuted = () => {
        next.muted = true;
        return next.play();
      };
      if (isPlaying)
        next
          .play()
          .catch(playMuted)
          .catch(() => {});
    },
  };
}

/**
 * Returns the player through whom a span is seen: the followed one while they live in it, else the one who killed them,
 * a team mate, or anybody who lives, as for a spectator in the game.
 */
export function viewerOf(match: SceneMatch, followed: number, { startTick, endTick }: TickSpan): number {
  const middle = (startTick + endTick) / 2;
  const livesIn = (player: number): boolean =>
    [startTick, middle, endTick].some((tick) => playerAt(match, player, tick)?.alive === true);
  if (livesIn(followed)) return followed;
  const team: PlayerState['team'] = playerAt(match, followed, startTick)?.team ?? null;
  const killer =
    match.kills.findLast(({ victim, tick }) => victim === followed && tick < endTick)?.attacker ?? followed;
  const mate = match.players.findIndex(
    (_, player) => livesIn(player) && playerAt(match, player, startTick)?.team === team,
  );
  const anybody = match.players.findIndex((_, player) => livesIn(player));
  return [killer, mate, anybody].find((player) => player >= 0 && livesIn(player)) ?? followed;
}
