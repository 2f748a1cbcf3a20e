import type { TickSpan } from '#domain/clip/plan/match.ts';
import type { SceneMatch } from '#scene/match/match.ts';
import type { Chunk } from '#tracks/chunk.ts';
import { loadChunks, matchOf, type TracksFile } from '#tracks/file.ts';

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
