import * as z from 'zod';
import { TIERS } from '#domain/account/account.ts';
import { RENDERERS } from '../host/need.ts';
import type { ReadAs } from '../lib/types.ts';
import { type ClipFacts, StoredFactsShape } from './clip-title.ts';
import { ASPECTS } from './render-order.ts';

/**
 * Seconds that caches keep a clip's files. For this time an expired clip can still be seen, and a deleted one if
 * nothing purges its files.
 */
export const FILE_AGE_S = 300;

const StoredFileShape = z.looseObject({
  key: z.string(),
  bytes: z.number(),
  /** SHA-256 of the content in hexadecimal. */
  sha256: z.string(),
});

export type StoredFile = ReadAs<typeof StoredFileShape>;

/** A JPEG of small pictures of a clip in rows, in order of time. Optional for hosts. */
const StoryboardShape = StoredFileShape.extend({
  columns: z.int(),
  rows: z.int(),
  /** Seconds between two pictures. */
  intervalSeconds: z.number(),
});

export type Storyboard = ReadAs<typeof StoryboardShape>;

/** What pages play of a demo, or of the ticks of a clip. */
export const TracksShape = StoredFileShape.extend({ createdAt: z.number() });

/** Why and when the operator took a clip down. */
export const RemovalShape = z.looseObject({ at: z.number(), reason: z.string() });

/** A job's clip (contract 2.3). Times are milliseconds since the epoch. */
export const ClipShape = z.looseObject({
  state: z.enum(['ready', 'deleted']),
  isSaved: z.boolean(),
  title: z.string(),
  /** What it shows; absent if the host reported only a title. */
  facts: StoredFactsShape.optional(),
  /** Shorter side of the picture in pixels. */
  resolution: z.number(),
  /** Absent for 16:9. */
  aspect: z.enum(ASPECTS).optional(),
  fps: z.number(),
  tier: z.enum(TIERS),
  /** The renderer of the host that made it; absent if the host reported none. */
  renderer: z.enum(RENDERERS).optional(),
  /** Seconds; 0 if the length could not be read. */
  durationSeconds: z.number(),
  video: StoredFileShape,
  thumbnail: StoredFileShape,
  storyboard: StoryboardShape.optional(),
  /** When the clip first became ready. */
  createdAt: z.number(),
  /** When the present files were rendered. Expiry counts from here. */
  renderedAt: z.number(),
  /** Present if the operator took it down. It is then `deleted`, and no run makes it again. */
  removal: RemovalShape.optional(),
});

export type Clip = ReadAs<typeof ClipShape>;

/** What a host reports of a finished render. */
export interface RenderResult {
  readonly title: string;
  readonly facts?: ClipFacts | undefined;
  readonly durationSeconds: number;
  readonly video: StoredFile;
  readonly thumbnail: StoredFile;
  readonly storyboard?: Storyboard | undefined;
}

/**
 * Returns the clip after a successful run. A re-run replaces the files of the same clip and makes a deleted clip
 * `ready`. Its keep mark and creation time stay.
 */
export function clipAfterRender(
  before: Clip | null,
  rendered: Omit<Clip, 'state' | 'isSaved' | 'createdAt' | 'renderedAt' | 'removal'>,
  now: number,
): Clip {
  const isSaved = before?.isSaved ?? false;
  return { ...rendered, state: 'ready', isSaved, createdAt: before?.createdAt ?? now, renderedAt: now };
}

/** Returns the same object if nothing changes, and for a clip that the operator took down. */
export function clipAfterSave(clip: Clip | null, isSaved: boolean): Clip | null {
  return clip && !clip.removal && clip.isSaved !== isSaved ? { ...clip, isSaved } : clip;
}

/** Returns the same object if the clip is deleted already. */
export function clipAfterDelete(clip: Clip | null): Clip | null {
  return clip && clip.state !== 'deleted' ? { ...clip, state: 'deleted' } : clip;
}
