import { expect, inject, onTestFinished } from 'vitest';
import type { Grant } from '#protocol/host/gateway.ts';
import { type Reply, startReceiver } from '../../support/receiver.ts';
import { hostAt } from '../../support/test-host.ts';
import { type Answer, type Api, createApi, UUID } from './api.ts';

const service = inject('service');

export const BASE_URL = service.baseUrl;
const host = hostAt(service.baseUrl, service.hostToken);

export interface Account {
  readonly id: string;
  readonly metered: Api;
  readonly reserved: Api;
}

/** Creates an account with a key of each kind. */
export async function createAccount(): Promise<Account> {
  const admin = createApi(service.baseUrl, service.adminToken);
  const account = await admin.post('/admin/accounts', { name: 'conformance' });
  expect(account.status, account.text).toBe(201);
  const id = String(account.body.account_id);
  const key = async (kind: string) => {
    const answer = await admin.post(`/admin/accounts/${id}/keys`, { kind });
    expect(answer.status, answer.text).toBe(201);
    return createApi(service.baseUrl, String(answer.body.key));
  };
  return { id, metered: await key('metered'), reserved: await key('reserved') };
}

/** Waits for the grant of a job by the suite's host. `after`: the fence of the previous grant. */
export async function grantOf(jobId: string, after = 0): Promise<Grant> {
  return (await fetch(`${service.switchboardUrl}/${jobId}?after=${after}`)).json() as Promise<Grant>;
}

/** Completes a job without a render. Returns the grant, for `grantOf` of the next run. */
export async function renderJob(jobId: string, after = 0, render: Parameters<typeof host.complete>[1] = {}) {
  const grant = await grantOf(jobId, after);
  await host.complete(grant, render);
  return grant;
}

/** Fails the attempt of a job with a code. */
export async function failJob(jobId: string, code: string, after = 0): Promise<Grant> {
  const grant = await grantOf(jobId, after);
  await host.fail(grant, code);
  return grant;
}

/** Makes a job and its clip. */
export async function renderedClip(api: Api, request: unknown): Promise<{ jobId: string; clipId: string }> {
  const jobId = await api.submit(request);
  await renderJob(jobId);
  return { jobId, clipId: String((await api.job(jobId)).clip_id) };
}

/** Expects a submit to make a new job, and returns its payload. */
export async function accepted(api: Api, pending: Promise<Answer>): Promise<Record<string, unknown>> {
  const answer = await pending;
  expect(answer, answer.text).toMatchObject({ status: 201, body: { job_id: expect.stringMatching(UUID) } });
  return (await api.job(String(answer.body.job_id))).payload as Record<string, unknown>;
}

/** Submits a request and returns the order that its host gets. */
export async function orderOf(api: Api, request: Record<string, unknown>) {
  return (await grantOf(await api.submit(request))).order;
}

/** Starts a receiver that is stopped when the test ends. A concurrent test passes its own `onTestFinished`. */
export async function createReceiver(reply?: Reply, whenFinished: typeof onTestFinished = onTestFinished, port = 0) {
  const receiver = await startReceiver(reply, port);
  whenFinished(receiver.stop);
  return receiver;
}
