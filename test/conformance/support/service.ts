import { expect, inject, onTestFinished } from 'vitest';
import type { Grant } from '#protocol/gateway.ts';
import { type Reply, startReceiver } from '../../support/receiver.ts';
import { hostAt } from '../../support/test-host.ts';
import { type Answer, type Api, createApi } from './api.ts';
import { UUID } from './requests.ts';

const service = inject('service');

export const BASE_URL = service.baseUrl;
export const host = hostAt(service.baseUrl, service.hostToken);

export interface Account {
  readonly id: string;
  readonly metered: Api;
  readonly reserved: Api;
}

/** A fresh account with a key of each kind. */
export function createAccount(): Promise<Account> {
  return createAccountAt(service.baseUrl, service.adminToken);
}

export async function createAccountAt(baseUrl: string, adminToken: string): Promise<Account> {
  const admin = createApi(baseUrl, adminToken);
  const account = await admin.post('/admin/accounts', { name: 'conformance' });
  expect(account.status, account.text).toBe(201);
  const id = String(account.body.account_id);
  const key = async (kind: string) => {
    const answer = await admin.post(`/admin/accounts/${id}/keys`, { kind });
    expect(answer.status, answer.text).toBe(201);
    return createApi(baseUrl, String(answer.body.key));
  };
  return { id, metered: await key('metered'), reserved: await key('reserved') };
}

/** The grant of a job, as soon as the suite's host has claimed it; `after` is the fence of the one before. */
export async function grantOf(jobId: string, after = 0): Promise<Grant> {
  return (await fetch(`${service.switchboardUrl}/${jobId}?after=${after}`)).json() as Promise<Grant>;
}

/** Renders a job as if a host had: gives the grant, for `grantOf` of the next run. */
export async function renderJob(jobId: string, after = 0, render: Parameters<typeof host.complete>[1] = {}) {
  const grant = await grantOf(jobId, after);
  await host.complete(grant, render);
  return grant;
}

/** Fails the job's attempt with a code. */
export async function failJob(jobId: string, code: string, after = 0): Promise<Grant> {
  const grant = await grantOf(jobId, after);
  await host.fail(grant, code);
  return grant;
}

/** A new job that was rendered, and its clip. */
export async function renderedClip(api: Api, request: unknown): Promise<{ jobId: string; clipId: string }> {
  const jobId = await api.submit(request);
  await renderJob(jobId);
  return { jobId, clipId: String((await api.job(jobId)).clip_id) };
}

/** Expects a submission to have made a new job, and gives its payload. */
export async function accepted(api: Api, pending: Promise<Answer>): Promise<Record<string, unknown>> {
  const answer = await pending;
  expect(answer, answer.text).toMatchObject({ status: 201, body: { job_id: expect.stringMatching(UUID) } });
  return (await api.job(String(answer.body.job_id))).payload as Record<string, unknown>;
}

/** What the render host is asked to make of a request. */
export async function orderOf(api: Api, request: Record<string, unknown>) {
  return (await grantOf(await api.submit(request))).order;
}

/** Starts a receiver that is stopped when the test ends. A concurrent test passes its own `onTestFinished`. */
export async function createReceiver(reply?: Reply, whenFinished: typeof onTestFinished = onTestFinished, port = 0) {
  const receiver = await startReceiver(reply, port);
  whenFinished(receiver.stop);
  return receiver;
}
