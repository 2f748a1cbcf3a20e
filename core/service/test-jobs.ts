import { nextFence } from '#domain/attempt.ts';
import type { Job } from '#domain/job.ts';
import { CLIP_FILE_TYPES, type ClipFile, clipFileKey } from '#domain/storage-keys.ts';
import { TEST_FILES, testFailure } from '#domain/test-job.ts';
import { traitsOf } from '#domain/work.ts';
import { STORED_FILE_CACHING } from '#http/cache-control.ts';
import type { Service } from './service.ts';

type TestService = Pick<Service, 'files' | 'staticFile'> & {
  readonly settings: Pick<Service['settings'], 'fenceFloor'>;
};

/** Returns the headers that are stored with a file, for a domain that serves the bucket directly. */
export function fileMetadata(file: ClipFile): { readonly httpMetadata: R2HTTPMetadata } {
  return { httpMetadata: { contentType: CLIP_FILE_TYPES[file], cacheControl: STORED_FILE_CACHING } };
}

/**
 * Stores what the next attempt of a test job ends with, unless it fails: the files of its clip or its replay.
 * Repeatable.
 */
export async function prepareTest({ files, settings, staticFile }: TestService, job: Job): Promise<void> {
  const { end } = traitsOf(job.work);
  if (job.testEnd && testFailure(job, job.testEnd, job.attempt + 1) !== null) return;
  const fence = nextFence(job, settings.fenceFloor);
  await Promise.all(
    TEST_FILES[end].map(async (file) => {
      const key = clipFileKey(job.clipId, fence, file);
      const content = await staticFile(`test/${key.slice(key.lastIndexOf('/') + 1)}`);
      await files.put(key, await content.arrayBuffer(), fileMetadata(file));
    }),
  );
}
