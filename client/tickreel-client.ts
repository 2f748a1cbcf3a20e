import type * as z from 'zod';
import { ClipView } from '../protocol/clip-view.ts';
import { JobNotice } from '../protocol/job-notice.ts';
import { JobRef, JobView } from '../protocol/job-view.ts';
import { Problem } from '../protocol/problem.ts';
import type { SubmitRequest } from '../protocol/submit.ts';

/** The service refused a request. `problem` is its RFC 9457 answer, null when it was none. */
export class TickreelError extends Error {
  readonly status: number;
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null) {
    const rules = problem?.errors?.map(({ path, message }) => `\n  ${path || 'body'} ${message}`).join('') ?? '';
    super(`${problem?.detail ?? `the service answered ${status}`}${rules}`);
    this.status = status;
    this.problem = problem;
  }
}

export type TickreelClient = ReturnType<typeof createTickreelClient>;

/** A client of one account. Every call rejects with a `TickreelError` when the service refuses it. */
export function createTickreelClient({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  async function call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    if (response.ok) return response;
    const problem = Problem.safeParse(await response.json().catch(() => null));
    throw new TickreelError(response.status, problem.data ?? null);
  }

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
