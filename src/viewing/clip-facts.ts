import { type ClipFacts, clipHeadline, playerList } from '#domain/clip/clip-title.ts';
import { mapName } from '#domain/clip/names.ts';
import type { PublicClip } from '#domain/job/public-record.ts';
import { TEST_MARK } from '#domain/job/test-end.ts';
import { cleanLine } from '#domain/lib/text.ts';
import type { Settings } from '#platform/settings.ts';
import { clipUrls } from '#protocol/lib/routes.ts';
import { type Html, html } from '#src/page/html.ts';

/** Facts of a clip as text for people; null for unknown facts. */
export interface ClipText {
  readonly title: string;
  readonly headline: string;
  readonly players: string | null;
  readonly map: string | null;
  /** What the map in the picture is drawn from; null for a picture of the map, and for the game. */
  readonly drawn: string | null;
  readonly round: number | null;
  readonly length: string | null;
  /** The line for a clip that the radar made; null for the game. */
  readonly drawing: string | null;
  readonly picture: string;
  readonly date: string;
  readonly isoDate: string;
  readonly description: string;
}

export function clipTextOf(clip: PublicClip): ClipText {
  const title = cleanTitle(clip.title);
  const shown = clip.facts && cleanFacts(clip.facts);
  const players = shown ? playerList(shown.players) : null;
  const map = shown ? mapName(shown.map) : null;
  const length = clip.durationSeconds > 0 ? lengthText(clip.durationSeconds) : null;
  const mark = clip.isTest ? TEST_MARK : '';
  const filmed = shown?.filmed_height && `scaled up from ${shown.filmed_height} lines`;
  const picture = [`${clip.resolution}p`, clip.aspect, `${clip.fps} fps`, filmed].filter(Boolean).join(', ');
  return {
    title,
    // If the host reported no facts, the title has them all.
    headline: shown ? mark + clipHeadline(shown) : title,
    players,
    map,
    drawn: shown?.floor === 'movement' ? 'drawn from the players’ movement' : null,
    round: shown?.round ?? null,
    length,
    drawing: clip.renderer === 'radar' ? 'Drawn from the recording, seen from above' : null,
    picture,
    date: new Date(clip.createdAt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
    isoDate: new Date(clip.createdAt).toISOString(),
    description: [shown ? `${mark}${players} on ${map}` : title, length, picture].filter(Boolean).join(' · '),
  };
}

/** Removes control characters from a title. */
export function cleanTitle(title: string): string {
  return cleanLine(title) || 'Clip';
}

/** Cleans names. They come from demos, and a host reports them as they are. */
function cleanFacts(facts: ClipFacts): ClipFacts {
  const clean = (names: readonly string[]) => names.map((name) => cleanLine(name) || 'a player');
  const { players, killers, map } = facts;
  return { ...facts, players: clean(players), killers: killers && clean(killers), map: cleanLine(map) };
}

/** `12.4 seconds`, or `1 min 23 s`. */
function lengthText(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))} seconds`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/**
 * Returns the link with which a viewer reports a clip to the operator's address. The address gets the clip's page, as a
 * mail's subject or as `clip`. Without `ABUSE_URL` there is no link.
 */
export function reportLink({ abuseUrl, baseUrl }: Pick<Settings, 'abuseUrl' | 'baseUrl'>, id: string): Html | '' {
  if (abuseUrl === null) return '';
  const url = new URL(abuseUrl);
  url.searchParams.set(url.protocol === 'mailto:' ? 'subject' : 'clip', clipUrls(baseUrl, id).page);
  return html`<a class="report" href="${url.href}" target="_blank" rel="noopener nofollow" aria-label="Report this clip">Report<span> this clip</span></a>`;
}
