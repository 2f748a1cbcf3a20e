import { clipFileKey } from '#domain/storage-keys.ts';
import { problemOf } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { UploadEnd } from '#protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';
import { requireLease } from './lease.ts';
import { orIncomplete } from './or-incomplete.ts';

/**
 * `POST /gateway/v1/jobs/:id/uploads/complete`: puts the parts together. A lease that was lost meanwhile takes its
 * files along: they were listed before this one was there, so it is removed here. Once begun it goes on without the
 * host: the platform ends what belongs to a request whose client has gone, and the file would be nobody's.
 */
export const endUpload: HostHandler<'job' | 'files'> = async (service, context) => {
  const {
    caller: { id: hostId },
    params,
    request,
  } = context;
  const { job, files } = service;
  const { fence, file, upload_id, parts } = await readShape(request, UploadEnd);
  const { clipId } = await requireLease(service, hostId, params.id, fence);
  const key = clipFileKey(clipId, fence, file);
  const ended = (async () => {
    const upload = files.resumeMultipartUpload(key, upload_id);
    const object = await orIncomplete(upload.complete(parts.map(({ part, etag }) => ({ partNumber: part, etag }))));
    if (!(await job(params.id).ownsFile(key))) {
      await files.delete(key);
      throw problemOf('stale_lease');
    }
    return json({ bytes: object.size });
  })();
  context.waitUntil(ended.catch(() => {}));
  return ended;
};
