import type { PublicRecord } from './public-record.ts';

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
