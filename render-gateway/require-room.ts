import { ProblemError } from '#http/problem.ts';
import type { Service } from '#service/service.ts';

/** The share for new jobs and for uploads of clients. */
const NEW = 1;
/** The share for files of running jobs. On one machine, storage never answers a write that finds the disk full. */
const UNDER_WAY = 1 / 8;

/** The calls that fill the disk, with the share of the reserve that each needs. */
const NEEDED = new Map<string, number>([
  ...['submitClip', 'submitBatch', 'resubmitJob', 'inspectDemo'].map((name) => [name, NEW] as const),
  ...['uploadAsset', 'createUpload', 'sendUploadPart', 'claimJob'].map((name) => [name, NEW] as const),
  ...['beginUpload', 'uploadPart'].map((name) => [name, UNDER_WAY] as const),
]);

/** Throws a problem if the disk is too full for a call, named as in the table of routes. */
export async function requireRoom({ disk }: Pick<Service, 'disk'>, name: string): Promise<void> {
  const share = NEEDED.get(name);
  if (share !== undefined && !(await disk.hasRoom(share))) throw diskFull();
}

export function diskFull(): ProblemError {
  return new ProblemError('unavailable', 'The disk of the service is almost full.', {
    headers: { 'Retry-After': '60' },
  });
}
