const KINDS = ['ready', 'seeked', 'slipped', 'aimed', 'recording', 'recorded', 'clear'] as const;

/** Where a recording is, as the game's console tells it. */
export type Marker =
  /**
   * Of one take, named by its id: the demo plays, the seek is over, playback went on though it was paused, the camera
   * is set, the recorder runs, it has stopped, the take is over.
   */
  | { readonly kind: (typeof KINDS)[number]; readonly take: string }
  | { readonly kind: 'tick'; readonly take: string; readonly tick: number };

/**
 * The words that the game is told to echo, and how they are known again. They carry the session's own letters, for a
 * console repeats old output; and a line that repeats the command (`echo …`) is not the echo.
 */
export interface Markers {
  /** The console command that says a marker. */
  say(marker: Marker): string;
  /** The marker that a console line says; null for any other line. */
  heard(line: string): Marker | null;
}

/** `session` is lower-case letters and digits. */
export function createMarkers(session: string): Markers {
  const prefix = `tickreel.${session}.`;
  const pattern = new RegExp(`(?:^|\\s)tickreel\\.${session}\\.([a-z]+)(?:\\.([0-9a-z]+))?(?:\\.([0-9]+))?\\s*$`);
  return {
    say(marker) {
      const words = [marker.kind, marker.take, ...(marker.kind === 'tick' ? [marker.tick] : [])];
      return `echo ${prefix}${words.join('.')}`;
    },
    heard(line) {
      const found = pattern.exec(line);
      if (found === null || line.includes(`echo ${prefix}`)) return null;
      const [, kind = '', take = '', tick = ''] = found;
      if (kind === 'tick') return { kind, take, tick: Number(tick) };
      const known = KINDS.find((one) => one === kind);
      return known === undefined ? null : { kind: known, take };
    },
  };
}
