import * as z from 'zod';
import { counterpartId } from '../domain/ids.ts';
import { JOB_STATUSES, type Job } from '../domain/job.ts';
import type { StoredRequest } from './stored-request.ts';

/** Spec 2.1. */
export const JobView = z.object({
  id: z.uuid(),
  status: z.enum(JOB_STATUSES),
  priority: z.boolean(),
  fps: z.int().nullable(),
  resolution: z.int(),
  clip_id: z.uuid().nullable(),
  error_code: z.string().nullable(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  payload: z.record(z.string(), z.unknown()),
});
export type JobView = z.infer<typeof JobView>;

/** Spec 4.1, and 4.3. */
export const JobRef = z.object({ job_id: z.uuid() });

export function jobView(job: Job, request: StoredRequest): JobView {
  return {
    id: job.id,
    status: job.status,
    priority: job.priority,
    fps: request.fps ?? null,
    resolution: request.resolution,
    clip_id: job.status === 'done' ? counterpartId(job.id) : null,
    error_code: job.errorCode,
    created_at: isoTime(job.createdAt),
    finished_at: job.finishedAt === null ? null : isoTime(job.finishedAt),
    payload: {
      ...request,
      idempotency_key: request.idempotency_key ?? null,
      extras: request.extras === undefined ? null : JSON.stringify(request.extras),
    },
  };
}

export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
