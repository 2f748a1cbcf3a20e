import type { PlayerNames } from './names.ts';

/** Accepted lengths of the shorter side of a picture in pixels: the height at 16:9. */
export const RESOLUTIONS = [1080, 1440] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** Shapes of a picture, width to height. An absent aspect means 16:9. */
export const ASPECTS = ['16:9', '9:16', '1:1', '4:5'] as const;
export type Aspect = (typeof ASPECTS)[number];

export interface Size {
  readonly width: number;
  readonly height: number;
}

const ratioOf = (aspect: Aspect): number => {
  const [across = 1, down = 1] = aspect.split(':').map(Number);
  return across / down;
};

/** Returns the size in even pixels of a picture by its shorter side. */
export function sizeOf(shorter: number, aspect: Aspect = '16:9'): Size {
  const ratio = ratioOf(aspect);
  const longer = 2 * Math.round((shorter * Math.max(ratio, 1 / ratio)) / 2);
  return ratio < 1 ? { width: shorter, height: longer } : { width: longer, height: shorter };
}

/** Returns the shape that a picture has, or is nearest to. */
export function aspectOf({ width, height }: Size): Aspect {
  const off = (aspect: Aspect): number => Math.abs(Math.log(width / height / ratioOf(aspect)));
  return ASPECTS.reduce((best, aspect) => (off(aspect) < off(best) ? aspect : best));
}

/** The diameter of the play button in the middle of a thumbnail, as a part of the width: at most, for viewers. */
export const PLAY_BUTTON = 0.14;

/** Returns the size of a clip's thumbnail. */
export const thumbnailSize = (aspect?: Aspect): Size => sizeOf(720, aspect);

/** The least and the most frames a second. */
export const FPS = { least: 5, most: 120 } as const;

/** Defaults of a request. Paddings are in seconds. */
export const DEFAULTS = {
  fps: 30,
  resolution: 1080,
  preKillPadding: 3,
  postKillPadding: 2,
  cardSeconds: 3,
  xray: '0',
  onlyDeathnotices: '1',
  thumbnailStyle: 'full',
} as const;

/** What a render host has to make: a request with every default applied (contract 4.1). */
export interface RenderOrder extends AssetOptions {
  /** http(s) URL of the demo or of an archive that holds it. */
  readonly demoUrl: string;
  readonly selection: Selection;
  /** Frames a second, 5 to 120. */
  readonly fps: number;
  /** Shorter side of the picture in pixels. */
  readonly resolution: Resolution;
  /** Undefined for 16:9. */
  readonly aspect?: Aspect | undefined;
  /** `spec_show_xray`: outline players whom the point-of-view player does not see. */
  readonly xray: boolean;
  /** `cl_draw_only_deathnotices`: hide the HUD except for the killfeed. */
  readonly onlyDeathnotices: boolean;
  /** Our killfeed replaces the game's: only the point-of-view player's kills, kept across shots. */
  readonly ownKillfeed: boolean;
  /** Damage numbers near the point-of-view player's aim. */
  readonly damageTicker: boolean;
  readonly thumbnailStyle: 'full' | 'killfeed' | 'none';
  /** The tick that the thumbnail shows if a shot has it; undefined for the best moment. */
  readonly thumbnailTick?: number | undefined;
  /** Undefined for the names of the match. */
  readonly names?: PlayerNames | undefined;
  /** The radar makes the clip because no host can play the demo in the game. */
  readonly isFallback?: boolean;
}

/** Assets of a clip, and its cards: stills before and after the shots. */
export interface AssetOptions {
  readonly watermarkImageId: string | null;
  readonly introAssetId: string | null;
  readonly outroAssetId: string | null;
  readonly titleCard: boolean;
  /** Length of each card. */
  readonly cardSeconds: number;
  readonly musicAssetId: string | null;
}

/** What a clip uses an asset for; also the kinds of assets. */
export const ASSET_USES = ['watermark', 'intro', 'outro', 'music'] as const;
export type AssetUse = (typeof ASSET_USES)[number];

/** An order of a host: a clip, or an inspection. */
export interface HostOrder extends Omit<RenderOrder, 'selection'> {
  readonly selection: Selection | { readonly mode: 'inspect' };
}

/** The picture of an inspection: wire and index need one. Any host can make it. */
export const NO_PICTURE = { fps: FPS.least, resolution: DEFAULTS.resolution } as const;

/** Which moments of the match: a player's kills (round mode) or explicit tick ranges (timeline mode). */
export type Selection = KillSelection | TimelineSelection;

export interface KillSelection {
  readonly mode: 'round';
  readonly steam64Id: string;
  /** null: every round of the demo. */
  readonly round: number | null;
  /** Seconds before and after each kill. */
  readonly preKillPadding: number;
  readonly postKillPadding: number;
  /** Whose view of each kill is shown. */
  readonly pov: 'killer' | 'victim' | 'both';
  /** Windows of one round with at most so many seconds between them stay in one shot. */
  readonly mergeGap: number;
  /** Speed of the game around each kill; null for no change. */
  readonly killSlowdown: number | null;
}

export interface TimelineSelection {
  readonly mode: 'timeline';
  readonly segments: readonly TimelineSegment[];
  readonly killSlowdown: number | null;
}

export interface TimelineSegment {
  readonly steam64Id: string;
  readonly startTick: number;
  readonly endTick: number;
  /** Speed of the game; 1 is real time. */
  readonly speed: number;
}

/** Ticks a second of current games and tournaments. A slower clock would only make clips longer. */
export const TICKS_A_SECOND = 64;
/** The most ticks of a timeline: 20 segments of 64,000. No other clip is longer. */
export const MOST_TICKS = 20 * 64_000;

/** Upper bound of a clip's seconds for this selection, with its cards. A report of more is wrong. */
export function longestClip(selection: Selection): number {
  const ticks =
    selection.mode === 'timeline' ? playedTicks(selection.segments, selection.killSlowdown ?? Infinity) : MOST_TICKS;
  return (ticks / TICKS_A_SECOND) * 2 + 60;
}

/** Returns the least number of frames of a timeline; 0 if it depends on the demo. Slow kills and cards add to it. */
export function framesOf(selection: Selection, fps: number): number {
  if (selection.mode !== 'timeline') return 0;
  return Math.round((playedTicks(mergeSegments(selection.segments)) / TICKS_A_SECOND) * fps);
}

/** Returns the ticks of segments at their own speed, or at a slower one. */
function playedTicks(segments: readonly TimelineSegment[], slowest = Infinity): number {
  return segments.reduce((sum, part) => sum + (part.endTick - part.startTick) / Math.min(part.speed, slowest), 0);
}

/** Merges consecutive segments that show the same player at the same speed and overlap or touch. */
export function mergeSegments(segments: readonly TimelineSegment[]): TimelineSegment[] {
  const merged: TimelineSegment[] = [];
  for (const segment of segments) {
    let grown = segment;
    // A segment can close the gap between earlier ones, so the merged segment is compared with the one before it.
    for (let previous = merged.at(-1); previous !== undefined; previous = merged.at(-1)) {
      const { startTick, endTick, steam64Id, speed } = previous;
      const isAlike = steam64Id === grown.steam64Id && speed === grown.speed;
      if (!isAlike || grown.startTick > endTick || startTick > grown.endTick) break;
      merged.pop();
      grown = { ...grown, startTick: Math.min(startTick, grown.startTick), endTick: Math.max(endTick, grown.endTick) };
    }
    merged.push(grown);
  }
  return merged;
}
