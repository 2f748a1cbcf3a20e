import * as z from 'zod';
import { USUAL_VIEWING, type Viewing } from '#domain/account/account.ts';
import { BrandShape } from '#domain/account/brand.ts';
import { ClipShape, TracksShape } from '../clip/clip.ts';
import type { ReadAs } from '../lib/types.ts';
import type { Job } from './job.ts';

/** The public part of a ready clip. */
const PublicClipShape = ClipShape.omit({ state: true, isSaved: true, tier: true, removal: true }).extend({
  /** The same as in `Viewing`; absent for any site. */
  embedSites: z.array(z.string()).optional(),
  showsViews: z.boolean().optional(),
  /** The lists that show it, of its match and its player; absent if its account does not show lists. */
  lists: z.array(z.string()).optional(),
  /** A job of a test key made it. */
  isTest: z.literal(true).optional(),
  tracks: TracksShape.optional(),
});
export type PublicClip = ReadAs<typeof PublicClipShape>;

/** The public part of a replay without a ready clip: of a demo, or of a clip that is being made. */
const PublicReplayShape = PublicClipShape.pick({ embedSites: true, isTest: true }).extend({ tracks: TracksShape });

/** `brand`: the account's own, if it has one. */
const always = { version: z.int(), brand: BrandShape.optional() };

/**
 * All that viewers need of a clip, stored beside its files. `version` is the job's: an older record never replaces a
 * newer one. `replay`: there is no clip yet, or the job is an inspection, and its ticks can be played. `removed`: the
 * operator took it down, or hides the clips of its account. `unknown`: the job has no clip and no replay. Nobody can
 * know the id of a clip before it is made (decision 019).
 */
export const PublicRecordShape = z.discriminatedUnion('state', [
  z.object({ ...always, state: z.literal('ready'), clip: PublicClipShape }),
  z.object({ ...always, state: z.literal('replay'), clip: PublicReplayShape }),
  z.object({ ...always, state: z.enum(['deleted', 'removed', 'unknown']) }),
]);
export type PublicRecord = ReadAs<typeof PublicRecordShape>;

/** Returns the public record of a job's clip under its account's viewing settings. `lists`: those that show it. */
export function recordOf(
  {
    version,
    clip,
    tracks,
    isTest,
    removal = clip?.removal,
  }: Pick<Job, 'version' | 'clip' | 'tracks' | 'isTest' | 'removal'>,
  { brand, embedSites, showsViews, showsMore, isHidden }: Viewing = USUAL_VIEWING,
  lists: readonly string[] = [],
): PublicRecord {
  const all = { version, ...(brand ? { brand } : {}) };
  if (removal) return { ...all, state: 'removed' };
  if (clip?.state === 'deleted') return { ...all, state: 'deleted' };
  if (isHidden && (clip ?? tracks)) return { ...all, state: 'removed' };
  const limits = {
    ...(embedSites === null ? {} : { embedSites }),
    ...(isTest ? { isTest: true as const } : {}),
  };
  if (clip === null) {
    return tracks ? { ...all, state: 'replay', clip: { tracks, ...limits } } : { ...all, state: 'unknown' };
  }
  const { title, facts, renderer, resolution, aspect, fps, durationSeconds, createdAt, renderedAt } = clip;
  const { video, thumbnail, storyboard } = clip;
  const about = { title, facts, renderer, resolution, aspect, fps, durationSeconds, createdAt, renderedAt };
  const wanted = {
    ...limits,
    ...(tracks ? { tracks } : {}),
    ...(showsViews ? { showsViews } : {}),
    // A list by match or player would reveal who plays.
    ...(showsMore && facts?.names !== 'hidden' ? { lists } : {}),
  };
  return { ...all, state: 'ready', clip: { ...about, video, thumbnail, storyboard, ...wanted } };
}

/** A clip as it is listed on the page of another clip. */
export interface ListedClip {
  readonly id: string;
  /** The job's version. An older entry never replaces a newer one. */
  readonly version: number;
  /** Null if it is no longer shown. The entry stays, so that a late update does not show it again. */
  readonly shown: {
    readonly title: string;
    readonly durationSeconds: number;
    readonly thumbnail: string;
    readonly createdAt: number;
  } | null;
}

/** Clips of one match, or of one player, of one account. */
export type ClipList = readonly ListedClip[];

/** The most entries of a list. It is more than a page shows, because some clips are deleted later. */
const MOST_SHOWN = 24;
const MOST_GONE = 24;

/** Returns the entry of a clip for a list: shown if its record names the list. */
export function entryOf(id: string, record: PublicRecord, list: string): ListedClip {
  const { version } = record;
  if (record.state !== 'ready' || !record.clip.lists?.includes(list)) return { id, version, shown: null };
  const { title, durationSeconds, thumbnail, createdAt } = record.clip;
  return { id, version, shown: { title, durationSeconds, thumbnail: thumbnail.key, createdAt } };
}

/** Returns the list with a new entry, newest clip first. Returns null if nothing changes. */
export function withEntry(list: ClipList, entry: ListedClip): ClipList | null {
  const known = list.find(({ id }) => id === entry.id);
  if (known ? known.version >= entry.version : entry.shown === null) return null;
  const all = [entry, ...list.filter((one) => one !== known)];
  const shown = all.filter((one) => one.shown !== null);
  shown.sort((a, b) => (b.shown?.createdAt ?? 0) - (a.shown?.createdAt ?? 0));
  const gone = all.filter((one) => one.shown === null);
  const kept = [...shown.slice(0, MOST_SHOWN), ...gone.slice(0, MOST_GONE)];
  return kept.includes(entry) ? kept : null;
}
