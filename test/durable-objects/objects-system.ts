import {
  abortAllDurableObjects,
  createExecutionContext,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { vi } from 'vitest';
import { leaseOf } from '#domain/job/job.ts';
import { sha256Hex } from '#platform/digest.ts';
import { Grant } from '#protocol/host/gateway.ts';
import { createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createApp } from '#src/worker.ts';
import { CAPABILITIES, standInJpeg, standInMp4 } from '#test/support/test-host.ts';
import type { CrashPoint, Happening } from '../model/actions.ts';
import type { Answer, View } from '../model/contract-model.ts';
import { TERM_MS } from '../model/invariants.ts';
import { Crash, type Sent, type Snapshot, type System } from '../model/system.ts';
import { clipIdOf, type TestAccount } from '../support/accounts.ts';
import { leaveMemory } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, roundRequest } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';
import { arm, disarm, mortalBindings, orDeath, retried } from './objects-deaths.ts';
import { aftermathOf, emptyQueue, filesUnder, jobIdOf, type Kept, keptBy, rowOf } from './objects-stored.ts';

/** The number of deaths at each point, over all lives. */
export type Tally = Map<CrashPoint, number>;

const FILES = { video: standInMp4(64), thumbnail: standInJpeg(64) };

/** A fence has to be 1 or more. */
const NEVER_GRANTED = 999;

/** Longer than the dispatcher waits for anything of an earlier life. */
const BETWEEN_LIVES_MS = 400 * 24 * 60 * 60_000;
const TTL_MS = 30 * 24 * 60 * 60_000;

/**
 * Creates a system with one job: a real object of workerd, real D1, R2 and a real receiver, called through the Worker.
 */
export function createObjectsSystem(account: TestAccount, hostToken: string, tally: Tally): System {
  const inbox = createInbox();
  const key = crypto.randomUUID();
  const uploads: { key: string; uploadId: string }[] = [];
  let jobId: string | null = null;
  let evictions = 0;
  let diedAt: number | null = null;
  /** The number of deaths and evictions, and of those before the last response. */
  let disturbances = 0;
  let outlived = 0;
  vi.setSystemTime(Date.now() + BETWEEN_LIVES_MS);

  const stub = () => bindings.RENDER_JOB.getByName(jobId ?? '');
  const clipPrefix = async () => `clips/${await clipIdOf(jobId ?? '')}/`;

  const noteDeath = (point: CrashPoint) => {
    tally.set(point, (tally.get(point) ?? 0) + 1);
    diedAt = Date.now();
    disturbances++;
  };

  /** The caller lost the response to an eviction. Without an eviction the service is at fault. */
  function lost(what: string): never {
    if (disturbances === outlived) throw new Error(`${what}, though nothing had died`);
    outlived = disturbances;
    throw new Crash();
  }

  /** Returns the response to a request. */
  async function ask(token: string, method: string, path: string, body?: object): Promise<Answered> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    const init: RequestInit = { method, headers };
    if (body instanceof Uint8Array) init.body = body;
    else if (body) {
      headers['Content-Type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    const before = disturbances;
    const answer = app(new Request(BASE_URL + path, init), createExecutionContext());
    const response = await orDeath(answer, () => new Crash());
    const text = await response.text();
    if (response.status >= 500) lost(`${method} ${path} was answered with ${response.status}`);
    outlived = before;
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  }

  const api = async (method: string, path: string, body?: object, reserved = false) => {
    const answered = await ask(reserved ? account.reserved : account.metered, method, path, body);
    await comeToRest();
    return answered;
  };

  const report = async (fence: number, kind: string, body: object = {}) => {
    const fenced = { fence: fence < 1 ? NEVER_GRANTED : fence, ...body };
    const answered = await ask(hostToken, 'POST', `/gateway/v1/jobs/${jobId}/${kind}`, fenced);
    await comeToRest();
    return answered;
  };

  const accepted = ({ status }: { status: number }) => status < 300;

  /** Waits until the object has no running work, as the model assumes before a step. */
  async function comeToRest(): Promise<void> {
    for (let tries = 0; tries < 5000; tries++) {
      const found = await stored();
      if (!found?.isBusy) return;
      // Interrupted work waits for the alarm.
      const mayWait = diedAt !== null && Date.now() <= diedAt + TERM_MS;
      if (mayWait && tries >= 40) return;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    throw new Error('what is due does not come to an end');
  }

  /** Reads again if the object was evicted meanwhile. */
  async function stored(tries = 5): Promise<Kept | null> {
    return (jobId === null ? Promise.resolve(null) : keptBy(stub())).catch((error: unknown) => {
      if (tries === 0 || disturbances === outlived) throw error;
      return stored(tries - 1);
    });
  }

  async function submit({
    acceptable,
    webhook,
    priority,
    fallback,
    do: kind,
  }: Extract<Happening, { acceptable: boolean }>) {
    const body = roundRequest({
      idempotency_key: key,
      ...(acceptable ? {} : { demo_url: 'https://elsewhere.example.net/a.dem' }),
      ...(webhook ? { webhook_url: inbox.url } : {}),
      ...(fallback ? { fallback: 'radar' } : {}),
      ...(kind === 'force' ? { force: true } : {}),
    });
    const before = jobId === null ? null : (await stored())?.job.run;
    // The id follows from the key, so it is known even if the response is lost.
    jobId ??= await jobIdOf(account, key);
    const { status } = await api('POST', '/api/clips', body, priority);
    if (status === 201) return 'created';
    return (await stored())?.job.run === before ? 'replayed' : 'redone';
  }

  return {
    now: () => Date.now(),
    setNow: (at) => {
      vi.setSystemTime(at);
    },
    async call(happening, fence): Promise<Answer> {
      const job = `/api/jobs/${jobId}`;
      const clip = `/api/clips/${await clipIdOf(jobId ?? '')}`;
      switch (happening.do) {
        case 'submit':
        case 'force':
          return submit(happening);
        case 'resubmit': {
          const { status } = await api('POST', `${job}/resubmit`);
          return status === 404 ? null : status === 200 ? 'queued' : 'job_in_flight';
        }
        case 'cancel': {
          const { status } = await api('POST', `${job}/cancel`);
          return status === 404 ? null : status === 200 ? 'canceled' : 'job_finished';
        }
        case 'heartbeat':
          return accepted(await report(fence, 'heartbeat', { phase: happening.phase, progress: 0.5 }));
        case 'upload': {
          const { status, body } = await report(fence, 'uploads', { file: 'video' });
          if (status === 201)
            uploads.push({ key: `${await clipPrefix()}${fence}/video.mp4`, uploadId: String(body.upload_id) });
          return status === 201;
        }
        case 'complete': {
          const found = await stored();
          const files = await filesOf((found ? leaseOf(found.job)?.fence : null) === fence ? fence : null);
          return accepted(await retried(() => report(fence, 'complete', files)));
        }
        case 'fail':
          return accepted(await report(fence, 'fail', { code: happening.code, detail: '' }));
        case 'refuse': {
          const refused = { code: 'demo_incompatible', detail: '', refused_build: happening.build };
          return accepted(await report(fence, 'fail', refused));
        }
        case 'release':
          return accepted(await report(fence, 'release'));
        case 'save':
        case 'unsave':
          return accepted(await api('POST', `${clip}/${happening.do}`));
        case 'delete-clip':
          return accepted(await api('DELETE', clip));
        case 'take-down': {
          const path = `/admin/clips/${await clipIdOf(jobId ?? '')}`;
          const answered = await ask(ADMIN_TOKEN, 'DELETE', path, { reason: 'why' });
          await comeToRest();
          return accepted(answered);
        }
        case 'expire-clip':
          await stub()
            .expireClip(Date.now() + 1)
            .catch((error: unknown) => lost(`the clip could not expire: ${error}`));
          await comeToRest();
          return true;
        case 'resend': {
          const { status, body } = await api('POST', `${job}/resend-webhook`);
          if (status === 404) return null;
          if (status === 200) return 'sent';
          if (status === 429) return 'too_many';
          return String(body.type).endsWith('no_webhook') ? 'no_webhook' : 'job_in_flight';
        }
        default:
          throw new Error(`not a call: ${happening.do}`);
      }
    },
    async claim() {
      const found = await stored();
      const renderer = found?.job.renderer;
      const { status, body } = await ask(hostToken, 'POST', '/gateway/v1/claim', {
        capabilities: { ...CAPABILITIES, ...(renderer ? { renderer } : {}) },
        wait_s: 0,
      });
      await comeToRest();
      if (status === 204) return null;
      const grant = Grant.parse(body);
      if (grant.job_id !== jobId) throw new Error('the queue holds a job of another life');
      return grant.lease.fence;
    },
    async view() {
      if (jobId === null) return null;
      const { status, body } = await retried(() => ask(account.metered, 'GET', `/api/jobs/${jobId}`));
      if (status === 404) return null;
      const { job, deliveries } = (await stored()) ?? {};
      const ofRun = deliveries?.filter(({ run }) => run === job?.run) ?? [];
      return { ...(body as unknown as View), deliveries: ofRun.length };
    },
    async snapshot(): Promise<Snapshot | null> {
      const found = await stored();
      const { deliveries, attempts } = found ?? {};
      return found && { ...found, deliveries: deliveries as never, attempts: attempts as never };
    },
    alarmAt: async () => (await stored())?.alarmAt ?? null,
    async ring() {
      await runDurableObjectAlarm(stub()).catch((error: unknown) => lost(`the alarm failed: ${error}`));
      await comeToRest();
    },
    loseAlarm: async () => {
      await runInDurableObject(stub(), (_, { storage }) => storage.deleteAlarm());
    },
    async runCron() {
      const before = disturbances;
      const { called } = await runUpkeep(
        { ...service, settings: { ...service.settings, clipTtl: TTL_MS * 1000 } },
        Date.now(),
      );
      // An object that dies during the call of the cron is called again in the next run.
      if (called === 0 && disturbances !== before) throw new Crash();
      await comeToRest();
    },
    async upkeepAt() {
      return (await rowOf(jobId))?.watch_at ?? null;
    },
    async evict() {
      if (jobId === null) return;
      await stored();
      disturbances++;
      // In turn, only this object is evicted, or all objects are aborted at once.
      if (evictions++ % 3 === 2) await abortAllDurableObjects();
      else await leaveMemory(stub());
    },
    async crashAt(point) {
      if (point === null || jobId === null) return disarm();
      await stored();
      await arm(jobId, point, inbox.url, noteDeath);
    },
    diedAt: () => diedAt,
    loseQueue: emptyQueue,
    // test/src/fault-injection.test.ts injects failures of the platform.
    outage: async () => {},
    receiver: (answers) => inbox.answerWith(answers === 'ok' ? '200' : '500'),
    async sent(): Promise<Sent[]> {
      const attempts = (await stored())?.attempts ?? [];
      return (await inbox.received()).flatMap(({ headers, body }) => {
        const deliveryId = String(headers['x-service-delivery-id']);
        const attempt = Number(headers['x-service-attempt']);
        const noted = attempts.find((one) => one.id === deliveryId && one.attempt === attempt);
        return noted ? [{ deliveryId, attempt, at: Number(noted.at), body }] : [];
      });
    },
    files: async () => filesUnder(await clipPrefix()),
    aftermath: async () => aftermathOf(jobId, uploads, await clipPrefix()),
    // A failed life must not affect the next one.
    close: () => emptyQueue(),
  };

  /**
   * Uploads a file like packages/render-host/agent/upload-file.ts: repeats calls, and starts again if storage has lost
   * the upload.
   */
  async function uploadFile(fence: number, file: 'video' | 'thumbnail', tries = 2): Promise<void> {
    const { body } = await retried(() => report(fence, 'uploads', { file }));
    const upload_id = String(body.upload_id);
    const query = new URLSearchParams({
      fence: String(fence),
      file,
      upload_id,
      part: '1',
      sha256: await sha256Hex(FILES[file]),
    });
    const path = `/gateway/v1/jobs/${jobId}/uploads/part?${query}`;
    const part = await retried(() => ask(hostToken, 'PUT', path, FILES[file]));
    const parts = [part.body];
    const ended = await retried(() => report(fence, 'uploads/complete', { file, upload_id, parts }));
    if (String(ended.body.type).endsWith('upload_incomplete') && tries > 1) return uploadFile(fence, file, tries - 1);
    if (!accepted(ended)) throw new Error(`the upload was answered with ${ended.status}`);
  }

  /** Uploads both files under the lease, if there is one. Returns what a completion reports. */
  async function filesOf(fence: number | null): Promise<Record<string, unknown>> {
    const announced = async (file: Uint8Array<ArrayBuffer>) => ({
      bytes: file.byteLength,
      sha256: await sha256Hex(file),
    });
    if (fence !== null) for (const kind of ['video', 'thumbnail'] as const) await uploadFile(fence, kind);
    const [video, thumbnail] = await Promise.all([announced(FILES.video), announced(FILES.thumbnail)]);
    return { title: 'A clip', duration_seconds: 2, video, thumbnail };
  }
}

interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Created in the test's own isolate, where its bindings die at a point. */
const service = createService(mortalBindings());
const app = createApp(service);
