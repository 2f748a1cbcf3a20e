import { type Card, cardsOf } from '#domain/clip/plan/clip-length.ts';
import type { AssetUse, RenderOrder } from '#domain/clip/render-order.ts';
import { reasonOf } from '#domain/lib/text.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import type { FrameSource } from '../frames/frame-source.ts';
import { isMachineError, MachineError } from '../machine/program.ts';
import { CARD_BACKGROUND, type Still, withCards } from '../overlays/cards.ts';
import { decodeImage, type Patch, withWatermark } from '../overlays/watermark.ts';
import type { Music } from '../sound/finish-sound.ts';
import { decodeMusic, type MusicInput } from '../sound/run-sound.ts';
import type { RenderRequest } from './render-clip.ts';

type AssetRequest = Pick<RenderRequest, 'order' | 'fetchAsset' | 'signal'>;

/** The decoded assets of an order; null for those that it does not name. */
export interface ClipAssets {
  readonly watermark: Patch | null;
  /** As large as a frame. */
  readonly intro: Patch | null;
  readonly outro: Patch | null;
  readonly music: Music | null;
}

/**
 * Fetches and decodes an asset. Returns null if the order names none. Without a requested asset there is no clip.
 *
 * @throws if it was deleted or cannot be decoded, which fails the job for good; a `MachineError` if it cannot be
 * fetched, which another attempt may do.
 */
async function decodeAsset<Decoded>(
  use: AssetUse,
  request: AssetRequest,
  decode: (file: Uint8Array) => Promise<Decoded>,
): Promise<Decoded | null> {
  const { order, fetchAsset, signal } = request;
  const id = order[use === 'watermark' ? 'watermarkImageId' : (`${use}AssetId` as const)];
  if (id === null) return null;
  const file = await fetchAsset?.(use, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new MachineError(`the ${use} ${id} could not be fetched: ${reasonOf(error)}`);
  });
  if (!file) throw new Error(`there is no ${use} ${id}`);
  return await decode(file).catch((error: unknown) => {
    signal.throwIfAborted();
    if (isMachineError(error)) throw error;
    throw new Error(`the ${use} ${id} cannot be decoded: ${reasonOf(error)}`);
  });
}

/**
 * Fetches and decodes the assets of an order, before the capture: a deleted or damaged one then costs no recording.
 * The music's samples are a file in `sounds.workDir`, at most as long as the clip.
 *
 * @throws what `decodeAsset` throws.
 */
export async function decodeAssets(
  request: AssetRequest,
  size: Pick<CaptureOptions, 'width' | 'height'>,
  sounds: MusicInput,
): Promise<ClipAssets> {
  const { workDir, signal } = sounds;
  const decode = (background: string) => (file: Uint8Array) => decodeImage(file, size, workDir, background, signal);
  // One after the other: each takes memory, and none may run on after another's failure.
  const watermark = await decodeAsset('watermark', request, decode(''));
  const intro = await decodeAsset('intro', request, decode(CARD_BACKGROUND));
  const outro = await decodeAsset('outro', request, decode(CARD_BACKGROUND));
  const music = await decodeAsset('music', request, (file) => decodeMusic(file, sounds));
  return { watermark, intro, outro, music };
}

/**
 * Adds the watermark and the cards to the frames of the shots. Returns the frames with the watermark; those of the
 * clip; and the seconds of the cards before the shots.
 */
export function dressClip(
  source: FrameSource,
  { fps, ...size }: Pick<CaptureOptions, 'width' | 'height' | 'fps'>,
  order: RenderOrder,
  { watermark, ...images }: ClipAssets,
  paintTitle: () => Uint8Array,
): { readonly shots: FrameSource; readonly clip: FrameSource; readonly before: number } {
  const shots = watermark === null ? source : withWatermark(source, watermark, size);
  const still = ({ kind, seconds }: Card): Still => ({
    pixels: (kind === 'title' ? null : images[kind])?.pixels ?? paintTitle(),
    frames: Math.round(seconds * fps),
  });
  const cards = cardsOf(order);
  const [before, after] = [cards.before.map(still), cards.after.map(still)];
  const clip = withCards(shots, { before, after }, fps);
  return { shots, clip, before: before.reduce((sum, { frames }) => sum + frames, 0) / fps };
}
