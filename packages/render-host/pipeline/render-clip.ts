import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddressPolicy } from '#domain/address-policy.ts';
import type { ClipFacts } from '#domain/clip-title.ts';
import { type Failure, failure } from '#domain/failure.ts';
import { widthOf } from '#domain/picture.ts';
import { reasonOf } from '#domain/reason.ts';
import type { RenderOrder } from '#domain/render-order.ts';
import type { Capture, CaptureResult } from '../capture/capture.ts';
import type { DemoSource } from '../download/open-demo.ts';
import { type EncodeInput, encodeClip } from '../encode/encode-clip.ts';
import { type Ffmpeg, findFfmpeg } from '../encode/ffmpeg.ts';
import type { CaptureOptions, FrameSource } from '../frames/frame-source.ts';
import { isMachineTrouble } from '../machine/system-error.ts';
import type { Match } from '../match/match.ts';
import { clipFacts } from '../plan/clip-facts.ts';
import { type ClipLimits, tooLong } from '../plan/clip-length.ts';
import { planShots } from '../plan/plan-shots.ts';
import type { Shot } from '../plan/shot.ts';
import { createStoryboard, type StoryboardMaker } from '../thumbnail/storyboard.ts';
import { renderThumbnail } from '../thumbnail/thumbnail.ts';
import { addWatermark, type FetchWatermark } from './add-watermark.ts';
import { type FetchLimits, fetchMatch } from './fetch-match.ts';
import type { KeptDemos } from './kept-demos.ts';
import { createProgressMeter, type RenderProgress, type RenderStage } from './progress.ts';
import { createStageClock, type RenderObserver, silentRenderObserver } from './render-observer.ts';

export interface RenderClipDependencies {
  /** Where ffmpeg is looked up: `FFMPEG_PATH`, `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Found already. */
  readonly ffmpeg?: Ffmpeg;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  readonly capture: Capture;
  readonly limits?: RenderLimits;
  readonly observer?: RenderObserver;
  /** Null where nothing is kept. */
  readonly kept?: KeptDemos | null;
}

/** What each stage may cost; each has its defaults. */
export interface RenderLimits extends FetchLimits {
  readonly clip?: Partial<ClipLimits>;
  readonly encode?: Pick<EncodeInput, 'stallMs' | 'maxBytes'>;
}

export interface RenderRequest extends AddressPolicy {
  readonly order: RenderOrder;
  /** Both: see `FetchRequest`. */
  readonly demoKey?: string | null | undefined;
  readonly demoSource?: DemoSource | undefined;
  /** See `CaptureRequest`. */
  readonly account?: string | null;
  /** An existing, empty folder. The clip's files are left in it, and the caller removes it. */
  readonly workDir: string;
  /** What can be stored, at most. */
  readonly maxBytes?: number;
  /** The account's limit of frames. The limits of this machine apply as well. */
  readonly mostFrames?: number | undefined;
  /** Whether there is use for a storyboard. */
  readonly wantsStoryboard?: boolean;
  /** Fetches a watermark's image file; null when there is none under that id any more. */
  readonly fetchWatermark?: FetchWatermark;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RenderProgress) => void;
}

export interface RenderedClip {
  readonly ok: true;
  readonly videoPath: string;
  /** A JPEG. */
  readonly thumbnailPath: string;
  /** A JPEG; null where none was wanted, or none could be made. */
  readonly storyboard?: RenderedStoryboard | null;
  readonly durationSeconds: number;
  readonly frames: number;
  /** Of the video. */
  readonly bytes: number;
  readonly facts: ClipFacts;
}

export interface RenderedStoryboard {
  readonly path: string;
  readonly columns: number;
  readonly rows: number;
  readonly intervalSeconds: number;
}

/** `inGame` and `refusedBuild`: as a capture tells them. */
export type RenderFailure = Failure & { readonly inGame?: true; readonly refusedBuild?: string };

export type RenderClip = (request: RenderRequest) => Promise<RenderedClip | RenderFailure>;

/**
 * Makes the function that renders a clip from a demo's URL to files: download, decompress, parse, plan, capture and
 * encode, thumbnail. It never throws. An aborted render answers `cs2_unavailable`, like every trouble that is this
 * machine's and not the demo's; a fault in our own drawing answers `render_failed`, and one in what follows the last
 * frame (the check of the file, the thumbnail) `finalize_failed`.
 *
 * @throws when this machine has no ffmpeg that encodes H.264.
 */
export async function createRenderClip(dependencies: RenderClipDependencies): Promise<RenderClip> {
  const ffmpeg = dependencies.ffmpeg ?? (await findFfmpeg(dependencies.environment));
  dependencies.log.info({ ffmpeg: ffmpeg.version, encoder: ffmpeg.encoder.name }, 'encoder found');
  return async (request) => {
    const observer = dependencies.observer ?? silentRenderObserver;
    const clock = createStageClock(observer.stageEnded, () => performance.now());
    try {
      return await render({ ...dependencies, ffmpeg, observer }, request, clock.enter);
    } catch (error) {
      if (request.signal.aborted) return stopped();
      dependencies.log.warn({ err: error }, 'a render failed in an unforeseen way');
      const code = isMachineTrouble(error) ? 'cs2_unavailable' : 'render_failed';
      return failure(code, reasonOf(error));
    } finally {
      clock.end();
      // The job's folder goes anyway; what is left of it is no reason to fail.
      await rm(footageIn(request), { recursive: true, force: true }).catch(() => {});
    }
  };
}

/** Where a renderer that records leaves its footage until the clip is encoded. */
function footageIn({ workDir }: RenderRequest): string {
  return join(workDir, 'footage');
}

interface RenderTools extends RenderClipDependencies {
  readonly ffmpeg: Ffmpeg;
  readonly observer: RenderObserver;
}

async function render(
  { ffmpeg, observer, ...dependencies }: RenderTools,
  request: RenderRequest,
  entered: (stage: RenderStage) => void,
): Promise<RenderedClip | RenderFailure> {
  const { order, signal } = request;
  const meter = createProgressMeter(request.onProgress);
  const advance = (stage: RenderStage, fraction: number): void => {
    entered(stage);
    meter(stage, fraction);
  };
  const limits = dependencies.limits ?? {};
  const wanted = { ...request, demoUrl: order.demoUrl };
  const fetched = await fetchMatch(wanted, limits, advance, observer, dependencies.kept);
  if (!fetched.ok) return fetched;
  const { match, demoPath } = fetched;
  const planned = planShots(match, order.selection);
  if (!planned.ok) return planned;
  const { shots } = planned;
  const options = captureOptions(order);
  const refused = tooLong(shots, match, options.fps, limits.clip, request.mostFrames);
  if (refused !== null) return refused;

  const footageDir = footageIn(request);
  await mkdir(footageDir, { recursive: true });
  const captured = await dependencies
    .capture({
      ...{ match, shots, options, demoPath, account: request.account ?? null, signal },
      workDir: footageDir,
      onProgress: (fraction) => advance('capture', fraction),
    })
    .finally(() => rm(demoPath, { force: true }));
  if (!captured.ok) return captured;
  try {
    return await makeClip({ ffmpeg, observer, ...dependencies }, request, advance, { match, shots, options, captured });
  } finally {
    await captured.source.close?.();
  }
}

interface Captured {
  readonly match: Match;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
  readonly captured: Extract<CaptureResult, { readonly ok: true }>;
}

/** From frames and sound to the clip's files. */
async function makeClip(
  { ffmpeg, observer, ...dependencies }: RenderTools,
  request: RenderRequest,
  advance: (stage: RenderStage, fraction: number) => void,
  { match, shots, options, captured }: Captured,
): Promise<RenderedClip | RenderFailure> {
  const { order, signal } = request;
  const limits = dependencies.limits ?? {};
  const marked = await addWatermark(captured.source, options, request);
  if (!marked.ok) return marked;
  const { source } = marked;
  const videoPath = join(request.workDir, 'clip.mp4');
  const { width, height, fps } = options;
  advance('encode', 0);
  const begun = performance.now();
  const onFrame = (done: number, count: number) => advance('encode', done / count);
  const maker = request.wantsStoryboard ? createStoryboard(source, options) : null;
  const encoded = await encodeClip({
    ffmpeg,
    source: maker?.source ?? source,
    sound: captured.sound,
    width,
    height,
    fps,
    outPath: videoPath,
    signal,
    onProgress: onFrame,
    onFallback: (why) => dependencies.log.warn({ why }, 'the encoder failed; making the clip with another one'),
    ...limits.encode,
    maxBytes: Math.min(
      limits.encode?.maxBytes ?? Number.POSITIVE_INFINITY,
      request.maxBytes ?? Number.POSITIVE_INFINITY,
    ),
  });
  if (!encoded.ok) return signal.aborted ? stopped() : encoded;
  observer.clipEncoded(encoded.frames, (performance.now() - begun) / 1000);
  advance('thumbnail', 0);

  const thumbnail = await writeThumbnail(request, { source, match, shots, options });
  if (!thumbnail.ok) return thumbnail;
  const storyboard = maker && (await writeStoryboard(request, maker, dependencies.log));
  advance('thumbnail', 1);
  const { frames, durationSeconds, bytes } = encoded;
  const { path: thumbnailPath } = thumbnail;
  const facts = clipFacts(match, shots, order.selection);
  return { ok: true, videoPath, thumbnailPath, storyboard, durationSeconds, frames, bytes, facts };
}

function captureOptions(order: RenderOrder): CaptureOptions {
  return {
    width: widthOf(order.resolution),
    height: order.resolution,
    fps: order.fps,
    xray: order.xray,
    onlyDeathnotices: order.onlyDeathnotices,
    ownKillfeed: order.ownKillfeed,
    damageTicker: order.damageTicker,
  };
}

interface Picture {
  readonly source: FrameSource;
  readonly match: Match;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
}

type Thumbnail = Failure | { readonly ok: true; readonly path: string };

async function writeThumbnail({ order, workDir }: RenderRequest, picture: Picture): Promise<Thumbnail> {
  const path = join(workDir, 'thumbnail.jpg');
  try {
    await writeFile(path, await renderThumbnail({ ...picture, style: order.thumbnailStyle }));
    return { ok: true, path };
  } catch (error) {
    if (isMachineTrouble(error)) throw error;
    return failure('finalize_failed', `the thumbnail could not be made: ${reasonOf(error)}`);
  }
}

/** A clip without one is as good a clip. */
async function writeStoryboard(
  { workDir }: RenderRequest,
  maker: StoryboardMaker,
  log: RenderClipDependencies['log'],
): Promise<RenderedStoryboard | null> {
  const path = join(workDir, 'storyboard.jpg');
  try {
    const { jpeg, ...board } = await maker.finish();
    await writeFile(path, jpeg);
    return { path, ...board };
  } catch (error) {
    log.warn({ err: error }, 'the storyboard could not be made');
    return null;
  }
}

function stopped(): Failure {
  return failure('cs2_unavailable', 'the render was stopped');
}
