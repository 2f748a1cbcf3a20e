import type { MultipartUpload } from '#domain/job.ts';

/** Removes every object under a prefix. Repeatable; a prefix with nothing under it is fine. */
export async function deletePrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}

/** What R2 says of an upload that it does not have: completed, aborted, or never begun. */
const NO_SUCH_UPLOAD = /\(10024\)/;

/** Gives up a multipart upload and the parts it has. Repeatable; a completed one is left as it is. */
export async function abortUpload(bucket: R2Bucket, { key, uploadId }: MultipartUpload): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort();
  } catch (error) {
    if (!(error instanceof Error && NO_SUCH_UPLOAD.test(error.message))) throw error;
  }
}
