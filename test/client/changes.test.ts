import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { webhookOf } from '../../client/cli/listen-command.ts';
import { createTickreel, type JobSummary } from '../../client/index.ts';
import { webhookOutcome, withExtras } from '../../protocol/webhook.ts';
import { CLIP_ID, JOB_ID, jobs } from '../domain/builders.ts';
import { events, farEnd, json, problem } from './far-end.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const BASE_URL = 'https://tickreel.test';
const clientOf = (fetch: typeof globalThis.fetch) => createTickreel({ baseUrl: BASE_URL, apiKey: 'a-key', fetch });
const told = (id: string, job: string) => `id: ${id}\ndata: ${JSON.stringify({ id: job })}\n\n`;

it('the changes of all jobs go on after the last that was seen, wherever a stream ends or breaks', async () => {
  const end = farEnd(
    events(['retry: 2000\n\n', told('1_a', 'a'), ':\n\n', told('2_b', 'b')]),
    problem('unavailable', 503),
    events([told('3_a', 'a')], 'breaks'),
    events([told('4_c', 'c')]),
    problem('unauthorized', 401),
  );
  const seen: string[] = [];
  const followed = (async () => {
    for await (const { job, id } of clientOf(end.fetch).events({ after: '0_x' })) seen.push(`${id} ${job.id}`);
  })();
  await Promise.all([expect(followed).rejects.toMatchObject({ status: 401 }), vi.runAllTimersAsync()]);
  expect(seen).toEqual(['1_a a', '2_b b', '3_a a', '4_c c']);
  const asked = end.sent.map(({ headers }) => headers.get('Last-Event-ID'));
  expect(asked).toEqual(['0_x', '2_b', '2_b', '3_a', '4_c']);
});

it.each(['done', 'error'] as const)('what is passed on of a job in %s is what the service posts', async (status) => {
  const job = jobs[status]();
  const extras = '{"order":12345678901234567890}';
  const clip_id = status === 'done' ? CLIP_ID : null;
  const replies = [json({ id: JOB_ID, payload: { extras } })];
  if (clip_id !== null) replies.push(json({ id: CLIP_ID, duration_seconds: job.clip?.durationSeconds }));
  const summary = { id: JOB_ID, status, clip_id, error_code: job.errorCode } as JobSummary;
  const { body } = webhookOutcome(job, BASE_URL);
  expect(await webhookOf(clientOf(farEnd(...replies).fetch), summary)).toBe(withExtras(body, extras));
});
