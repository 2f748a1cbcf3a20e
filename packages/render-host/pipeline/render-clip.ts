import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClipFacts } from '#domain/clip/clip-title.ts';
import { type PlayerNames, renamePlayers } from '#domain/clip/names.ts';
import { type ClipLimits, cardsOf, clipSeconds, tooLong } from '#domain/clip/plan/clip-length.ts';
import { type AssetUse, type RenderOrder, sizeOf } from '#domain/clip/render-order.ts';
import { type Failure, failure } from '#domain/failure/codes.ts';
import { reasonOf } from '#domain/lib/text.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { Capture, CaptureResult, GameFault } from '../capture/capture.ts';
import { type EncodeInput, encodeClip } from '../encode/encode-clip.ts';
import { type Ffmpeg, findFfmpeg } from '../encode/ffmpeg.ts';
import { isMachineError } from '../machine/program.ts';
import type { KeptEventLists } from '../match/game-events.ts';
import { byEnmity } from '../match/highlights.ts';
import type { Match } from '../match/match.ts';
import { paintTitleStill } from '../overlays/cards.ts';
import { clipFacts, planShots } from '../plan/plan-shots.ts';
import { finishSound } from '../sound/finish-sound.ts';
import { shotOfTick } from '../thumbnail/hero.ts';
import { createStoryboard, type StoryboardMaker, type StoryboardSheet } from '../thumbnail/storyboard.ts';
import { renderThumbnail, type ThumbnailInput } from '../thumbnail/thumbnail.ts';
import { type ClipAssets, decodeAssets, dressClip } from './dress-clip.ts';
import { type FetchLimits, type FetchRequest, fetchMatch } from './fetch-match.ts';
import type { KeptDemos } from './kept-demos.ts';
import {
  createProgressMeter,
  createStageClock,
  type RenderObserver,
  type RenderProgress,
  type RenderStage,
  silentRenderObserver,
} from './render-observer.ts';

export interface RenderClipDependencies {
  /** The variables that locate ffmpeg: `FFMPEG_PATH`, `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Skips the search. */
  readonly ffmpeg?: Ffmpeg;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  readonly capture: Capture;
  readonly limits?: RenderLimits;
  readonly observer?: RenderObserver;
  /** Null if nothing is cached. */
  readonly kept?: KeptDemos | null;
  readonly eventLists?: KeptEventLists | null;
}

/** Limits of each stage. Each has defaults. */
export interface RenderLimits extends FetchLimits {
  readonly clip?: Partial<ClipLimits>;
  readonly encode?: Pick<EncodeInput, 'stallMs' | 'maxBytes'>;
}

/** `workDir`: an existing, empty folder. The clip's files stay in it; the caller deletes it. */
export interface RenderRequest extends Omit<FetchRequest, 'demoUrl'> {
  readonly order: RenderOrder;
  /** The largest file that can be stored. */
  readonly maxBytes?: number;
  /** The account's limit of frames, besides the limits of this machine. */
  readonly mostFrames?: number | undefined;
  /** Whether to make a storyboard. */
  readonly wantsStoryboard?: boolean;
  /** Fetches a file that the order names; null if it was deleted. */
  readonly fetchAsset?: (use: AssetUse, signal: AbortSignal) => Promise<Uint8Array | null>;
  readonly onProgress: (progress: RenderProgress) => void;
}

export interface RenderedClip {
  readonly ok: true;
  readonly videoPath: string;
  /** A JPEG. */
  readonly thumbnailPath: string;
  /** A JPEG; null if none was wanted or it could not be made. */
  readonly storyboard?: RenderedStoryboard | null;
  readonly durationSeconds: number;
  readonly frames: number;
  /** The size of the video. */
  readonly bytes: number;
  readonly facts: ClipFacts;
}

export interface RenderedStoryboard extends Omit<StoryboardSheet, 'jpeg'> {
  readonly path: string;
}

export type { GameFault };
export type RenderFailure = Failure & GameFault;

export type RenderClip = (request: RenderRequest) => Promise<RenderedClip | RenderFailure>;

/**
 * Creates the function that renders a clip from a demo's URL to files: download, decompress, parse, plan, capture and
 * encode, thumbnail. Never throws. An aborted render fails with `cs2_unavailable`, like each error of this machine. An
 * error in our drawing fails with `render_failed`; one after the last frame (checking the file, the thumbnail) with
 * `finalize_failed`.
 *
 * @throws if this machine has no ffmpeg that encodes H.264.
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
      dependencies.log.warn({ err: error }, 'a render failed');
      const code = isMachineError(error) ? 'cs2_unavailable' : 'render_failed';
      return failure(code, reasonOf(error));
    } finally {
      clock.end();
      // The job's folder is deleted later anyway, so an error here is ignored.
      await rm(footageIn(request), { recursive: true, force: true }).catch(() => {});
    }
  };
}

/** Where a recorder puts its footage until the clip is encoded. */
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
  const fetched = await fetchMatch(wanted, limits, advance, observer, dependencies.kept, dependencies.eventLists);
  if (!fetched.ok) return fetched;
  const { demoPath } = fetched;
  const known = order.names ? withNames(fetched.match, order.names) : fetched.match;
  const planned = planShots(known, order.selection);
  if (!planned.ok) return planned;
  const match = byEnmity(
    known,
    planned.shots.map(({ pov }) => pov),
  );
  // A shot has kills of its match.
  const drawn = match === known ? planned : planShots(match, order.selection);
  if (!drawn.ok) return drawn;
  const { shots } = drawn;
  const options = captureOptions(order);
  const cards = Object.values(cardsOf(order)).flat();
  const refused = tooLong(shots, match, options.fps, limits.clip, request.mostFrames, cards);
  if (refused !== null) return refused;

  const footageDir = footageIn(request);
  await mkdir(footageDir, { recursive: true });
  const seconds = clipSeconds(shots, match.tickRate, cards);
  const assets = await decodeAssets(request, options, { ffmpeg, seconds, workDir: footageDir, signal });
  const captured = await dependencies
    .capture({
      match,
      shots,
      options,
      demoPath,
      account: request.account ?? null,
      signal,
      workDir: footageDir,
      onProgress: (fraction) => advance('capture', fraction),
    })
    .finally(() => rm(demoPath, { force: true }));
  if (!captured.ok) return captured;
  try {
    const parts = { match, shots, options, assets, captured };
    return await makeClip({ ffmpeg, observer, ...dependencies }, request, advance, parts);
  } finally {
    await captured.source.close?.();
  }
}

interface Captured {
  readonly match: Match;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
  readonly assets: ClipAssets;
  readonly captured: Extract<CaptureResult, { readonly ok: true }>;
}

/** Makes the clip's files from frames and sound. */
async function makeClip(
  { ffmpeg, observer, ...dependencies }: RenderTools,
  request: RenderRequest,
  advance: (stage: RenderStage, fraction: number) => void,
  { match, shots, options, assets, captured }: Captured,
): Promise<RenderedClip | RenderFailure> {
  const { order, signal } = request;
  const limits = dependencies.limits ?? {};
  const { width, height, fps } = options;
  const { floor, filmedHeight: filmed_height } = captured;
  const isBest = order.thumbnailTick !== undefined && shotOfTick(shots, order.thumbnailTick) < 0;
  const facts = {
    ...clipFacts(match, shots, order.selection),
    ...(floor && { floor }),
    ...(isBest && { cover: 'best' as const }),
    ...(filmed_height !== undefined && { filmed_height }),
    ...(order.names && { names: 'hidden' as const }),
  };
  const paintTitle = () => paintTitleStill(facts, width, height);
  const { shots: source, clip, before } = dressClip(captured.source, options, order, assets, paintTitle);
  const sounds = { before, sound: captured.sound, music: assets.music };
  const seconds = clip.frameCount / fps;
  const sound = await finishSound({ ...sounds, ffmpeg, seconds, workDir: footageIn(request), signal });
  const videoPath = join(request.workDir, 'clip.mp4');
  advance('encode', 0);
  const begun = performance.now();
  const onFrame = (done: number, count: number) => advance('encode', done / count);
  const maker = request.wantsStoryboard ? createStoryboard(clip, options) : null;
  const encoded = await encodeClip({
    ffmpeg,
    source: maker?.source ?? clip,
    sound,
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
  return { ok: true, videoPath, thumbnailPath, storyboard, durationSeconds, frames, bytes, facts };
}

/** Replaces the names of players. All overlays, titles and facts take them from here. */
function withNames(match: Match, names: PlayerNames): Match {
  return { ...match, players: renamePlayers(match.players, names, ({ steamId }) => steamId) };
}

function captureOptions({ resolution, aspect, ...order }: RenderOrder): CaptureOptions {
  const { fps, xray, onlyDeathnotices, ownKillfeed, damageTicker } = order;
  const hidesNames = order.names !== undefined;
  return { ...sizeOf(resolution, aspect), fps, xray, onlyDeathnotices, ownKillfeed, damageTicker, hidesNames };
}

type Thumbnail = Failure | { readonly ok: true; readonly path: string };

async function writeThumbnail(
  { order, workDir }: RenderRequest,
  picture: Omit<ThumbnailInput, 'style' | 'tick'>,
): Promise<Thumbnail> {
  const path = join(workDir, 'thumbnail.jpg');
  try {
    const { thumbnailStyle: style, thumbnailTick: tick } = order;
    await writeFile(path, await renderThumbnail({ ...picture, style, tick }));
    return { ok: true, path };
  } catch (error) {
    if (isMachineError(error)) throw error;
    return failure('finalize_failed', `the thumbnail could not be made: ${reasonOf(error)}`);
  }
}

/** A failed storyboard does not fail the clip. */
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
