import { FILE_AGE_S } from '#domain/clip/clip.ts';
import type { MultipartUpload } from '#domain/job/job.ts';
import { CLIP_FILE_TYPES, type ClipFile, filesOfAttempt } from '#domain/job/storage-keys.ts';

/**
 * Returns the headers that are stored with a file, for a domain that serves the bucket directly. They are never
 * changed, so they do not depend on the settings at the upload.
 */
export function fileMetadata(file: ClipFile): { readonly httpMetadata: R2HTTPMetadata } {
  return { httpMetadata: { contentType: CLIP_FILE_TYPES[file], cacheControl: `public, max-age=${FILE_AGE_S}` } };
}

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

/** Whether R2 refused an upload that is completed, aborted or unknown: by R2's number, or by the code of S3. */
export function isNoSuchUpload(error: unknown): boolean {
  return error instanceof Error && /\((?:10024|NoSuchUpload)\)/.test(error.message);
}

/** Aborts a multipart upload and deletes its parts. Repeatable; a completed one stays. */
export async function abortUpload(bucket: R2Bucket, { key, uploadId }: MultipartUpload): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort();
  } catch (error) {
    if (!isNoSuchUpload(error)) throw error;
  }
}

/**
 * The bucket of uploaded images, which `MEDIA_BASE_URL` does not serve. Older images may be beside the clips; they are
 * found and deleted there too.
 */
export interface ImageStore {
  get(key: string): Promise<R2ObjectBody | null>;
  put(key: string, file: ReadableStream<Uint8Array>, contentType: string): Promise<void>;
  delete(keys: string[]): Promise<void>;
}

export function createImageStore(bucket: R2Bucket, formerBucket: R2Bucket): ImageStore {
  return {
    get: async (key) => (await bucket.get(key)) ?? formerBucket.get(key),
    put: async (key, file, contentType) => {
      await bucket.put(key, file, { httpMetadata: { contentType } });
    },
    delete: async (keys) => {
      await Promise.all([bucket.delete(keys), formerBucket.delete(keys)]);
    },
  };
}
