import type { Api } from './api.ts';

/** The data of each server-sent event of a job, as they come. */
async function* notices(api: Api, jobId: string, signal: AbortSignal): AsyncGenerator<Record<string, unknown>> {
  const headers = { Authorization: `Bearer ${api.key}` };
  const { body } = await fetch(`${api.baseUrl}/api/jobs/${jobId}/events`, { headers, signal });
  let rest = '';
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) yield JSON.parse(event.replace(/^data: /, ''));
  }
}

/** Follows a job until it has one of these states, and gives the job as it is then. */
export async function jobIn(api: Api, jobId: string, ...statuses: string[]): Promise<Record<string, unknown>> {
  const stop = new AbortController();
  try {
    for await (const { status } of notices(api, jobId, stop.signal)) if (statuses.includes(String(status))) break;
  } finally {
    stop.abort();
  }
  return api.job(jobId);
}
