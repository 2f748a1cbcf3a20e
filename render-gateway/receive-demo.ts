import { describeWrongFile, fileKind, HEAD_BYTES, isArchive, wrongFile } from '#domain/file-kind.ts';
import { demoFileKey } from '#domain/storage-keys.ts';
import { invalidRequest, notFound, ProblemError } from '#http/problem.ts';
import { toHex } from '#platform/digest.ts';
import { keepArrival } from '#service/rules/keep-arrival.ts';
import type { Service } from '#service/service.ts';
import { abortUpload } from '#storage/clip-files.ts';
import type { UploadRow } from '#storage/schema.ts';
import { expireUpload, findUpload, findUploadOf, removeUploads } from '#storage/uploads.ts';
import { checkedStream } from './checked-stream.ts';
import { orIncomplete } from './or-incomplete.ts';

type Storage = Pick<Service, 'database' | 'demos' | 'settings' | 'now'>;

/**
 * Stores the file of an upload that comes in one piece, and completes the upload. If the account has the same bytes
 * already, removes the upload and returns that one. Rejects with a problem, and removes the upload: 400 for a file that
 * is no demo, 408 for a slow body, 404 if the upload was deleted meanwhile.
 */
export async function receiveDemo(
  service: Storage,
  upload: UploadRow,
  body: ReadableStream<Uint8Array>,
): Promise<UploadRow> {
  const key = demoFileKey(upload.accountId, upload.id);
  const checked = checkedStream(body.pipeThrough(demoOnly()), upload.bytes);
  try {
    const stored = service.demos.put(key, checked.stream).catch(async (error) => {
      await checked.release();
      throw checked.refusal() ?? error;
    });
    await orIncomplete(stored);
    return await completeOnce(service, upload, checked.sha256());
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
export async function makeWay(service: Storage, upload: UploadRow): Promise<void> {
  if (await expireUpload(service.database, upload.id, service.now())) await forgetUpload(service, upload);
}

/** Removes an upload with its file, the file first: its bytes count until then. */
export async function forgetUpload(
  { database, demos }: Pick<Storage, 'database' | 'demos'>,
  upload: UploadRow,
): Promise<void> {
  const key = demoFileKey(upload.accountId, upload.id);
  const { multipartId: uploadId } = upload;
  if (upload.completedAt === null && uploadId !== null) await abortUpload(demos, { key, uploadId });
  await demos.delete(key);
  await removeUploads(database, [upload.id]);
}

/** Passes on a body that begins like a demo or an archive. Fails with a 400 problem for any other. */
function demoOnly(): TransformStream<Uint8Array, Uint8Array> {
  let head = '';
  const check = () => {
    const kind = fileKind(head);
    if (kind === 'demo' || isArchive(kind)) return;
    const other = kind === 'csgo-demo' ? 'a demo of CS:GO' : describeWrongFile(wrongFile(head));
    const found = other === null ? 'the body begins like none of them' : `this is ${other}`;
    throw invalidRequest([{ path: '', message: `must be a demo of Counter-Strike 2, or one in an archive; ${found}` }]);
  };
  return new TransformStream({
    transform(chunk, controller) {
      if (head.length < 2 * HEAD_BYTES) head += toHex(chunk.subarray(0, HEAD_BYTES));
      if (head.length >= 2 * HEAD_BYTES) check();
      controller.enqueue(chunk);
    },
    flush: check,
  });
}
