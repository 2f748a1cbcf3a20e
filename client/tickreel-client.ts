import type * as z from 'zod';
import { ClipView } from '../protocol/clip-view.ts';
import { JobNotice } from '../protocol/job-notice.ts';
import { JobRef, JobView } from '../protocol/job-view.ts';
import { API_ROUTES } from '../protocol/routes.ts';
import { readEvents } from '../protocol/server-sent.ts';
import type { SubmitRequest } from '../protocol/submit.ts';
import { type Access, type ApiRequest, createCall, requestTo } from './call.ts';

export interface TickreelClient {
  /** Submits a job. `isNew` is false when the idempotency key matched an existing one. */
  submit(request: SubmitRequest): Promise<{ jobId: string; isNew: boolean }>;
  getJob(jobId: string): Promise<JobView>;
  getClip(clipId: string): Promise<ClipView>;
  /** Follows a job: its present state at once, then every change, until it has finished or the stream breaks. */
  watch(jobId: string, signal?: AbortSignal): AsyncGenerator<JobNotice>;
}

/**
 * A client of one account; the token is one of its API keys. Every call rejects with a `TickreelError` when refused.
 */
export function createTickreelClient(access: Access): TickreelClient {
  const call = createCall(access);

  async function read<T extends z.ZodType>(request: ApiRequest, shape: T): Promise<z.output<T>> {
    return shape.parse(await (await call(request)).json());
  }

  return {
    async submit(request) {
      const response = await call({ ...requestTo(API_ROUTES.submitClip), body: request });
      return { jobId: JobRef.parse(await response.json()).job_id, isNew: response.status === 201 };
    },

    getJob: (jobId) => read(requestTo(API_ROUTES.getJob, { id: jobId }), JobView),

    getClip: (clipId) => read(requestTo(API_ROUTES.getClip, { id: clipId }), ClipView),

    async *watch(jobId, signal) {
      const { body } = await call(requestTo(API_ROUTES.watchJob, { id: jobId }), signal);
      if (!body) return;
      for await (const { data } of readEvents(body)) yield JobNotice.parse(data);
    },
  };
}
