/** What a clip's title says, taken apart for the page. */
export interface TitleParts {
  /** `3 kills by Ferris`. */
  readonly headline: string;
  readonly players: string;
  /** As people say it: `Mirage` for `de_mirage`. */
  readonly map: string;
  readonly round: number | null;
}

/** As render hosts write titles. Names may hold anything, ` on ` too, so the last one counts. */
const TITLE = /^(?<headline>(?:\d+ kills? by )?(?<players>.+)) on (?<map>[a-z0-9_]+)(?:, round (?<round>\d+))?$/u;

/** A title made ready for people: one line, without control characters and marks that turn the text around. */
export function cleanTitle(title: string): string {
  const clean = title.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}\s]+/gu, ' ');
  return clean.trim() || 'Clip';
}

/** Null for a title of another make. */
export function readTitle(title: string): TitleParts | null {
  const groups = TITLE.exec(title)?.groups;
  if (!groups) return null;
  const { headline = '', players = '', map = '', round } = groups;
  return { headline, players, map: mapName(map), round: round === undefined ? null : Number(round) };
}

function mapName(map: string): string {
  const words = map.replace(/^(de|cs|ar|dz|gd|training)_/, '').split('_');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}
