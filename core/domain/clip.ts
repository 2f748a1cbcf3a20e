import type { ClipFacts } from './clip-title.ts';

/**
 * What an API key is for, and what its jobs are rendered and counted as. `metered`: best effort, paid by the rendered
 * hour. `reserved`: priority, covered by provisioned capacity; on the wire, a reserved job has `priority: true`.
 */
export const TIERS = ['metered', 'reserved'] as const;
export type Tier = (typeof TIERS)[number];

export function tierOf(priority: boolean): Tier {
  return priority ? 'reserved' : 'metered';
}

/** A job's clip as it stands (contract 2.3). Times are milliseconds since the epoch. */
export interface Clip {
  readonly state: 'ready' | 'deleted';
  readonly isSaved: boolean;
  readonly title: string;
  /** What it shows; missing of clips whose host told the title alone. */
  readonly facts?: ClipFacts | undefined;
  /** Height of the picture in pixels. */
  readonly resolution: number;
  readonly fps: number;
  readonly tier: Tier;
  /** Seconds; 0 where the length could not be read. */
  readonly durationSeconds: number;
  readonly video: StoredFile;
  readonly thumbnail: StoredFile;
  readonly storyboard?: Storyboard | undefined;
  /** When the clip first became ready. */
  readonly createdAt: number;
  /** When the files it has now were rendered: expiry counts from here. */
  readonly renderedAt: number;
}

/** A file in object storage. */
export interface StoredFile {
  readonly key: string;
  readonly bytes: number;
  /** SHA-256 of the content in hexadecimal. */
  readonly sha256: string;
}

/** A JPEG with small pictures of a clip in rows, the first of its beginning. Not every host makes one. */
export interface Storyboard extends StoredFile {
  readonly columns: number;
  readonly rows: number;
  /** From one picture to the next. */
  readonly intervalSeconds: number;
}

/** What a host reports of a finished render: everything about the clip that only the renderer knows. */
export interface RenderResult {
  readonly title: string;
  readonly facts?: ClipFacts | undefined;
  readonly durationSeconds: number;
  readonly video: StoredFile;
  readonly thumbnail: StoredFile;
  readonly storyboard?: Storyboard | undefined;
}
