import { CLIP_FILE_TYPES, type ClipFile } from '#domain/storage-keys.ts';
import { problemOf } from '#http/accepted.ts';
import { STORED_FILE_CACHING } from '#http/cache-control.ts';
import type { Service } from '#service/service.ts';

/**
 * The id of each upload of a small file, which storage does not know. Storage bills three writes for an upload in
 * parts, and one for a file that is stored whole.
 */
export const WHOLE_FILE = 'whole';

/** Returns the headers of a file, for a domain that serves the bucket directly. */
export function fileMetadata(file: ClipFile): { readonly httpMetadata: R2HTTPMetadata } {
  return { httpMetadata: { contentType: CLIP_FILE_TYPES[file], cacheControl: STORED_FILE_CACHING } };
}

/** Deletes a file that was stored after its job lost the lease, and throws 409: nobody else would delete it. */
export async function requireOwner(
  { job, files }: Pick<Service, 'job' | 'files'>,
  jobId: string,
  key: string,
): Promise<void> {
  if (await job(jobId).ownsFile(key)) return;
  await files.delete(key);
  throw problemOf('stale_lease');
}
