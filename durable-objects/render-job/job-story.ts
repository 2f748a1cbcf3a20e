import type { Job } from '#domain/job.ts';
import type { DeliveryRecord } from '#protocol/delivery-view.ts';
import { type KeptAttempt, listAttempts } from './attempt-store.ts';
import type { JobGlance } from './glance.ts';
import type { StoredJob } from './stored-job.ts';
import type { StoredRequest } from './stored-request.ts';

/** All that a job knows of itself and may tell its operator: all but the header of its webhook. */
export interface JobStory {
  readonly job: Omit<Job, 'webhook'>;
  readonly request: StoredRequest;
  readonly progress: number | null;
  readonly attempts: readonly KeptAttempt[];
  readonly deliveries: readonly DeliveryRecord[];
}

export function jobStory(
  { job: { webhook: _secret, ...job }, request }: StoredJob,
  { progress }: JobGlance,
  sql: SqlStorage,
  deliveries: readonly DeliveryRecord[],
): JobStory {
  return { job, request, progress, attempts: listAttempts(sql), deliveries };
}
