import { type Failure, failure } from '#domain/failure.ts';
import { reasonOf } from '#domain/reason.ts';
import type { RenderOrder } from '#domain/render-order.ts';
import type { CaptureOptions, FrameSource } from '../frames/frame-source.ts';
import { loadWatermark, withWatermark } from '../overlays/watermark.ts';

export type FetchWatermark = (imageId: string, signal: AbortSignal) => Promise<Uint8Array | null>;

type Marked = { readonly ok: true; readonly source: FrameSource } | Failure<'render_failed' | 'cs2_unavailable'>;

/**
 * Adds the order's watermark, if any, to the frames. Without a requested watermark there is no clip: an image that is
 * deleted or unreadable fails the job for good. One that could not be fetched is an error that another attempt may not
 * have.
 */
export async function addWatermark(
  source: FrameSource,
  { width, height }: CaptureOptions,
  request: {
    readonly order: Pick<RenderOrder, 'watermarkImageId'>;
    readonly fetchWatermark?: FetchWatermark;
    readonly signal: AbortSignal;
  },
): Promise<Marked> {
  const id = request.order.watermarkImageId;
  if (id === null) return { ok: true, source };
  let image: Uint8Array | null;
  try {
    image = (await request.fetchWatermark?.(id, request.signal)) ?? null;
  } catch (error) {
    request.signal.throwIfAborted();
    return failure('cs2_unavailable', `the watermark ${id} could not be fetched: ${reasonOf(error)}`);
  }
  if (image === null) return failure('render_failed', `there is no watermark ${id}`);
  return { ok: true, source: withWatermark(source, await loadWatermark(image, width, height), width) };
}
