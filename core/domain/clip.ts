import * as z from 'zod';
import { type ClipFacts, StoredFactsShape } from './clip-title.ts';
import type { ReadAs } from './shape.ts';

/**
 * What an API key is for, and what its jobs are rendered and counted as. `metered`: best effort, paid by the rendered
 * hour. `reserved`: priority, covered by provisioned capacity; on the wire, a reserved job has `priority: true`.
 */
export const TIERS = ['metered', 'reserved'] as const;
export type Tier = (typeof TIERS)[number];

export function tierOf(priority: boolean): Tier {
  return priority ? 'reserved' : 'metered';
}

/** A file in object storage. */
const StoredFileShape = z.looseObject({
  key: z.string(),
  bytes: z.number(),
  /** SHA-256 of the content in hexadecimal. */
  sha256: z.string(),
});
export type StoredFile = ReadAs<typeof StoredFileShape>;

/** A JPEG with small pictures of a clip in rows, the first of its beginning. Not every host makes one. */
const StoryboardShape = StoredFileShape.extend({
  columns: z.int(),
  rows: z.int(),
  /** From one picture to the next. */
  intervalSeconds: z.number(),
});
export type Storyboard = ReadAs<typeof StoryboardShape>;

/** A job's clip (contract 2.3). Times are milliseconds since the epoch. */
export const ClipShape = z.looseObject({
  state: z.enum(['ready', 'deleted']),
  isSaved: z.boolean(),
  title: z.string(),
  /** What it shows; missing of clips whose host told the title alone. */
  facts: StoredFactsShape.optional(),
  /** Height of the picture in pixels. */
  resolution: z.number(),
  fps: z.number(),
  tier: z.enum(TIERS),
  /** Seconds; 0 where the length could not be read. */
  durationSeconds: z.number(),
  video: StoredFileShape,
  thumbnail: StoredFileShape,
  storyboard: StoryboardShape.optional(),
  /** When the clip first became ready. */
  createdAt: z.number(),
  /** When the files it has now were rendered: expiry counts from here. */
  renderedAt: z.number(),
});
export type Clip = ReadAs<typeof ClipShape>;

/** What a host reports of a finished render: everything about the clip that only the renderer knows. */
export interface RenderResult {
  readonly title: string;
  readonly facts?: ClipFacts | undefined;
  readonly durationSeconds: number;
  readonly video: StoredFile;
  readonly thumbnail: StoredFile;
  readonly storyboard?: Storyboard | undefined;
}
