import { ProblemError } from '../http/problem.ts';
import type { Service } from '../service/service.ts';

/** Of new work and of what clients send. */
const NEW = 1;
/** Of the files of work under way. Storage on one machine never answers a write that finds the disk full. */
const UNDER_WAY = 1 / 8;

/** The calls that fill the disk, and the share of the reserve that they need. */
const NEEDED = new Map<string, number>([
  ...['submitClip', 'submitBatch', 'resubmitJob', 'inspectDemo'].map((name) => [name, NEW] as const),
  ...['uploadAsset', 'createUpload', 'sendUploadPart', 'claimJob'].map((name) => [name, NEW] as const),
  ...['beginUpload', 'uploadPart'].map((name) => [name, UNDER_WAY] as const),
]);

/** Throws a problem where the disk is too full for a call, by its name in the table of routes. */
export async function requireRoom({ disk }: Pick<Service, 'disk'>, name: string): Promise<void> {
  const share = NEEDED.get(name);
  if (share !== undefined && !(await disk.hasRoom(share))) throw diskFull();
}

export function diskFull(): ProblemError {
  return new ProblemError('unavailable', 'The disk of the service is almost full.', {
    headers: { 'Retry-After': '60' },
  });
}
