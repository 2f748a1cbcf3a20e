const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** Formats a duration: `4 min`. */
export function span(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 2 * MINUTE_S) return `${s} s`;
  if (s < 2 * HOUR_S) return `${Math.round(s / MINUTE_S)} min`;
  return s < 2 * DAY_S ? `${Math.round(s / HOUR_S)} h` : `${Math.round(s / DAY_S)} d`;
}
