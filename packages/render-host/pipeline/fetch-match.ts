import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Facts, type Failure, failure } from '#domain/failure/codes.ts';
import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { demoNameIn, type HostInspection, isAcceptableDemoUrl } from '#protocol/demo/demos.ts';
import { walkedCells } from '#scene/match/levels.ts';
import { writeTracks } from '#tracks/file.ts';
import { type DecompressLimits, decompressDemo } from '../decompress/decompress-demo.ts';
import { type DownloadLimits, downloadDemo } from '../download/download-demo.ts';
import type { DemoSource } from '../download/open-demo.ts';
import { isMachineError } from '../machine/program.ts';
import { demoView } from '../match/demo-view.ts';
import type { KeptEventLists } from '../match/game-events.ts';
import { inspectMatch, loadOutline } from '../match/inspect-match.ts';
import type { Match } from '../match/match.ts';
import { type ParseLimits, parseDemo } from '../match/parse-demo.ts';
import type { KeptDemos } from './kept-demos.ts';
import {
  createProgressMeter,
  createStageClock,
  downloadFraction,
  PARSED,
  type RenderObserver,
  type RenderProgress,
  type RenderStage,
} from './render-observer.ts';

/** Limits of the stages that read a demo. Each has defaults. */
export interface FetchLimits {
  readonly download?: Partial<DownloadLimits>;
  readonly decompress?: Partial<DecompressLimits>;
  readonly parse?: Partial<ParseLimits>;
}

/** The policy decides where the demo and its redirects may be. */
export interface FetchRequest extends AddressPolicy {
  readonly demoUrl: string;
  /** Where the gateway serves the demo. It replaces `demoUrl`. */
  readonly demoSource?: Pick<DemoSource, 'url' | 'headers' | 'again'> | undefined;
  /** The key of the demo's cache entry; null if the demo is not cached. */
  readonly demoKey?: string | null | undefined;
  /** The account of the demo, as an opaque word; null or absent if the gateway gives none. */
  readonly account?: string | null;
  readonly workDir: string;
  readonly signal: AbortSignal;
}

/** A demo that was read. */
export interface FetchedMatch {
  readonly ok: true;
  readonly match: Match;
  readonly demoPath: string;
  /** The names of the demos of its archive; empty if it came in none with names. */
  readonly demos: readonly string[];
}

export type FetchResult = FetchedMatch | Failure;

/**
 * Fetches the match of a demo, and the demo's file for a renderer that plays it. An archive is deleted once it is
 * unpacked, so at most an archive and its content are on disk. A cached demo is used if its address may be downloaded
 * from.
 *
 * @throws the signal's reason if aborted.
 */
export async function fetchMatch(
  { demoUrl, demoSource, demoKey = null, account = null, workDir, signal, ...policy }: FetchRequest,
  limits: FetchLimits,
  advance: (stage: RenderStage, fraction: number) => void,
  { demoDownloaded, demoReused }: Pick<RenderObserver, 'demoDownloaded' | 'demoReused'>,
  kept: KeptDemos | null = null,
  eventLists: KeptEventLists | null = null,
): Promise<FetchResult> {
  const path = join(workDir, 'download');
  advance('download', 0);
  if (kept !== null && demoKey !== null && (demoSource || isAcceptableDemoUrl(demoUrl, policy))) {
    const demoPath = join(workDir, 'match.dem');
    const taken = await kept.take(demoKey, demoPath);
    signal.throwIfAborted();
    if (taken !== null) {
      demoReused();
      return { ok: true, ...taken, demoPath };
    }
  }
  const downloaded = await downloadDemo({
    url: demoUrl,
    accepts: (url) => isAcceptableDemoUrl(url, policy),
    allowPrivateAddresses: policy.allowPrivateAddresses,
    ...demoSource,
    outPath: path,
    signal,
    onProgress: (bytes, total) => advance('download', downloadFraction(bytes, total)),
    limits: limits.download ?? {},
  });
  if (!downloaded.ok) return downloaded;
  const { bytes, received } = downloaded;
  demoDownloaded(bytes);
  advance('decompress', 0);
  const unpacked = await decompressDemo({
    path,
    workDir,
    wanted: demoNameIn(demoUrl),
    signal,
    limits: limits.decompress ?? {},
    codings: downloaded.codings,
  });
  const ofFile = demoSource ? { bytes } : { received, bytes };
  if (!unpacked.ok) return withFacts(unpacked, ofFile);
  advance('parse', 0);
  const { demoPath, demos } = unpacked;
  const matchPath = join(workDir, 'match.bin');
  const parsed = await parseDemo({
    demoPath,
    workDir,
    matchPath,
    account,
    eventLists,
    signal,
    onProgress: (fraction) => advance('parse', fraction),
    limits: limits.parse ?? {},
  });
  if (!parsed.ok) return withFacts(parsed, ofFile);
  if (demoKey !== null) await kept?.keep(demoKey, demoPath, matchPath, demos);
  await rm(matchPath, { force: true });
  return { ...parsed, demoPath, demos };
}

/** A file that is not a demo may be an error page, which the content type of its link shows. */
function withFacts(failed: Failure, ofFile: Facts): Failure {
  const isOfFile = failed.code === 'decompress_failed' || failed.code === 'demo_failed_parse';
  return isOfFile ? { ...failed, facts: { ...failed.facts, ...ofFile } } : failed;
}

/** The most cells of a replay's floor. A fully walked map has some 80,000. */
export const MOST_WALKED = 200_000;

export interface InspectDependencies {
  readonly limits: FetchLimits;
  readonly observer: RenderObserver;
  readonly kept: KeptDemos | null;
  readonly eventLists?: KeptEventLists | null;
  /** The folder of the outlines that tracks may have; null for none. */
  readonly outlineDir?: string | null;
  readonly log: { warn(fields: object, message: string): void };
}

export interface DemoInspection extends FetchRequest {
  /** Where the tracks of a replay are written; absent if none are wanted. */
  readonly tracksPath?: string | undefined;
  readonly onProgress: (progress: RenderProgress) => void;
}

export type InspectDemo = (
  request: DemoInspection,
) => Promise<{ readonly ok: true; readonly demo: HostInspection } | Failure>;

/**
 * Creates the function that inspects a demo with the limits of a render, so that a clip of it needs no second download
 * and parse. Never throws. An aborted one fails with `cs2_unavailable`.
 */
export function createInspectDemo({
  limits,
  observer,
  kept,
  eventLists = null,
  outlineDir = null,
  log,
}: InspectDependencies): InspectDemo {
  return async ({ onProgress, tracksPath, ...request }) => {
    const clock = createStageClock(observer.stageEnded, () => performance.now());
    const meter = createProgressMeter(({ progress, ...where }) =>
      onProgress({ ...where, progress: progress / PARSED }),
    );
    try {
      const advance: typeof meter = (stage, fraction) => {
        clock.enter(stage);
        meter(stage, fraction);
      };
      const fetched = await fetchMatch(request, limits, advance, observer, kept, eventLists);
      if (!fetched.ok) return fetched;
      const { match, demos } = fetched;
      if (tracksPath !== undefined) {
        // Without a readable outline, as for a clip, there is none.
        const outline = outlineDir === null ? null : await loadOutline(outlineDir, match.map).catch(() => null);
        const tracks = await writeTracks(outline ? { ...match, outline } : match, walkedCells(match, MOST_WALKED));
        await writeFile(tracksPath, tracks);
      }
      const demo = demoView(inspectMatch(match));
      return { ok: true, demo: demos.length === 0 ? demo : { ...demo, archive: [...demos] } };
    } catch (error) {
      if (request.signal.aborted) return failure('cs2_unavailable', 'the inspection was stopped');
      log.warn({ err: error }, 'an inspection failed in an unforeseen way');
      return failure(isMachineError(error) ? 'cs2_unavailable' : 'demo_failed_parse', reasonOf(error));
    } finally {
      clock.end();
    }
  };
}
