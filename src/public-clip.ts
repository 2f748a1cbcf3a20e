import { databasesOf } from '../domain/home-database.ts';
import { isUuid } from '../domain/ids.ts';
import { type PublicRecord, recordOf } from '../domain/public-record.ts';
import type { Context } from '../http/router.ts';
import type { Service } from '../service/service.ts';
import { findClip } from '../storage/clip-index.ts';
import { hasAllRecords } from '../storage/public-record.ts';
import { forgetRecord, loadRecord } from '../storage/record-cache.ts';

/** Where clips are looked up: their records, and for those of before there were any, the jobs that own them. */
export type ClipSource = Pick<Service, 'settings' | 'files' | 'databases' | 'job' | 'clipIds'>;

const UNKNOWN: PublicRecord = { version: 0, state: 'unknown' };

/** How long an isolate believes that there are clips without a record. */
const ASK_AGAIN_MS = 60_000;

/** What viewers may know of the clip with this id. `atLeast`: the version that the asking page was made of. */
export async function loadPublicRecord(
  source: ClipSource,
  id: string,
  { waitUntil }: Pick<Context, 'waitUntil'>,
  atLeast?: number,
): Promise<PublicRecord> {
  if (!isUuid(id)) return UNKNOWN;
  const record = await loadRecord(source, id, waitUntil, atLeast);
  if (record || (await isComplete(source))) return record ?? UNKNOWN;
  return (await askOwners(source, id)) ?? UNKNOWN;
}

const completeness = { isKnown: false, askAt: 0 };

/** Whether all clips have a record. Once they have, no id costs more than to look for it. */
async function isComplete({ files }: ClipSource): Promise<boolean> {
  const now = Date.now();
  if (completeness.isKnown || now < completeness.askAt) return completeness.isKnown;
  completeness.isKnown = await hasAllRecords(files);
  completeness.askAt = now + ASK_AGAIN_MS;
  return completeness.isKnown;
}

/** A clip of before there were records gets its own here. */
async function askOwners(source: ClipSource, id: string): Promise<PublicRecord | null> {
  const { job, clipIds, databases } = source;
  for (const owner of await clipIds.ownersOf(id)) {
    const published = await publishedBy(job(owner), id);
    if (published === null) continue;
    await forgetRecord(source, id);
    return published;
  }
  // Of a deployment that has changed its secret, the index still knows the clip.
  for (const name of databases.names) {
    const clip = await findClip(databases.of(name), id);
    if (clip) return recordOf({ version: 0, status: 'done', clip });
  }
  return null;
}

/**
 * Where the index may have a clip, the likeliest first: the id of its job says so, and that follows from its own. Where
 * there is one database nothing is computed.
 */
export async function databasesOfClip(
  { databases, clipIds }: Pick<Service, 'databases' | 'clipIds'>,
  clipId: string,
): Promise<readonly string[]> {
  if (databases.names.length === 1) return databases.names;
  const [owner = ''] = await clipIds.ownersOf(clipId);
  return databasesOf(owner, databases.names);
}

type Owner = ReturnType<Service['job']>;

/** During a deployment the job's object may be of the version before, which writes no records: it says what it sees. */
async function publishedBy(owner: Owner, id: string): Promise<PublicRecord | null> {
  try {
    return await owner.publish(id);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('does not implement'))) throw error;
  }
  const seen = await owner.readPublicClip(id);
  if (seen === null) return null;
  return recordOf(
    seen === 'rendering' ? { version: 0, status: 'pending', clip: null } : { version: 0, status: 'done', clip: seen },
  );
}
