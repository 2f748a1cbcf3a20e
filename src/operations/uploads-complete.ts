import { demoFileKey } from '#domain/storage-keys.ts';
import { notFound, ProblemError } from '#http/problem.ts';
import { UPLOAD_SUMMARY } from '#protocol/examples.ts';
import { Upload } from '#protocol/uploads.ts';
import { orIncomplete } from '#render-gateway/or-incomplete.ts';
import { forgetUpload, makeWay } from '#render-gateway/receive-demo.ts';
import { requireContent } from '#render-gateway/stored-file.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { advanceRuns } from '#service/rules/advance-runs.ts';
import { keepArrival } from '#service/rules/keep-arrival.ts';
import type { Service } from '#service/service.ts';
import { isNoSuchUpload } from '#storage/clip-files.ts';
import type { UploadRow } from '#storage/schema.ts';
import { forgetParts, isInParts, type PartedUpload } from '#storage/uploads.ts';
import { requireUpload } from '../uploads.ts';
import { missingParts, uploadView } from './upload-view.ts';

/** Continues when the client disconnects. */
export const completeUpload = operation({
  route: 'POST /api/uploads/:id/complete',
  scope: 'account:ingest',
  repeatable: 'always',
  answers: { 200: Upload },
  handler: async (service, { caller, params, waitUntil, reply }) => {
    const upload = await requireUpload(service, caller, params.id);
    if (upload.completedAt !== null) return reply(200, await uploadView(service, upload));
    if (!isInParts(upload)) throw new ProblemError('upload_incomplete', 'Its bytes are still coming in one piece.');
    const completed = complete(service, upload);
    waitUntil(completed.then(({ id }) => advanceRuns(service, id)).catch(() => {}));
    return reply(200, await uploadView(service, await completed));
  },
});

export const words = (): Words => ({
  completeUpload: {
    tag: 'Demos',
    summary: 'Complete an upload',
    description:
      'Compares the file with the announced SHA-256. A file that differs is removed and has to be sent again. Completing again changes nothing.',
    answers: { 200: answer('The demo is ready.', { ...UPLOAD_SUMMARY, parts: [] }) },
    problems: ['upload_incomplete'],
  },
});

async function complete(
  service: Pick<Service, 'database' | 'demos' | 'settings' | 'now'>,
  upload: PartedUpload,
): Promise<UploadRow> {
  const { database, demos } = service;
  const { id, accountId, bytes, sha256, multipartId } = upload;
  const key = demoFileKey(accountId, id);
  // After an interruption, storage may have the whole file already.
  if ((await demos.head(key)) === null) {
    const missing = missingParts(upload);
    if (missing.length > 0) throw new ProblemError('upload_incomplete', `Missing are the parts ${missing.join(', ')}.`);
    // Numbers as keys come in ascending order.
    const parts = Object.entries(upload.parts).map(([part, etag]) => ({ partNumber: Number(part), etag }));
    await orIncomplete(demos.resumeMultipartUpload(key, multipartId).complete(parts)).catch(async (error) => {
      if (!(error instanceof ProblemError)) throw error;
      if (isNoSuchUpload(error)) {
        // Another request may have joined the parts.
        if ((await demos.head(key)) !== null) return;
        await makeWay(service, upload);
        throw new ProblemError('upload_incomplete', `${error.message}. Begin a new upload: all parts are gone.`);
      }
      // A part was replaced, and the note of the new one was lost.
      await forgetParts(database, id);
      throw new ProblemError(
        'upload_incomplete',
        `${error.message}. Ask for the upload again: it lists the parts to send.`,
      );
    });
  }
  try {
    await requireContent(demos, { key, bytes, sha256 });
  } catch (error) {
    if (error instanceof ProblemError) await forgetUpload(service, upload);
    throw error;
  }
  const completed = await keepArrival(service, upload, { sha256 });
  if (completed) return completed;
  // The upload was deleted or has expired meanwhile.
  await demos.delete(key);
  throw notFound();
}
