import { CLIP_FILE_TYPES, type ClipFile } from '#domain/storage-keys.ts';
import { problemOf } from '#http/accepted.ts';
import { STORED_FILE_CACHING } from '#http/cache-control.ts';
import type { Service } from '#service/service.ts';

/**
 * The upload id of every file that is stored whole. Such a file has no upload in storage, which bills three writes for
 * an upload in parts and one for a whole file.
 */
export const WHOLE_FILE = 'whole';

/** Returns the headers that are stored with a file, for a domain that serves the bucket directly. */
export function fileMetadata(file: ClipFile): { readonly httpMetadata: R2HTTPMetadata } {
  return { httpMetadata: { contentType: CLIP_FILE_TYPES[file], cacheControl: STORED_FILE_CACHING } };
}

/**
 * Requires that the job still owns a stored file. Otherwise deletes the file, because nothing else would, and throws a
 * 409 problem.
 */
export async function requireOwner(
  { job, files }: Pick<Service, 'job' | 'files'>,
  jobId: string,
  key: string,
): Promise<void> {
  if (await job(jobId).ownsFile(key)) return;
  await files.delete(key);
  throw problemOf('stale_lease');
}
