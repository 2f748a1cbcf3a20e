import { writeFile } from 'node:fs/promises';
import { type Failure, failure } from '#domain/failure.ts';
import { reasonOf } from '#domain/reason.ts';
import type { HostInspection } from '#protocol/demos.ts';
import { walkedCells } from '#scene/match/walked-cells.ts';
import { writeTracks } from '#tracks/file.ts';
import { isMachineError } from '../machine/system-error.ts';
import { demoView } from '../match/demo-view.ts';
import { inspectMatch } from '../match/inspect-match.ts';
import type { KeptEventLists } from '../match/kept-event-lists.ts';
import { loadOutline } from '../match/outline.ts';
import { type FetchLimits, type FetchRequest, fetchMatch } from './fetch-match.ts';
import type { KeptDemos } from './kept-demos.ts';
import { createProgressMeter, PARSED, type RenderProgress } from './progress.ts';
import { createStageClock, type RenderObserver } from './render-observer.ts';

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
