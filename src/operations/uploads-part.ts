import { demoFileKey } from '#domain/storage-keys.ts';
import { noContent } from '#http/json.ts';
import { invalidRequest, ProblemError } from '#http/problem.ts';
import { parseQuery } from '#http/read-body.ts';
import { PartQuery } from '#protocol/uploads.ts';
import { checkedStream, sizedBody } from '#render-gateway/checked-stream.ts';
import { orIncomplete } from '#render-gateway/or-incomplete.ts';
import { notePart } from '#storage/uploads.ts';
import { requireUpload } from '../uploads.ts';
import type { ApiHandler } from './api-handler.ts';
import { partBytes } from './upload-view.ts';

/** `PUT /api/uploads/:id/part?part=N`: stores one part while it arrives. Sending it again replaces it. */
export const sendUploadPart: ApiHandler<'databases' | 'demos' | 'demoParts' | 'now', 'id'> = async (
  service,
  { caller, params, request, url },
) => {
  const { part } = parseQuery(url.searchParams, PartQuery);
  const upload = await requireUpload(service, caller, params.id);
  if (upload.completedAt !== null) throw new ProblemError('upload_incomplete', 'This upload is complete already.');
  if (service.demoParts.isDirect(upload)) {
    throw new ProblemError('upload_incomplete', 'Its parts go straight to storage: PUT each to its own `url`.');
  }
  const { body, bytes } = await sizedBody(request);
  const expected = partBytes(upload, part);
  if (bytes !== expected) {
    throw invalidRequest([{ path: '', message: `must have the ${expected} bytes of part ${part}; it has ${bytes}` }]);
  }
  const { stream, refusal, release } = checkedStream(body, bytes);
  const multipart = service.demos.resumeMultipartUpload(demoFileKey(caller.accountId, upload.id), upload.multipartId);
  const stored = multipart.uploadPart(part, stream).catch(async (error) => {
    await release();
    throw refusal() ?? error;
  });
  const { etag } = await orIncomplete(stored);
  await notePart(service.databases.of(caller.database), upload.id, part, etag);
  return noContent();
};
