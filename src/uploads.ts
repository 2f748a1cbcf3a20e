import { demoFileKey } from '#domain/storage-keys.ts';
import { invalidRequest, notFound } from '#http/problem.ts';
import type { Log } from '#platform/log.ts';
import { uploadIdIn } from '#protocol/uploads.ts';
import type { Service } from '#service/service.ts';
import type { Caller } from '#storage/accounts.ts';
import type { UploadRow } from '#storage/schema.ts';
import { findUpload, removeUploads, type StoredUpload } from '#storage/uploads.ts';
import { eachOf, mapFew } from './each-of.ts';

/** Returns an upload of the caller. Throws a 404 problem if there is none, or if it has expired. */
export async function requireUpload(
  { database, now }: Pick<Service, 'database' | 'now'>,
  caller: Caller,
  id: string,
): Promise<UploadRow> {
  const upload = await findUpload(database, caller.accountId, id);
  if (upload === null || upload.expiresAt <= now()) throw notFound();
  return upload;
}

/** Throws a 400 problem if the address is of an upload that is not complete or not of the account. */
export async function requireUploadedDemo(
  { database, settings, now }: Pick<Service, 'database' | 'settings' | 'now'>,
  caller: Caller,
  demoUrl: string,
): Promise<void> {
  const id = uploadIdIn(demoUrl, settings.ownOrigins);
  if (id === null) return;
  const upload = await findUpload(database, caller.accountId, id);
  if (upload !== null && upload.completedAt !== null && upload.expiresAt > now()) return;
  const message = 'must be the demo_url of one of your uploads that is complete';
  throw invalidRequest([{ path: 'demo_url', message }]);
}

/**
 * Removes uploads with their files, the files first: their bytes count until then. Without `log`, rejects if one fails;
 * with `log`, logs the failure and continues. Returns how many were removed.
 */
export async function forgetUploads(
  { database, demos, demoParts }: Pick<Service, 'database' | 'demos' | 'demoParts'>,
  rows: readonly StoredUpload[],
  log?: Log,
): Promise<number> {
  const keyOf = ({ accountId, id }: StoredUpload) => demoFileKey(accountId, id);
  const open = rows.filter(({ completedAt }) => completedAt === null);
  const abort = (row: StoredUpload) => demoParts.abort(keyOf(row), row);
  const stuck = new Set(log ? await eachOf(log, open, abort) : []);
  if (!log) await mapFew(open, abort);
  const over = rows.filter((row) => !stuck.has(row));
  if (over.length === 0) return 0;
  await demos.delete(over.map(keyOf));
  await removeUploads(
    database,
    over.map(({ id }) => id),
  );
  return over.length;
}
