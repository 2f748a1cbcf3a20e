import type { Job } from '#domain/job.ts';
import type { DeliveryRecord } from '#protocol/delivery-view.ts';
import type { KeptRequest } from '#protocol/job-view.ts';
import { type KeptAttempt, listAttempts } from './attempt-store.ts';
import type { JobGlance } from './glance.ts';
import type { StoredJob } from './stored-job.ts';
import { shownRequest } from './stored-request.ts';

/** All that a job knows of itself and may tell its operator: all but the header of its webhook. */
export interface JobStory {
  readonly job: Job;
  readonly request: KeptRequest;
  readonly progress: number | null;
  readonly attempts: readonly KeptAttempt[];
  readonly deliveries: readonly DeliveryRecord[];
}

export function jobStory(
  { job, request }: StoredJob,
  { progress }: JobGlance,
  sql: SqlStorage,
  deliveries: readonly DeliveryRecord[],
): JobStory {
  return {
    job: { ...job, webhook: null },
    request: shownRequest(request),
    progress,
    attempts: listAttempts(sql),
    deliveries,
  };
}
