const KINDS = ['ready', 'seeked', 'slipped', 'aimed', 'recording', 'recorded', 'clear'] as const;

/** A line that the game echoes to show how far a recording is. */
export type Marker =
  /**
   * Markers of one take, by its id: the demo plays, the seek has ended, playback continued although it was paused, the
   * camera is set, the recorder runs, it has stopped, the take has ended.
   */
  | { readonly kind: (typeof KINDS)[number]; readonly take: string }
  | { readonly kind: 'tick'; readonly take: string; readonly tick: number };

/**
 * Writes and recognizes markers. They contain letters of the session, because a console repeats old output. A line that
 * repeats the command (`echo …`) is not the echo.
 */
export interface Markers {
  /** Returns the console command that echoes a marker. */
  commandFor(marker: Marker): string;
  /** Returns the marker of a console line, or null. */
  parse(line: string): Marker | null;
}

/** `session` has lower-case letters and digits. */
export function createMarkers(session: string): Markers {
  const prefix = `tickreel.${session}.`;
  const pattern = new RegExp(`(?:^|\\s)tickreel\\.${session}\\.([a-z]+)(?:\\.([0-9a-z]+))?(?:\\.([0-9]+))?\\s*$`);
  return {
    commandFor(marker) {
      const words = [marker.kind, marker.take, ...(marker.kind === 'tick' ? [marker.tick] : [])];
      return `echo ${prefix}${words.join('.')}`;
    },
    parse(line) {
      const found = pattern.exec(line);
      if (found === null || line.includes(`echo ${prefix}`)) return null;
      const [, kind = '', take = '', tick = ''] = found;
      if (kind === 'tick') return { kind, take, tick: Number(tick) };
      const known = KINDS.find((one) => one === kind);
      return known === undefined ? null : { kind: known, take };
    },
  };
}
