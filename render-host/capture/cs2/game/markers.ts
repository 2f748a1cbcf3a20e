/** Where a recording is, as the game's console tells it. */
export type Marker =
  | { readonly kind: 'ready' }
  /** Of one take, named by its id: the seek is over, the camera is set, the recorder runs, it has stopped, go on. */
  | { readonly kind: 'seeked' | 'aimed' | 'recording' | 'recorded' | 'clear'; readonly take: string }
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
      const words = [
        marker.kind,
        ...('take' in marker ? [marker.take] : []),
        ...('tick' in marker ? [marker.tick] : []),
      ];
      return `echo ${prefix}${words.join('.')}`;
    },
    heard(line) {
      const found = pattern.exec(line);
      if (found === null || line.includes(`echo ${prefix}`)) return null;
      const [, kind = '', take = '', tick = ''] = found;
      switch (kind) {
        case 'ready':
          return { kind };
        case 'seeked':
        case 'aimed':
        case 'recording':
        case 'recorded':
        case 'clear':
          return { kind, take };
        case 'tick':
          return { kind, take, tick: Number(tick) };
        default:
          return null;
      }
    },
  };
}
