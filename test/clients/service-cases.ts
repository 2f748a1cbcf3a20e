import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { newKey } from '#client/transport.ts';
import type { ClientCall, Outcome } from './protocol.ts';

/** A service, and requests of which the outcome is known. */
export interface Place {
  /** Fields of a submit whose job makes a clip. */
  readonly ok: object;
  /** Fields of submits whose jobs fail, by their codes. */
  readonly failing: Readonly<Record<string, object>>;
  /** Fields of a submit whose job is still unfinished when it is canceled. */
  readonly endless: object;
  /** The path of a demo. */
  readonly demo: string;
  /** An empty folder. */
  readonly folder: string;
}

export interface ServiceCase {
  readonly name: string;
  /** Its jobs must not end by themselves. */
  readonly isIdle?: true;
  /** `run` has the client carry out a call. */
  readonly check: (run: (call: ClientCall) => Promise<Outcome>, place: Place) => Promise<void>;
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** What every client has to do with a real service. */
export const SERVICE_CASES: readonly ServiceCase[] = [
  {
    name: 'renders a clip, saves it as a file, and deletes it',
    check: async (run, { ok, folder }) => {
      const rendered = await run({ do: 'render', request: { ...ok, extras: { é: '漢' } } });
      expect(rendered.error).toBeUndefined();
      expect(rendered.progress.at(-1)).toMatchObject({ status: 'done', progress: 1 });
      const clip = Object(rendered.value);
      expect(clip).toMatchObject({ state: 'ready', title: expect.any(String), job_id: expect.any(String) });
      const path = join(folder, `${clip.id}.mp4`);
      expect((await run({ do: 'download', id: clip.id, path })).error).toBeUndefined();
      expect(statSync(path).size).toBe(Number(clip.size));
      const job = await run({ do: 'get_job', id: clip.job_id });
      expect(job.value).toMatchObject({ status: 'done', payload: { extras: '{"é":"漢"}' } });
      for (const name of ['save_clip', 'delete_clip', 'delete_clip'] as const) {
        expect(await run({ do: name, id: clip.id })).toMatchObject({ value: null });
      }
      expect(await run({ do: 'download', id: clip.id, path })).toMatchObject({ error: { code: 'gone', status: 410 } });
      const listed = await run({ do: 'list_clips', query: { state: 'deleted' } });
      expect(listed.value).toContain(clip.id);
    },
  },
  {
    name: 'fails with the code and the diagnosis of the job',
    check: async (run, { failing }) => {
      const keyed = Object.entries(failing).map(
        ([code, one]) => [code, { ...one, idempotency_key: newKey() }] as const,
      );
      // All at once; each is followed later.
      await run({ do: 'submit_batch', requests: keyed.map(([, request]) => request) });
      for (const [code, request] of keyed) {
        const { error, progress } = await run({ do: 'render', request });
        const diagnosis = { error_code: code, summary: expect.any(String), docs_url: expect.any(String) };
        expect(error).toMatchObject({ class: 'job_failed', code, diagnosis });
        expect(error?.message).toContain(Object(error?.diagnosis).summary);
        expect(progress.at(-1)).toMatchObject({ status: 'error', error_code: code });
      }
    },
  },
  {
    name: 'replays a key, and says whether the body differs',
    isIdle: true,
    check: async (run, { endless }) => {
      const request = { ...endless, idempotency_key: newKey() };
      const first = await run({ do: 'submit', request });
      expect(first.value).toMatchObject({ replayed: false, body_differs: false });
      expect((await run({ do: 'submit', request })).value).toEqual({ ...Object(first.value), replayed: true });
      const other = await run({ do: 'submit', request: { ...request, fps: 60 } });
      expect(other.value).toEqual({ ...Object(first.value), replayed: true, body_differs: true });
      const { job_id: id } = Object(first.value);
      expect((await run({ do: 'cancel_job', id })).value).toEqual({ job_id: id });
      const canceled = await run({ do: 'wait_job', id });
      expect(canceled.value).toMatchObject({ status: 'error', error_code: 'canceled' });
      expect((await run({ do: 'resubmit_job', id })).value).toEqual({ job_id: id });
      expect((await run({ do: 'resubmit_job', id })).error).toMatchObject({ code: 'job_in_flight', status: 409 });
      expect((await run({ do: 'cancel_job', id })).error).toBeUndefined();
    },
  },
  {
    name: 'cancels the job of an interrupted render',
    isIdle: true,
    check: async (run, { endless }) => {
      const key = newKey();
      const request = { ...endless, idempotency_key: key };
      expect((await run({ do: 'render', request, interrupt: true })).error).toMatchObject({ class: 'interrupted' });
      const { job_id: id } = Object((await run({ do: 'submit', request })).value);
      expect((await run({ do: 'wait_job', id })).value).toMatchObject({ error_code: 'canceled' });
    },
  },
  {
    name: 'reads lists of several pages, and follows the changes of all jobs',
    isIdle: true,
    check: async (run, { endless }) => {
      const requests = [1, 2, 3].map((fps) => ({ fps: 30 + fps }));
      const batch = await run({ do: 'submit_batch', requests, defaults: endless });
      const ids = (batch.value as { job_id: string }[]).map(({ job_id }) => job_id);
      for (const id of ids) await run({ do: 'cancel_job', id });
      // Lists are some milliseconds behind.
      await vi.waitFor(async () => {
        const listed = await run({ do: 'list_jobs', query: { status: 'error', limit: 2 }, take: 20 });
        expect(listed.value).toEqual(expect.arrayContaining(ids));
      }, 10_000);
      const changes = await run({ do: 'events', after: `0_${UNKNOWN}`, take: 3 });
      expect(changes.value).toHaveLength(3);
      const [, second] = changes.value as { id: string }[];
      const later = await run({ do: 'events', after: second?.id ?? '', take: 1 });
      expect(later.value).toEqual([Object(changes.value)[2]]);
    },
  },
  {
    name: 'uploads a demo once, inspects it and plans a clip',
    check: async (run, { demo, ok }) => {
      const bytes = statSync(demo).size;
      const upload = { do: 'upload', path: demo, name: `${newKey()}.dem`, tag: 'league' } as const;
      const sent = await run(upload);
      expect(sent.value).toMatchObject({ state: 'complete', tag: 'league', bytes });
      expect(sent.progress.at(-1)).toBe(bytes);
      const again = await run(upload);
      expect(again).toMatchObject({ value: { id: Object(sent.value).id }, progress: [bytes] });
      const { demo_url } = Object(sent.value);
      const inspected = await run({ do: 'inspect', demo: demo_url });
      expect(inspected.value).toMatchObject({ state: 'ready', match: { rounds: expect.any(Array) } });
      const plan = await run({ do: 'plan', request: { ...ok, demo_url } });
      expect(plan.value).toMatchObject({ seconds: expect.any(Number), shots: expect.any(Array) });
    },
  },
  {
    name: 'refuses a field that breaks a rule',
    check: async (run, { ok }) => {
      const { error } = await run({ do: 'submit', request: { ...ok, fps: 1 } });
      expect(error).toMatchObject({
        class: 'problem',
        code: 'invalid_request',
        status: 400,
        errors: [{ path: 'fps' }],
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        docs_url: expect.stringMatching(/problems#invalid_request$/),
      });
    },
  },
];
