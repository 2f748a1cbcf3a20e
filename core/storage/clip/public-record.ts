import { type PublicRecord, PublicRecordShape } from '#domain/job/public-record.ts';
import { publicRecordKey } from '#domain/job/storage-keys.ts';

/** The most earlier lists of a clip that its record names. */
const MOST_LISTS = 8;

/**
 * The most tries of a write. Concurrent writers of one record are a job's object and, after a reset, what is left of it
 * in memory.
 */
const MOST_TRIES = 4;

export function parseRecord(text: string): PublicRecord {
  return PublicRecordShape.parse(JSON.parse(text));
}

/** Reads the record of a clip; null if there is none. */
export async function readRecord(files: Pick<R2Bucket, 'get'>, clipId: string): Promise<PublicRecord | null> {
  const object = await files.get(publicRecordKey(clipId));
  return object && parseRecord(await object.text());
}

/** Returns the version of the record of a clip without its content; null if there is none. */
export async function publishedVersion(files: Pick<R2Bucket, 'head'>, clipId: string): Promise<number | null> {
  const found = await files.head(publicRecordKey(clipId));
  return found && Number(found.customMetadata?.version ?? 0);
}

/**
 * Writes the record of a clip, unless a newer one exists: the version is in the object's metadata, and each write is
 * conditional on the object that was read. Repeatable. Rejects if it could not be written. Returns the lists to update:
 * those that the record and its predecessors name.
 */
export async function writeRecord(
  files: Pick<R2Bucket, 'head' | 'put'>,
  clipId: string,
  record: PublicRecord,
): Promise<readonly string[]> {
  const key = publicRecordKey(clipId);
  const version = String(record.version);
  const named = record.state === 'ready' ? (record.clip.lists ?? []) : [];
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const found = await files.head(key);
    if (found === null && record.state === 'unknown') return [];
    const before = found?.customMetadata?.lists?.split(' ') ?? [];
    // An earlier write may have failed to update the lists.
    if (found?.customMetadata?.version === version) return before;
    if (found && Number(found.customMetadata?.version) > record.version) return [];
    const lists = [...new Set([...named, ...before])].slice(0, MOST_LISTS);
    const customMetadata = { version, ...(lists.length > 0 ? { lists: lists.join(' ') } : {}) };
    const onlyIf = found ? { etagMatches: found.etag } : new Headers({ 'If-None-Match': '*' });
    if ((await files.put(key, JSON.stringify(record), { onlyIf, customMetadata })) !== null) return lists;
  }
  throw new Error(`the record of clip ${clipId} was written by others ${MOST_TRIES} times meanwhile`);
}
