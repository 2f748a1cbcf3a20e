import { demoFileKey } from '#domain/job/storage-keys.ts';
import { invalidRequest, notFound, ProblemError } from '#http/problem.ts';
import type { Settings } from '#platform/settings.ts';
import { PartQuery, UPLOAD_ROUTE, Upload, UploadList, UploadListQuery, UploadRequest } from '#protocol/demo/uploads.ts';
import { OPEN_UPLOAD, UPLOAD_ID, UPLOAD_REQUEST, UPLOAD_SUMMARY } from '#protocol/examples/client.ts';
import { PART_BYTES } from '#protocol/host/gateway.ts';
import { pageOf } from '#protocol/lib/lists.ts';
import { href } from '#protocol/lib/routes.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { deleteInspection, demoIdOf } from '#service/demo/inspect-demo.ts';
import {
  addUpload,
  forgetUpload,
  keepArrival,
  makeWay,
  OPEN_FOR,
  requireUpload,
  shownTo,
} from '#service/demo/uploads.ts';
import { takeRate } from '#service/job/job-limits.ts';
import { mapFew } from '#service/lib/each-of.ts';
import { answer, located, only, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { orIncomplete, requireContent, sizedBody, storeBody } from '#service/lib/store-body.ts';
import { advanceRuns } from '#service/rule/advance-runs.ts';
import { findCallerOfKey } from '#storage/account/accounts.ts';
import { abortUpload, isNoSuchUpload } from '#storage/clip/clip-files.ts';
import {
  countPart,
  findUploadOf,
  forgetParts,
  isInParts,
  NO_PARTS,
  notePart,
  type PartedUpload,
} from '#storage/demo/uploads.ts';
import { selectUploads } from '#storage/lib/lists.ts';
import { selectInspections } from '#storage/operate/upkeep.ts';
import type { UploadRow } from '#storage/schema/schema.ts';

/** Returns an upload as its account sees it, without its parts. */
function uploadSummary(row: UploadRow, { baseUrl }: Pick<Settings, 'baseUrl'>): Omit<Upload, 'parts'> {
  const { id, name, bytes, sha256, source, tag, facts, completedAt, createdAt, expiresAt } = row;
  return {
    id,
    name,
    bytes,
    sha256: row.demoUrl === null ? sha256 : null,
    source,
    tag,
    facts,
    state: completedAt === null ? 'open' : 'complete',
    demo_url: baseUrl + href(UPLOAD_ROUTE, { id }),
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
  };
}

/** Returns an upload as its account sees it. */
export async function uploadView(
  { demos, settings }: Pick<Service, 'demos' | 'settings'>,
  row: UploadRow,
): Promise<Upload> {
  const isWhole =
    row.completedAt !== null ||
    !isInParts(row) ||
    // After an interrupted completion storage has the whole file, and no parts.
    (await demos.head(demoFileKey(row.accountId, row.id))) !== null;
  return isWhole ? { ...uploadSummary(row, settings), parts: [] } : openUploadView(row, settings);
}

/** Returns an upload in parts that is not complete, with its missing parts. */
function openUploadView(row: UploadRow, settings: Pick<Settings, 'baseUrl'>): Upload {
  const summary = uploadSummary(row, settings);
  const parts = missingParts(row).map((part) => ({
    part,
    offset: (part - 1) * PART_BYTES,
    bytes: partBytes(row, part),
    url: `${summary.demo_url}/part?part=${part}`,
  }));
  return { ...summary, parts };
}

/** Returns the numbers of the missing parts. */
function missingParts({ bytes, parts }: Pick<UploadRow, 'bytes' | 'parts'>): number[] {
  const all = Array.from({ length: Math.ceil(bytes / PART_BYTES) }, (_, index) => index + 1);
  return all.filter((part) => parts[part] === undefined);
}

/** Returns the size of a part; 0 if the file has no such part. */
function partBytes({ bytes }: Pick<UploadRow, 'bytes'>, part: number): number {
  return Math.max(0, Math.min(PART_BYTES, bytes - (part - 1) * PART_BYTES));
}

/** Begins an upload, or continues one of the same content: an interrupted client gets the missing parts. */
export const createUpload = operation({
  route: 'POST /api/uploads',
  scope: 'account:ingest',
  repeatable: 'always',
  diskShare: 1,
  body: UploadRequest,
  answers: { 201: Upload, 200: Upload },
  handler: async (service, { caller, body, reply, waitUntil }) => {
    const { database, demos, settings, now } = service;
    const { accountId } = caller;
    await takeRate(service, caller, 'uploads');
    const { tag = null, facts = null, ...file } = await body();
    const source = caller.scope === 'ingest' ? 'ingest' : 'upload';
    const sent = { name: file.name, tag, facts, source, createdAt: now() } as const;
    const giveWay = async (known: UploadRow) => {
      await makeWay(service, known);
      return null;
    };
    const goOn = async () => {
      const known = await findUploadOf(database, accountId, file);
      if (known === null) return null;
      if (known.expiresAt <= now()) return giveWay(known);
      if (known.completedAt === null) {
        if (shownTo(caller, known, sent) !== known) {
          if (!(await findCallerOfKey(database, known.keyId ?? '', now()))) return giveWay(known);
          throw new ProblemError('upload_incomplete', 'Another key is sending this file: ask again later.');
        }
        return reply(200, await uploadView(service, known));
      }
      const kept = await keepArrival(service, known, file);
      if (kept) waitUntil(advanceRuns(service, kept.id));
      return kept && reply(200, await uploadView(service, shownTo(caller, kept, sent)));
    };
    const found = await goOn();
    if (found) return found;

    const id = crypto.randomUUID();
    const key = demoFileKey(accountId, id);
    const { uploadId } = await orIncomplete(demos.createMultipartUpload(key));
    const begun = {
      id,
      accountId,
      ...file,
      ...sent,
      multipartId: uploadId,
      expiresAt: now() + OPEN_FOR,
      keyId: caller.keyId,
    };
    const refusal = await addUpload(service, caller, begun);
    if (refusal) {
      await abortUpload(demos, { key, uploadId });
      // A concurrent request began the same upload.
      const other = await goOn();
      if (other) return other;
      throw refusal;
    }
    const Location = href(UPLOAD_ROUTE, { id });
    return reply(201, openUploadView({ ...begun, ...NO_PARTS }, settings), { Location });
  },
});

export const listUploads = operation({
  route: 'GET /api/uploads',
  scope: 'account:read',
  query: UploadListQuery,
  answers: { 200: UploadList },
  handler: async ({ database, settings }, { caller, query, reply }) => {
    const asked = query();
    const { rows, next_cursor } = pageOf(await selectUploads(database, caller.accountId, asked), asked.limit);
    return reply(200, { uploads: rows.map((row) => uploadSummary(row, settings)), next_cursor });
  },
});

/** The address is also the upload's `demo_url`. */
export const getUpload = operation({
  route: UPLOAD_ROUTE,
  scope: 'account:read',
  answers: { 200: Upload },
  handler: async (service, { caller, params, reply }) => {
    return reply(200, await uploadView(service, await requireUpload(service, caller, params.id)));
  },
});

/** Stores one part while it arrives, and notes it. Continues when the client disconnects. */
export const sendUploadPart = operation({
  route: 'PUT /api/uploads/:id/part',
  scope: 'account:ingest',
  diskShare: 1,
  query: PartQuery,
  answers: { 204: null },
  handler: async (service, { caller, params, request, query, waitUntil, reply }) => {
    const { part } = query();
    const { database, limits, settings } = service;
    await limits.file_writes.take(caller.keyId);
    const upload = await requireUpload(service, caller, params.id);
    if (upload.completedAt !== null || !isInParts(upload))
      throw new ProblemError('upload_incomplete', 'This upload takes no more parts.');
    const expected = partBytes(upload, part);
    const { body, bytes } = await sizedBody(request, PART_BYTES, expected);
    if (bytes !== expected) {
      throw invalidRequest([{ path: '', message: `must have the ${expected} bytes of part ${part}; it has ${bytes}` }]);
    }
    const multipart = service.demos.resumeMultipartUpload(demoFileKey(caller.accountId, upload.id), upload.multipartId);
    const count = (by: 1 | -1) => countPart(database, upload.id, part, by, settings.limits.part_writes);
    if (!(await count(1))) {
      const advice = 'Delete the upload, and begin it again.';
      const detail = `Part ${part} was stored ${settings.limits.part_writes} times already. ${advice}`;
      throw new ProblemError('upload_incomplete', detail);
    }
    const stored = storeBody(body, bytes, (stream) => multipart.uploadPart(part, stream));
    const noted = stored.then(
      (sent) => notePart(database, upload.id, part, sent.stored.etag),
      async (error) => {
        // The answer names the fault of the part, also if the index cannot be reached.
        await count(-1).catch(() => {});
        throw error;
      },
    );
    waitUntil(noted.catch(() => {}));
    await noted;
    return reply(204, null);
  },
});

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

export const deleteUpload = operation({
  route: 'DELETE /api/uploads/:id',
  scope: 'account:submit',
  answers: { 204: null },
  handler: async (service, { caller, params, reply }) => {
    const upload = await requireUpload(service, caller, params.id);
    const ids = await selectInspections(service.database, caller.accountId, upload.id);
    // The index may not have a new one yet.
    const plain = await demoIdOf(caller, uploadSummary(upload, service.settings).demo_url);
    await mapFew([...new Set([plain, ...ids])], async (id) => {
      if ((await service.job(id).readDemo(caller.accountId)).ok) await deleteInspection(service, caller, id);
    });
    await forgetUpload(service, upload);
    return reply(204, null);
  },
});

export const words = (): Words => ({
  createUpload: {
    summary: 'Upload a demo',
    description: [
      'Uploads a demo that has no public address. Announce the file, `PUT` each of the listed `parts` to its `url` with your key, and complete the upload. Then name its `demo_url` in a job. Only jobs of your account can use it.',
      'The same content is the same upload: asked again, the answer lists the missing parts. So you can continue after a broken connection, and send a demo once for all its clips.',
    ].join('\n\n'),
    body: { examples: only(UPLOAD_REQUEST) },
    answers: {
      201: answer(
        'The upload is begun.',
        OPEN_UPLOAD,
        located('Address of the new upload.', `/api/uploads/${UPLOAD_ID}`),
      ),
      200: {
        description: 'You have an upload of this content already.',
        examples: {
          complete: { summary: 'There is nothing left to send', value: { ...UPLOAD_SUMMARY, parts: [] } },
          open: { summary: 'Some parts are missing', value: OPEN_UPLOAD },
        },
      },
    },
    problems: ['limit_reached'],
  },
  listUploads: {
    summary: 'List uploads',
    description: 'Returns uploads, newest first.',
    answers: { 200: answer('A page of uploads.', { uploads: [UPLOAD_SUMMARY], next_cursor: null }) },
  },
  getUpload: {
    summary: 'Read an upload',
    description: 'Returns the state of the upload and its missing parts. Only render hosts can download the file.',
    answers: { 200: answer('The upload with its missing parts.', OPEN_UPLOAD) },
  },
  sendUploadPart: {
    summary: 'Send a part',
    description:
      'The body is the bytes of this part, as many as the upload says. Parts may be sent in any order and at the same time. Sending one again replaces it, at most five times. A key may send 600 parts, assets and demos a minute.',
    body: { types: ['application/octet-stream'] },
    answers: { 204: { description: 'The part is stored.' } },
    problems: ['length_required', 'upload_incomplete'],
  },
  completeUpload: {
    summary: 'Complete an upload',
    description:
      'Compares the file with the announced SHA-256. A file that differs is removed and has to be sent again. Completing again changes nothing.',
    answers: { 200: answer('The demo is ready.', { ...UPLOAD_SUMMARY, parts: [] }) },
    problems: ['upload_incomplete'],
  },
  deleteUpload: {
    summary: 'Delete an upload',
    description:
      'Deletes the demo, its inspections and its replays at once, and frees the bytes of the demo. Jobs that have yet to fetch it fail with `demo_404`.',
    answers: { 204: { description: 'The upload is deleted.' } },
  },
});
