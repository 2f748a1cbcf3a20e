import { type Card, cardsOf } from '#domain/plan/cards.ts';
import { reasonOf } from '#domain/reason.ts';
import type { AssetUse } from '#domain/render-order.ts';
import type { CaptureOptions, FrameSource } from '../frames/frame-source.ts';
import { isMachineError, MachineError } from '../machine/system-error.ts';
import { CARD_BACKGROUND, type Still, withCards } from '../overlays/cards.ts';
import { decodeImage, withWatermark } from '../overlays/watermark.ts';
import type { RenderRequest } from './render-clip.ts';

type AssetRequest = Pick<RenderRequest, 'order' | 'fetchAsset' | 'signal'>;

/**
 * Fetches and decodes an asset. Returns null if the order names none. Without a requested asset there is no clip.
 *
 * @throws if it was deleted or cannot be decoded, which fails the job for good; a `MachineError` if it cannot be
 * fetched, which another attempt may do.
 */
export async function decodeAsset<Decoded>(
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
 * Adds the order's watermark and cards to the frames of the shots. Returns the frames with the watermark; those of the
 * clip; and the seconds of the cards before the shots.
 *
 * @throws what `decodeAsset` throws.
 */
export async function dressClip(
  source: FrameSource,
  { width, height, fps }: CaptureOptions,
  request: AssetRequest,
  paintTitle: () => Uint8Array,
): Promise<{ readonly shots: FrameSource; readonly clip: FrameSource; readonly before: number }> {
  const decode = (background: string) => (file: Uint8Array) =>
    decodeImage(file, width, height, background, request.signal);
  const mark = await decodeAsset('watermark', request, decode(''));
  const shots = mark === null ? source : withWatermark(source, mark, width);
  const still = async ({ kind, seconds }: Card): Promise<Still> => {
    const image = kind === 'title' ? null : await decodeAsset(kind, request, decode(CARD_BACKGROUND));
    return { pixels: image?.pixels ?? paintTitle(), frames: Math.round(seconds * fps) };
  };
  const cards = cardsOf(request.order);
  const [before, after] = [await Promise.all(cards.before.map(still)), await Promise.all(cards.after.map(still))];
  const clip = withCards(shots, { before, after }, fps);
  return { shots, clip, before: before.reduce((sum, { frames }) => sum + frames, 0) / fps };
}
