import { DAY_MS } from '#domain/job/metering.ts';
import { demoFileKey } from '#domain/job/storage-keys.ts';
import { describeWrongFile, fileKind, HEAD_BYTES, isArchive, wrongFile } from '#domain/lib/file-headers.ts';
import { uuidFromBytes } from '#domain/lib/ids.ts';
import { invalidRequest, notFound, ProblemError } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { hmacSha256, toHex } from '#platform/digest.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { abortUpload } from '#storage/clip/clip-files.ts';
import {
  expireUpload,
  findUpload,
  findUploadOf,
  insertUpload,
  keepUpload,
  type NewUpload,
  removeUploads,
  type StoredUpload,
} from '#storage/demo/uploads.ts';
import { selectActiveRules } from '#storage/rule/rules.ts';
import type { RuleDefinition } from '#storage/schema/rules.ts';
import type { UploadRow } from '#storage/schema/schema.ts';
import { diskFull } from '../lib/admission.ts';
import type { HeldSpace } from '../lib/controls.ts';
import type { Service } from '../lib/service.ts';
import { storeBody } from '../lib/store-body.ts';

/**
 * Completes an upload, or keeps a complete one that comes again, and begins the runs of the rules that act on it, in one
 * transaction. Returns null like `keepUpload`. A rule's run needs the demo as long as a job may wait.
 */
export async function keepArrival(
  { database, settings, now }: Pick<Service, 'database' | 'settings' | 'now'>,
  upload: UploadRow,
  { sha256, facts, demoUrl }: { readonly sha256: string } & Partial<Pick<UploadRow, 'facts' | 'demoUrl'>>,
): Promise<UploadRow | null> {
  const acting = (await selectActiveRules(database, upload.accountId)).filter((rule) =>
    actsOn(rule.definition, upload),
  );
  const runs = await Promise.all(
    acting.map(async ({ id }) => ({ id: uuidFromBytes(await hmacSha256(id)(sha256), 8), ruleId: id })),
  );
  const at = now();
  const kept = Math.max(settings.demoTtl, runs.length > 0 ? settings.schedule.runDeadline : 0);
  const set = { completedAt: upload.completedAt ?? at, expiresAt: at + kept, sha256, facts, demoUrl };
  return keepUpload(database, upload, at, set, runs);
}

function actsOn({ when }: RuleDefinition, { source, tag }: UploadRow): boolean {
  return (when.sources?.includes(source) ?? true) && (!when.tags || (tag !== null && when.tags.includes(tag)));
}

const MIB = 1024 * 1024;

/** How long an upload is open, in milliseconds. Storage drops an upload in parts after a week. */
export const OPEN_FOR = DAY_MS;

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

type Storage = Pick<Service, 'database' | 'demos' | 'disk' | 'settings' | 'now'>;

/**
 * Stores the file of an upload that comes in one piece, and completes the upload. If the account has the same bytes
 * already, removes the upload and returns that one. Rejects with a problem, and removes the upload: 400 for a file that
 * is no demo, 408 for a slow body, 404 if the upload was deleted meanwhile, 503 if the disk has no room for it.
 */
export async function receiveDemo(
  service: Storage,
  upload: UploadRow,
  body: ReadableStream<Uint8Array>,
): Promise<UploadRow> {
  const key = demoFileKey(upload.accountId, upload.id);
  let space: HeldSpace | null = null;
  try {
    space = await service.disk.hold(upload.bytes);
    if (space === null) throw diskFull();
    const put = (stream: ReadableStream<Uint8Array>) => service.demos.put(key, stream);
    const check = demoCheck(upload.bytes, space);
    const { sha256 } = await storeBody(body, upload.bytes, put, { check });
    return await completeOnce(service, upload, sha256);
  } catch (error) {
    const isGone = error instanceof ProblemError && error.kind === 'not_found';
    try {
      if (isGone) await forgetUpload(service, upload);
      else await makeWay(service, upload);
      // The answer of the statement that completes the upload may be lost: its row shows whether it took effect.
      const row = await findUpload(service.database, upload.accountId, upload.id);
      if (row?.completedAt) return row;
    } catch {
      // The cron removes the upload when it expires, unless it is complete.
    }
    throw error;
  } finally {
    space?.release();
  }
}

/** Completes the upload, or keeps the one that has the same bytes. */
async function completeOnce(service: Storage, upload: UploadRow, sha256: string): Promise<UploadRow> {
  const { accountId, bytes, facts } = upload;
  for (;;) {
    const completed = await keepArrival(service, upload, { sha256 });
    if (completed) return completed;
    const same = await findUploadOf(service.database, accountId, { sha256, bytes });
    if (same === null) throw notFound();
    const kept = same.completedAt && (await keepArrival(service, same, { sha256, facts }));
    // An incomplete or expired upload makes way for the file that is there.
    if (kept) {
      await forgetUpload(service, upload);
      return kept;
    }
    await makeWay(service, same);
  }
}

/** Removes an upload, unless it is complete and live. */
export async function makeWay(service: Pick<Storage, 'database' | 'demos' | 'now'>, upload: UploadRow): Promise<void> {
  if (await expireUpload(service.database, upload.id, service.now())) await forgetUpload(service, upload);
}

/** Removes an upload with its file. */
export async function forgetUpload(service: Pick<Storage, 'database' | 'demos'>, upload: StoredUpload): Promise<void> {
  await abortParts(service, upload);
  await removeFiles(service, [upload]);
}

/** Aborts an upload in parts that is not complete. */
export async function abortParts(
  { demos }: Pick<Storage, 'demos'>,
  { accountId, id, multipartId: uploadId, completedAt }: StoredUpload,
): Promise<void> {
  if (completedAt !== null || uploadId === null) return;
  await abortUpload(demos, { key: demoFileKey(accountId, id), uploadId });
}

/** Removes uploads without open parts with their files, the files first: their bytes count until then. */
export async function removeFiles(
  { database, demos }: Pick<Storage, 'database' | 'demos'>,
  rows: readonly StoredUpload[],
): Promise<void> {
  await demos.delete(rows.map(({ accountId, id }) => demoFileKey(accountId, id)));
  await removeUploads(
    database,
    rows.map(({ id }) => id),
  );
}

/** Returns a check of a demo's chunks. It throws a 400 problem unless they begin like a demo or an archive. */
function demoCheck(bytes: number, { came }: HeldSpace): (chunk: Uint8Array) => void {
  let head = '';
  let length = 0;
  return (chunk) => {
    came(chunk.byteLength);
    const isHead = length < HEAD_BYTES;
    length += chunk.byteLength;
    if (isHead) head += toHex(chunk.subarray(0, HEAD_BYTES));
    if (isHead && length >= Math.min(HEAD_BYTES, bytes)) requireDemo(head);
  };
}

/** Throws a 400 problem unless this is the head of a demo or an archive, in hex. */
function requireDemo(head: string): void {
  const kind = fileKind(head);
  if (kind === 'demo' || isArchive(kind)) return;
  const other = kind === 'csgo-demo' ? 'a demo of CS:GO' : describeWrongFile(wrongFile(head));
  const found = other === null ? 'the body begins like none of them' : `this is ${other}`;
  throw invalidRequest([{ path: '', message: `must be a demo of Counter-Strike 2, or one in an archive; ${found}` }]);
}
