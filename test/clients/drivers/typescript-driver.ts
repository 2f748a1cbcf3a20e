import { openAsBlob } from 'node:fs';
import { registerHooks } from 'node:module';
import { createInterface } from 'node:readline';
import type { Tickreel } from '#client/index.ts';
import type { ClientCall, Failure, Outcome, Task } from '../protocol.ts';
import { noted } from './noted-sleep.ts';

/** Drives the TypeScript client: test/clients/protocol.ts. */
registerHooks({
  resolve: (name, context, next) =>
    next(name === './sleep.ts' ? new URL('noted-sleep.ts', import.meta.url).href : name, context),
});
const { createTickreel, JobFailedError, TickreelError } = await import('#client/index.ts');

async function outcomeOf({ client: options, call }: Task): Promise<Outcome> {
  noted.waits = [];
  noted.isReal = options.keeps_waits ?? false;
  const progress: unknown[] = [];
  try {
    const client = createTickreel({
      baseUrl: options.base_url,
      apiKey: options.api_key,
      maxRetries: options.max_retries,
      timeoutMs: options.timeout_s === undefined ? undefined : options.timeout_s * 1000,
      webhookSecret: options.webhook_secret,
    });
    return { value: (await carryOut(client, call, progress)) ?? null, progress, waits: noted.waits };
  } catch (error) {
    return { error: failureOf(error), progress, waits: noted.waits };
  }
}

const INTERRUPTED = new Error('interrupted');

async function carryOut(client: Tickreel, call: ClientCall, progress: unknown[]): Promise<unknown> {
  const { clips, jobs } = client;
  switch (call.do) {
    case 'submit':
      return clips.submit(call.request as never);
    case 'submit_batch':
      return (await clips.submitBatch(call.requests as never, call.defaults as never)).results;
    case 'plan':
      return clips.plan(call.request as never);
    case 'render': {
      const stop = new AbortController();
      return clips.render(call.request as never, {
        onProgress: ({ job_id: _, ...now }) => {
          progress.push(now);
          if (call.interrupt) stop.abort(INTERRUPTED);
        },
        timeoutMs: call.timeout_s === undefined ? undefined : call.timeout_s * 1000,
        signal: stop.signal,
        cancelOnAbort: call.interrupt,
      });
    }
    case 'get_job':
      return jobs.get(call.id, { include: call.include });
    case 'wait_job':
      return jobs.wait(call.id, { onProgress: (now) => progress.push(now) });
    case 'resubmit_job':
      return jobs.resubmit(call.id);
    case 'cancel_job':
      return jobs.cancel(call.id);
    case 'save_clip':
      return clips.save(call.id);
    case 'delete_clip':
      return clips.delete(call.id);
    case 'list_jobs':
      return idsOf(jobs.list(call.query), call.take);
    case 'list_clips':
      return idsOf(clips.list(call.query), call.take);
    case 'events': {
      const seen: unknown[] = [];
      for await (const { id, job } of client.events({ after: call.after })) {
        seen.push({ id, job_id: job.id, status: job.status });
        if (seen.length === call.take) break;
      }
      return seen;
    }
    case 'inspect':
      return client.demos.inspect(call.demo);
    case 'upload': {
      const { name, tag } = call;
      const file = { name, tag, content: await openAsBlob(call.path) };
      return client.uploads.send(file, { onProgress: (arrived) => progress.push(arrived) });
    }
    case 'download':
      return clips.downloadTo(call.id, call.path);
    case 'unwrap':
      return client.webhooks.unwrap(
        call.as === 'parsed' ? JSON.parse(call.body) : call.body,
        call.as === 'pairs' ? Object.entries(call.headers).values() : call.headers,
        call.insecure ? { insecure: true } : call.secrets,
      );
  }
}

async function idsOf(items: AsyncIterable<{ readonly id: string }>, take = Infinity): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of items) if (ids.push(id) >= take) break;
  return ids;
}

function failureOf(error: unknown): Failure {
  const is = error instanceof TickreelError ? error : null;
  const diagnosis = error instanceof JobFailedError ? error.diagnosis : null;
  return {
    class: classOf(error),
    code: is?.code ?? null,
    status: is?.status ?? null,
    request_id: is?.requestId ?? null,
    errors: is?.problem?.errors ?? null,
    retry_after_s: is?.retryAfterMs == null ? null : is.retryAfterMs / 1000,
    docs_url: is?.docsUrl ?? null,
    diagnosis,
    is_transient: is?.isTransient ?? null,
    message: String(error instanceof Error ? error.message : error),
  };
}

function classOf(error: unknown): Failure['class'] {
  if (error === INTERRUPTED) return 'interrupted';
  if (error instanceof JobFailedError) return 'job_failed';
  if (error instanceof TypeError) return 'usage';
  if (!(error instanceof TickreelError)) return 'other';
  if (error.code === 'webhook_invalid') return 'webhook_invalid';
  return error.status === null ? 'no_answer' : 'problem';
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await outcomeOf(JSON.parse(line)))}\n`);
}
