import type { Upload } from '../domain/job.ts';

/**
 * Removes every object under a prefix. Repeatable; a prefix with nothing under it is fine.
 * One attempt has two files, so one page of the listing is all there is.
 */
export async function deletePrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  const listed = await bucket.list({ prefix });
  if (listed.objects.length > 0) await bucket.delete(listed.objects.map((object) => object.key));
}

/** What R2 says of an upload that it does not have: completed, aborted, or never begun. */
const NO_SUCH_UPLOAD = /\(10024\)/;

/** Gives up a multipart upload and the parts it has. Repeatable; a completed one is left as it is. */
export async function abortUpload(bucket: R2Bucket, { key, uploadId }: Upload): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort();
  } catch (error) {
    if (!(error instanceof Error && NO_SUCH_UPLOAD.test(error.message))) throw error;
  }
}
