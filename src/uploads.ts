import { DAY_MS } from '#domain/metering.ts';
import { demoFileKey } from '#domain/storage-keys.ts';
import { notFound, type ProblemError } from '#http/problem.ts';
import { limitReached, rateLimited } from '#http/rate-limit.ts';
import type { Log } from '#platform/log.ts';
import type { Service } from '#service/service.ts';
import type { Caller } from '#storage/accounts.ts';
import { abortUpload } from '#storage/clip-files.ts';
import type { UploadRow } from '#storage/schema.ts';
import { findUpload, insertUpload, type NewUpload, removeUploads, type StoredUpload } from '#storage/uploads.ts';
import { eachOf } from './each-of.ts';

const MIB = 1024 * 1024;

/** How long an upload is open, in milliseconds. Storage drops an upload in parts after a week. */
export const OPEN_FOR = DAY_MS;

/** Throws a 429 problem if the account sends too many uploads a minute. */
export async function requireUploadRate({ limits }: Pick<Service, 'limits'>, caller: Caller): Promise<void> {
  const uploads = limits.uploads.of(caller.limits.uploads);
  const wait = await uploads.take(caller.accountId);
  if (wait > 0) throw rateLimited(uploads.policy, wait);
}

/** Adds an upload of the caller. Returns null, or the problem if it is known already or beyond a limit. */
export async function addUpload(
  { database, settings }: Pick<Service, 'database' | 'settings'>,
  caller: Caller,
  upload: NewUpload,
): Promise<ProblemError | null> {
  const { demo_mib, open_uploads: open, ingest } = { ...settings.limits, ...caller.limits };
  const aDay = caller.scope === 'ingest' ? { ...ingest, ...caller.ingestLimits } : null;
  if (await insertUpload(database, upload, { bytes: demo_mib * MIB, open, aDay })) return null;
  const most = `An account may have ${open} open uploads, and ${demo_mib} MiB of demos, each of 1 MiB at least.`;
  if (aDay === null) return limitReached(`${most} Complete some, or delete some.`);
  const ofKey = `This key may send ${aDay.demos} demos and ${aDay.mib} MiB a day (UTC).`;
  return limitReached(`${ofKey} ${most}`, 10 * 60);
}

/**
 * Returns an upload as a caller may read it who only knows its SHA-256: a key of scope `ingest` gets its own words back
 * in the place of those of another sender.
 */
export function shownTo(caller: Caller, upload: UploadRow, sent: Partial<UploadRow>): UploadRow {
  return caller.scope === 'ingest' && upload.keyId !== caller.keyId ? { ...upload, ...sent } : upload;
}

/**
 * Returns an upload of the caller; with a key of scope `ingest`, of that key. Throws a 404 problem if there is none, or
 * if it has expired.
 */
export async function requireUpload(
  { database, now }: Pick<Service, 'database' | 'now'>,
  caller: Caller,
  id: string,
): Promise<UploadRow> {
  const upload = await findUpload(database, caller.accountId, id);
  const isOthers = caller.scope === 'ingest' && upload?.keyId !== caller.keyId;
  if (upload === null || upload.expiresAt <= now() || isOthers) throw notFound();
  return upload;
}

/**
 * Removes uploads with their files, the files first: their bytes count until then. Logs a failure and continues.
 * Returns how many were removed.
 */
export async function forgetUploads(
  { database, demos }: Pick<Service, 'database' | 'demos'>,
  rows: readonly StoredUpload[],
  log: Log,
): Promise<number> {
  const keyOf = ({ accountId, id }: StoredUpload) => demoFileKey(accountId, id);
  const open = rows.filter(({ completedAt }) => completedAt === null);
  const abort = async (row: StoredUpload) => {
    if (row.multipartId !== null) await abortUpload(demos, { key: keyOf(row), uploadId: row.multipartId });
  };
  const stuck = new Set(await eachOf(log, open, abort));
  const over = rows.filter((row) => !stuck.has(row));
  if (over.length === 0) return 0;
  await demos.delete(over.map(keyOf));
  await removeUploads(
    database,
    over.map(({ id }) => id),
  );
  return over.length;
}
