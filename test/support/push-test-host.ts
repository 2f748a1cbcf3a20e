import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import type { Job } from '#domain/job.ts';
import type { Grant } from '#protocol/gateway.ts';
import type { PushSettings } from '#protocol/push.ts';
import { isSigned } from '#protocol/signed-message.ts';
import { dispatcherOf } from '#service/dispatchers.ts';
import { CAPABILITIES } from './capabilities.ts';
import { ADMIN_TOKEN, bindings, send, sendJson } from './service.ts';
import { TestHost } from './test-host.ts';
import { createInbox } from './webhooks.ts';

const { agent_version: _, ...PUSH_CAPABILITIES } = CAPABILITIES;

/** A host that is called: its address is an inbox of the receiver, which answers as told. */
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

  /** Lets time pass for what its object waits for, and for nothing else. Needs timers that the test moves. */
  async waitFor(ms: number): Promise<void> {
    await runInDurableObject(this.object, () => void vi.advanceTimersByTime(ms));
  }

  /** What it was sent; each has to be signed for it. */
  async grants(secret = this.secret): Promise<Grant[]> {
    const received = await this.inbox.received();
    for (const { headers, body } of received) {
      const header = (name: string) => String(headers[name] ?? '');
      if (!(await isSigned(secret, { header, body, now: Date.now() }))) throw new Error('a grant is not signed');
    }
    return received.map(({ body }) => JSON.parse(body));
  }

  /** The grant that it was sent last, once there are so many. */
  async grant(count = 1): Promise<Grant> {
    await until(async () => (await this.inbox.received()).length >= count);
    const grant = (await this.inbox.received()).at(count - 1);
    return JSON.parse(grant?.body ?? '');
  }

  /** When its object wakes up by itself. */
  async alarmAt(): Promise<number | null> {
    return runInDurableObject(this.object, (_, { storage }) => storage.getAlarm());
  }

  /** Until its rest is over, by the clock of the tests, with both objects out of memory before. */
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

/** Nobody remembers anything but what is stored. */
export async function evictAll(host: PushTestHost): Promise<void> {
  for (const object of [host.object, dispatcherOf(bindings.DISPATCHER)]) await forget(object);
}

/** Timers keep an object in memory, so it is made to crash; its next call finds a new one. */
async function forget(object: DurableObjectStub): Promise<void> {
  await runInDurableObject(object, (_, state) => state.abort('the test has it crash')).catch(() => {});
}

/** The queue is empty: what one test left there does not fall to the host of the next one. */
export async function loseQueue(): Promise<void> {
  const dispatcher = dispatcherOf(bindings.DISPATCHER);
  await runInDurableObject(dispatcher, (_, { storage }) => storage.deleteAll());
  await forget(dispatcher);
}

/** What stands of a job in storage. */
export async function storedJob(jobId: string): Promise<Job> {
  return runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) => {
    const [row] = storage.sql.exec<{ state: string }>('SELECT state FROM job').toArray();
    return JSON.parse(row?.state ?? '{}');
  });
}

/** Asks again and again, each time over the network, and never by the clock. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 20_000; tries++) if (await isSo()) return;
  throw new Error('it does not come to that');
}
