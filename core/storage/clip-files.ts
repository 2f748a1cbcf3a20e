import type { MultipartUpload } from '#domain/job.ts';
import { filesOfAttempt } from '#domain/storage-keys.ts';

/**
 * Deletes every object under a prefix. Repeatable; there may be none. The files of an attempt are not listed: a list is
 * billed like a write, and a deletion is free.
 */
export async function deletePrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  const known = filesOfAttempt(prefix);
  if (known) return bucket.delete(known);
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    if (!truncated) return;
  }
}

/** R2's error for an upload that is completed, aborted or unknown. */
const NO_SUCH_UPLOAD = /\(10024\)/;

/** Aborts a multipart upload and deletes its parts. Repeatable; a completed one stays. */
export async function abortUpload(bucket: R2Bucket, { key, uploadId }: MultipartUpload): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort();
  } catch (error) {
    if (!(error instanceof Error && NO_SUCH_UPLOAD.test(error.message))) throw error;
  }
}
