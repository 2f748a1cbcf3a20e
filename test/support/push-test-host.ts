import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import type { Job } from '#domain/job/job.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import type { PushSettings } from '#protocol/host/push.ts';
import { isSigned } from '#protocol/lib/signed-message.ts';
import { dispatcherOf } from '#service/lib/service.ts';
import { ADMIN_TOKEN, bindings, send, sendJson } from './service.ts';
import { CAPABILITIES, TestHost } from './test-host.ts';
import { createInbox } from './webhooks.ts';

const { agent_version: _, ...PUSH_CAPABILITIES } = CAPABILITIES;

/** A push host: its address is an inbox of the receiver, which gives the set answers. */
export class PushTestHost extends TestHost {
  readonly id: string;
  readonly secret: string;
  readonly inbox: ReturnType<typeof createInbox>;

  constructor(id: string, token: string, secret: string, inbox: ReturnType<typeof createInbox>) {
    super(token, send);
    this.id = id;
    this.secret = secret;
    this.inbox = inbox;
  }

  static async register(answers = '202', push: Partial<PushSettings> = {}): Promise<PushTestHost> {
    const inbox = createInbox(answers);
    const settings = { url: inbox.url, slots: 1, capabilities: PUSH_CAPABILITIES, ...push };
    const response = await sendJson(ADMIN_TOKEN, 'POST', '/admin/hosts', { name: 'a host', push: settings });
    if (response.status !== 201) throw new Error(`it was not registered: ${await response.text()}`);
    const { host_id, token, push_secret } = await response.json<Record<'host_id' | 'token' | 'push_secret', string>>();
    return new PushTestHost(host_id, token, push_secret, inbox);
  }

  get object() {
    return bindings.PUSH_HOST.getByName(this.id);
  }

  /** Advances the timers of its object by this time. Needs fake timers. */
  async waitFor(ms: number): Promise<void> {
    await runInDurableObject(this.object, () => void vi.advanceTimersByTime(ms));
  }

  /** Returns the grants it was sent; checks each signature. */
  async grants(secret = this.secret): Promise<Grant[]> {
    const received = await this.inbox.received();
    for (const { headers, body } of received) {
      const header = (name: string) => String(headers[name] ?? '');
      if (!(await isSigned(secret, { header, body, now: Date.now() }))) throw new Error('a grant is not signed');
    }
    return received.map(({ body }) => JSON.parse(body));
  }

  /** Waits for this many grants and returns the last of them. */
  async grant(count = 1): Promise<Grant> {
    await until(async () => (await this.inbox.received()).length >= count);
    const grant = (await this.inbox.received()).at(count - 1);
    return JSON.parse(grant?.body ?? '');
  }

  /** Returns when the alarm of its object fires. */
  async alarmAt(): Promise<number | null> {
    return runInDurableObject(this.object, (_, { storage }) => storage.getAlarm());
  }

  /** Advances the clock past its back-off, with both objects evicted first. */
  async rest(): Promise<void> {
    const at = await this.alarmAt();
    await evictAll(this);
    vi.setSystemTime(Math.max(at ?? 0, Date.now()));
    await runDurableObjectAlarm(this.object);
  }

  async revoke(): Promise<void> {
    await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/hosts/${this.id}`);
  }
}

/** Evicts all objects, so that only stored state is left. */
export async function evictAll(host: PushTestHost): Promise<void> {
  for (const object of [host.object, dispatcherOf(bindings.DISPATCHER)]) await forget(object);
}

/** Aborts the object, because timers keep it in memory. The next call creates it anew. */
async function forget(object: DurableObjectStub): Promise<void> {
  await runInDurableObject(object, (_, state) => state.abort('the test has it crash')).catch(() => {});
}

/** Empties the queue, so that jobs of one test do not reach the host of the next. */
export async function loseQueue(): Promise<void> {
  const dispatcher = dispatcherOf(bindings.DISPATCHER);
  await runInDurableObject(dispatcher, (_, { storage }) => storage.deleteAll());
  await forget(dispatcher);
}

/** Reads the stored state of a job. */
export async function storedJob(jobId: string): Promise<Job> {
  return runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) => {
    const [row] = storage.sql.exec<{ state: string }>('SELECT state FROM job').toArray();
    return JSON.parse(row?.state ?? '{}');
  });
}

/** Repeats a check, each time over the network, without the clock. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 20_000; tries++) if (await isSo()) return;
  throw new Error('it does not come to that');
}
