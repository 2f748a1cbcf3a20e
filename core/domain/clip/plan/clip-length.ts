import type { AssetOptions } from '#domain/clip/render-order.ts';
import { type Failure, failure } from '#domain/failure/codes.ts';
import type { PlannableMatch } from './match.ts';
import { shotSeconds, type TimedShot } from './shot-time.ts';

/** A still picture in a clip. */
export interface Card {
  readonly kind: 'intro' | 'title' | 'outro';
  readonly seconds: number;
}

/** The cards of a clip before and after its shots. */
export type Cards = Readonly<Record<'before' | 'after', readonly Card[]>>;

/** Returns the cards of an order. */
export function cardsOf({ introAssetId, titleCard, outroAssetId, cardSeconds: seconds }: AssetOptions): Cards {
  const card = (kind: Card['kind'], isAsked: boolean): Card[] => (isAsked ? [{ kind, seconds }] : []);
  return {
    before: [...card('intro', introAssetId !== null), ...card('title', titleCard)],
    after: card('outro', outroAssetId !== null),
  };
}

/** Limits of a clip. A host draws and encodes it frame by frame and does nothing else meanwhile. */
export interface ClipLimits {
  readonly seconds: number;
  readonly frames: number;
}

/** The limits of the contract: 20 segments of 64,000 ticks at 64 a second, at 120 frames a second. */
const DEFAULT_LIMITS: ClipLimits = { seconds: 20_000, frames: 2_400_000 };
/**
 * The most shots of a clip. Each is a seek of the game and a file of its sound. Only crafted recordings have more.
 */
const MOST_SHOTS = 1000;

/** Returns the number of frames of a shot: its length at the clip's frame rate, at least one. */
export function shotFrameCount(shot: TimedShot, tickRate: number, fps: number): number {
  return Math.max(1, Math.round(shotSeconds(shot, tickRate) * fps));
}

/** Returns the length of a clip, before its shots are rounded to whole frames. */
export function clipSeconds(shots: readonly TimedShot[], tickRate: number, cards: readonly Card[]): number {
  const lengths = [...shots.map((shot) => shotSeconds(shot, tickRate)), ...cards.map((card) => card.seconds)];
  return lengths.reduce((sum, length) => sum + length, 0);
}

/**
 * Returns why shots cannot become a clip: they are too long or too many. Returns null if they can. Pure. `mostFrames`
 * is the account's limit.
 */
export function tooLong(
  shots: readonly TimedShot[],
  { tickRate }: Pick<PlannableMatch, 'tickRate'>,
  fps: number,
  limits: Partial<ClipLimits> = {},
  mostFrames = Number.POSITIVE_INFINITY,
  cards: readonly Card[] = [],
): Failure<'clip_too_long'> | null {
  const own = { ...DEFAULT_LIMITS, ...limits };
  const most = { ...own, frames: Math.min(own.frames, mostFrames) };
  const seconds = clipSeconds(shots, tickRate, cards);
  const frames = Math.round(seconds * fps);
  if (seconds > most.seconds) return refused(Math.round(seconds), 'seconds', most.seconds);
  if (frames > most.frames) return refused(frames, 'frames', most.frames);
  return shots.length > MOST_SHOTS ? refused(shots.length, 'shots', MOST_SHOTS) : null;
}

function refused(length: number, unit: string, most: number): Failure<'clip_too_long'> {
  const detail = `the clip would have ${length} ${unit}, and ${most} is the most`;
  return failure('clip_too_long', detail, { unit, length, most });
}
