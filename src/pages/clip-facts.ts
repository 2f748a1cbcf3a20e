import type { Clip } from '../../domain/clip.ts';
import { cleanTitle, readTitle } from './title-parts.ts';

/** What there is to say of a clip, in words. */
export function clipFacts(clip: Clip) {
  const title = cleanTitle(clip.title);
  const parts = readTitle(title);
  const length = clip.durationSeconds > 0 ? lengthText(clip.durationSeconds) : null;
  const picture = `${clip.resolution}p, ${clip.fps} fps`;
  return {
    title,
    headline: parts?.headline ?? title,
    players: parts?.players ?? null,
    map: parts?.map ?? null,
    round: parts?.round ?? null,
    length,
    picture,
    date: new Date(clip.createdAt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
    isoDate: new Date(clip.createdAt).toISOString(),
    description: [parts ? `${parts.players} on ${parts.map}` : 'A clip', length, picture].filter(Boolean).join(' · '),
  };
}

/** `12.4 seconds`, or `1 min 23 s`. */
function lengthText(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))} seconds`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
