import type { TickSpan } from '#domain/clip/plan/match.ts';
import type { SceneMatch } from '#scene/match/match.ts';
import type { Chunk } from '#tracks/chunk.ts';
import { loadChunks, matchOf, type ReadRange, type TracksFile } from '#tracks/file.ts';

/** The most chunks that are kept: those of some windows. */
const MOST_CHUNKS = 16;

/** Returns what loads a part of a file's match. It requests each chunk once, and consecutive chunks together. */
export function createChunkCache(file: TracksFile): (span: TickSpan) => Promise<SceneMatch> {
  /** By position in the file, the last used one last. */
  const kept = new Map<number, Promise<Chunk>>();
  return async ({ startTick, endTick }) => {
    const wanted = [...file.chunks.keys()].filter((at) => {
      const place = file.chunks[at];
      return place && place.startTick < endTick && place.endTick > startTick;
    });
    const missing = wanted.filter((at) => !kept.has(at));
    const [first, last] = [file.chunks[missing[0] ?? -1], file.chunks[missing.at(-1) ?? -1]];
    if (first && last) {
      const loaded = loadChunks(file, { startTick: first.startTick, endTick: last.endTick });
      for (const at of missing) {
        const chunk = loaded.then((chunks) => chunks[at - (missing[0] ?? 0)] as Chunk);
        kept.set(at, chunk);
        // A later call tries again.
        chunk.catch(() => kept.delete(at));
      }
    }
    const chunks = wanted.flatMap((at) => {
      const chunk = kept.get(at);
      kept.delete(at);
      if (chunk) kept.set(at, chunk);
      return chunk ?? [];
    });
    for (const old of [...kept.keys()].slice(0, -MOST_CHUNKS)) kept.delete(old);
    return matchOf(file, await Promise.all(chunks));
  };
}

/**
 * Returns what reads a file by ranges. All ranges are of one version of the file.
 *
 * @throws Error with the service's reason, from the returned function.
 */
export function rangesOf(url: string): ReadRange {
  let etag: string | null = null;
  return async (start, length) => {
    const headers = { Range: `bytes=${start}-${start + length - 1}`, ...(etag === null ? {} : { 'If-Match': etag }) };
    const response = await fetch(url, { headers });
    if (!response.ok) throw new Error(await reasonOf(response));
    etag = response.headers.get('ETag');
    const bytes = new Uint8Array(await response.arrayBuffer());
    return response.status === 206 ? bytes : bytes.slice(start, start + length);
  };
}

async function reasonOf(response: Response): Promise<string> {
  if (response.status === 412) return 'It was made again. Reload the page.';
  const problem: unknown = await response.json().catch(() => null);
  const detail = problem && typeof problem === 'object' && 'detail' in problem ? problem.detail : null;
  return typeof detail === 'string' ? detail : `The service answered ${response.status}.`;
}

/** Seconds of a window, and seconds before and after it that its picture depends on: killfeed, camera. */
const SECONDS = { shown: 10, before: 6, after: 3 };

/** A part of a replay that is loaded and prepared at once. */
export interface ReplayWindow {
  readonly shown: TickSpan;
  /** The ticks that its picture depends on. */
  readonly needed: TickSpan;
}

/** Returns the window of a tick. The windows of a shot are as long as each other, except for the last. */
export function windowAt({ startTick, endTick }: TickSpan, tick: number, tickRate: number): ReplayWindow {
  const length = SECONDS.shown * tickRate;
  // The end of a shot belongs to its last window.
  const most = Math.max(0, Math.ceil((endTick - startTick) / length) - 1);
  const start = startTick + length * Math.min(Math.max(0, Math.floor((tick - startTick) / length)), most);
  const shown = { startTick: start, endTick: Math.min(start + length, endTick) };
  return {
    shown,
    needed: {
      startTick: Math.max(startTick, shown.startTick - SECONDS.before * tickRate),
      endTick: Math.min(endTick, shown.endTick + SECONDS.after * tickRate),
    },
  };
}
