import { demoFileKey } from '#domain/storage-keys.ts';
import { json } from '#http/json.ts';
import { ProblemError } from '#http/problem.ts';
import { limitReached, rateLimited } from '#http/rate-limit.ts';
import { OPEN_UPLOAD, UPLOAD_ID, UPLOAD_REQUEST, UPLOAD_SUMMARY } from '#protocol/examples.ts';
import { href } from '#protocol/routes.ts';
import { UPLOAD_ROUTE, Upload, UploadRequest } from '#protocol/uploads.ts';
import { orIncomplete } from '#render-gateway/or-incomplete.ts';
import { answer, type OperationWords, only, operation } from '#service/operation.ts';
import { countOpenUploads, findUploadOf, insertUpload, keepUpload } from '#storage/uploads.ts';
import { forgetUploads } from '../uploads.ts';
import { uploadView, viewWith } from './upload-view.ts';

/** How long an upload is open. Storage drops an upload in parts after a week. */
const OPEN_FOR = 24 * 60 * 60 * 1000;

/** Begins an upload, or continues one of the same content: an interrupted client gets the missing parts. */
export const createUpload = operation({
  route: 'POST /api/uploads',
  scope: 'account:submit',
  repeatable: 'always',
  diskShare: 1,
  body: UploadRequest,
  handler: async (service, { caller, body }) => {
    const { database, demoParts, limits, settings, now } = service;
    const { accountId } = caller;
    const uploads = limits.uploads.of(caller.limits.uploads);
    const wait = await uploads.take(accountId);
    if (wait > 0) throw rateLimited(uploads.policy, wait);
    const wanted = await body();
    const goOn = async () => {
      const known = await findUploadOf(database, accountId, wanted);
      if (known === null) return null;
      if (known.expiresAt <= now()) {
        await forgetUploads(service, [known]);
        return null;
      }
      if (known.completedAt === null) {
        try {
          return json(await uploadView(service, known));
        } catch (error) {
          if (!(error instanceof ProblemError && error.kind === 'upload_incomplete')) throw error;
          // Storage has dropped it, or its keys are gone.
          await forgetUploads(service, [known]);
          return null;
        }
      }
      const { completedAt } = known;
      const kept = await keepUpload(database, known.id, now(), { completedAt, expiresAt: now() + settings.demoTtl });
      return kept && json(await uploadView(service, kept));
    };
    const found = await goOn();
    if (found) return found;

    const id = crypto.randomUUID();
    const key = demoFileKey(accountId, id);
    const multipartId = await orIncomplete(demoParts.begin(key));
    const { tag = null, facts = null, ...file } = wanted;
    const source = caller.scope === 'ingest' ? 'ingest' : 'upload';
    const times = { createdAt: now(), expiresAt: now() + OPEN_FOR };
    const begun = { id, accountId, ...file, multipartId, ...times, source, tag, facts, keyId: caller.keyId } as const;
    const most = { bytes: settings.limits.demoBytes, open: caller.limits.openUploads ?? settings.limits.openUploads };
    if (!(await insertUpload(database, begun, most))) {
      await demoParts.abort(key, begun);
      // A concurrent request began the same upload.
      const other = await goOn();
      if (other) return other;
      if ((await countOpenUploads(database, accountId, now())) >= most.open) {
        throw limitReached(`An account may have ${most.open} open uploads: complete some, or delete them.`);
      }
      const mib = `${most.bytes / 1024 / 1024} MiB of demos, each of 1 MiB at least`;
      throw limitReached(`An account may have ${mib}: delete some that you need no more.`);
    }
    const Location = href(UPLOAD_ROUTE, { id });
    return json(await viewWith(service, { ...begun, parts: {}, completedAt: null }, {}), 201, { Location });
  },
});

export const words = (): OperationWords => ({
  tag: 'Demos',
  summary: 'Upload a demo',
  description: [
    'For a demo without a public address. Announce the file, `PUT` each of the listed `parts` to its `url` with your key (without it where `is_signed`), and complete the upload. Then name its `demo_url` in a job. Only jobs of your account can use it.',
    'The same content is the same upload: asked again, the answer lists the missing parts. So you can continue after a broken connection, and send a demo once for all its clips.',
  ].join('\n\n'),
  body: { examples: only(UPLOAD_REQUEST) },
  answers: {
    201: answer('The upload is begun.', Upload, OPEN_UPLOAD, {
      Location: {
        description: 'Where the upload is read.',
        example: `/api/uploads/${UPLOAD_ID}`,
      },
    }),
    200: {
      description: 'You have an upload of this content already.',
      content: {
        schema: Upload,
        examples: {
          complete: { summary: 'There is nothing left to send', value: { ...UPLOAD_SUMMARY, parts: [] } },
          open: { summary: 'Some parts are missing', value: OPEN_UPLOAD },
        },
      },
    },
  },
  problems: ['limit_reached'],
});
