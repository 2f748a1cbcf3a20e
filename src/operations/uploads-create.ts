import { demoFileKey } from '#domain/storage-keys.ts';
import { ProblemError } from '#http/problem.ts';
import { OPEN_UPLOAD, UPLOAD_ID, UPLOAD_REQUEST, UPLOAD_SUMMARY } from '#protocol/examples.ts';
import { href } from '#protocol/routes.ts';
import { UPLOAD_ROUTE, Upload, UploadRequest } from '#protocol/uploads.ts';
import { orIncomplete } from '#render-gateway/or-incomplete.ts';
import { makeWay } from '#render-gateway/receive-demo.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { advanceRuns } from '#service/rules/advance-runs.ts';
import { keepArrival } from '#service/rules/keep-arrival.ts';
import { findCallerOfKey } from '#storage/accounts.ts';
import { abortUpload } from '#storage/clip-files.ts';
import type { UploadRow } from '#storage/schema.ts';
import { findUploadOf } from '#storage/uploads.ts';
import { addUpload, OPEN_FOR, requireUploadRate, shownTo } from '../uploads.ts';
import { openUploadView, uploadView } from './upload-view.ts';

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
    await requireUploadRate(service, caller);
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
    return reply(201, openUploadView({ ...begun, parts: {}, completedAt: null }, settings), { Location });
  },
});

export const words = (): Words => ({
  createUpload: {
    tag: 'Demos',
    summary: 'Upload a demo',
    description: [
      'Uploads a demo that has no public address. Announce the file, `PUT` each of the listed `parts` to its `url` with your key, and complete the upload. Then name its `demo_url` in a job. Only jobs of your account can use it.',
      'The same content is the same upload: asked again, the answer lists the missing parts. So you can continue after a broken connection, and send a demo once for all its clips.',
    ].join('\n\n'),
    body: { examples: only(UPLOAD_REQUEST) },
    answers: {
      201: answer('The upload is begun.', OPEN_UPLOAD, {
        Location: {
          description: 'Address of the new upload.',
          example: `/api/uploads/${UPLOAD_ID}`,
        },
      }),
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
});
