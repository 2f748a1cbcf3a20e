import type { PublicRecord } from './public-record.ts';

/** A clip as the page of another one of its list shows it. */
export interface ListedClip {
  readonly id: string;
  /** The job's, so that what is older never takes the place of what is newer. */
  readonly version: number;
  /** Null for one that is not shown any more: kept, so that nobody who is late brings it back. */
  readonly shown: {
    readonly title: string;
    readonly durationSeconds: number;
    readonly thumbnail: string;
    readonly createdAt: number;
  } | null;
}

/** Clips of one match, or of one player, of one account. */
export type ClipList = readonly ListedClip[];

/** More than a page shows: some of them are deleted by and by. */
const MOST_SHOWN = 24;
const MOST_GONE = 24;

/** The entry of a clip in a list that its record names, or does not name any more. */
export function entryOf(id: string, record: PublicRecord, list: string): ListedClip {
  const { version } = record;
  if (record.state !== 'ready' || !record.clip.lists?.includes(list)) return { id, version, shown: null };
  const { title, durationSeconds, thumbnail, createdAt } = record.clip;
  return { id, version, shown: { title, durationSeconds, thumbnail: thumbnail.key, createdAt } };
}

/** A list with an entry as it is now, the newest clip first; null where that changes nothing that is kept. */
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
