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
