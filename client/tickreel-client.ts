import type * as z from 'zod';
import { ClipView } from '../protocol/clip-view.ts';
import { JobNotice } from '../protocol/job-notice.ts';
import { JobRef, JobView } from '../protocol/job-view.ts';
import type { SubmitRequest } from '../protocol/submit.ts';
import { type Access, createCall } from './call.ts';

export type TickreelClient = ReturnType<typeof createTickreelClient>;

/** A client of one account; the token is one of its API keys. Every call rejects with a `TickreelError` when refused. */
export function createTickreelClient(access: Access) {
  const call = createCall(access);

  async function read<T extends z.ZodType>(path: string, shape: T): Promise<z.output<T>> {
    return shape.parse(await (await call('GET', path)).json());
  }

  return {
    /** Submits a job. `isNew` is false when the idempotency key matched an existing one. */
    async submit(request: SubmitRequest): Promise<{ jobId: string; isNew: boolean }> {
      const response = await call('POST', '/api/clips', request);
      return { jobId: JobRef.parse(await response.json()).job_id, isNew: response.status === 201 };
    },

    getJob: (jobId: string) => read(`/api/jobs/${jobId}`, JobView),

    getClip: (clipId: string) => read(`/api/clips/${clipId}`, ClipView),

    /** Follows a job: its present state at once, then every change, until it has finished or the stream breaks. */
    async *watch(jobId: string, signal?: AbortSignal): AsyncGenerator<JobNotice> {
      const { body } = await call('GET', `/api/jobs/${jobId}/events`, undefined, signal);
      if (!body) return;
      let rest = '';
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        const events = (rest + text).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) yield JobNotice.parse(JSON.parse(event.replace(/^data: /, '')));
      }
    },
  };
}
