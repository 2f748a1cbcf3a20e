import { problemOf } from '#http/accepted.ts';
import type { Service } from '#service/service.ts';

/**
 * The upload id of every file that is stored whole. Such a file has no upload in storage, which bills three writes for
 * an upload in parts and one for a whole file.
 */
export const WHOLE_FILE = 'whole';

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
