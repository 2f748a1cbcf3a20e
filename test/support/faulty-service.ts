import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from 'cloudflare:test';
import type { RenderJob } from '#durable-objects/render-job/render-job.ts';
import type { Bindings } from '#service/bindings.ts';
import { createService } from '#service/service.ts';
import { createApp } from '#src/worker.ts';
import { BASE_URL, bindings } from './service.ts';
import { TestHost } from './test-host.ts';

/**
 * The bindings as the platform has them and the local runtime does not: calls fail with the platform's own words, are
 * cut off before or after they took effect, and are counted. Everything else is the real thing.
 */

/** What the platform says, as its documents have it. R2 puts the operation before and its code behind. */
export const SAYS = {
  r2: {
    internal: 'We encountered an internal error. Please try again. (10001)',
    unavailable: 'Reduce your rate of simultaneous reads on the same object. (10043)',
    tooMany: 'Reduce your concurrent request rate for the same object. (10058)',
    noUpload: 'The specified multipart upload does not exist. (10024)',
    noPart: 'One or more of the specified parts could not be found. (10025)',
  },
  d1: [
    'D1_ERROR: D1 DB reset because its code was updated.',
    'D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.',
    'D1_ERROR: Network connection lost.',
    'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
    'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
    'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
    'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
    'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
  ],
  subrequests: 'Too many subrequests by single Worker invocation.',
} as const;

/** An object's code was updated under a call: since 2026 with a property of its own. */
export function resetByDeploy(): Error {
  return Object.assign(new Error('Durable Object reset because its code was updated.'), { durableObjectReset: true });
}

interface Fault {
  /** The calls that fail: `CLIPS.head`, `CLIPS.uploadPart`, `ASSETS.put`, `DB`, `RENDER_JOB.claim`, … */
  readonly on: string;
  readonly error: () => Error;
  /** `after`: the call took effect, and its answer was lost. */
  readonly when: 'before' | 'after';
  left: number;
}

type Method = (...args: unknown[]) => unknown;

/** The service over bindings that fail as told. */
export function createFaultyService() {
  const faults: Fault[] = [];
  const calls: string[] = [];
  const unwrapped = new WeakMap<object, object>();
  const statements = new Map<string, unknown[]>();
  let allowed = Infinity;
  let rows = 0;

  /** D1 says how many rows it wrote. */
  function noted(result: unknown): unknown {
    for (const one of [result].flat() as { meta?: { rows_written?: number } }[]) rows += one?.meta?.rows_written ?? 0;
    return result;
  }

  async function meet(call: string, work: () => unknown): Promise<unknown> {
    calls.push(call);
    if (calls.length > allowed) throw new Error(SAYS.subrequests);
    const fault = faults.find(({ on, left }) => on === call && left > 0);
    if (!fault) return noted(await work());
    fault.left--;
    if (fault.when === 'after') await work();
    throw fault.error();
  }

  /** The target with each method made anew by what `change` has for its name. */
  function changed<T extends object>(target: T, change: (name: string, method: Method) => Method | null): T {
    const proxy = new Proxy(target, {
      get(object, property) {
        const member: unknown = Reflect.get(object, property);
        if (typeof member !== 'function') return member;
        const method: Method = (...args) => Reflect.apply(member, object, args);
        return change(String(property), method) ?? method;
      },
    });
    unwrapped.set(proxy, target);
    return proxy;
  }

  const failing =
    (call: string, method: Method): Method =>
    (...args) =>
      meet(call, () => method(...args));

  const statement = (real: object, sql: string): object =>
    changed(real, (name, method) => {
      if (name === 'bind') {
        return (...args) => {
          statements.set(sql, args);
          return statement(method(...args) as object, sql);
        };
      }
      return failing('DB', method);
    });
  const database = (real: D1Database): D1Database =>
    changed(real, (name, method) => {
      if (name === 'prepare') {
        return (query) => {
          statements.set(String(query), []);
          return statement(method(query) as object, String(query));
        };
      }
      if (name === 'withSession') return (at) => database(method(at) as D1Database);
      if (name !== 'batch') return failing('DB', method);
      return failing('DB', (all) => method((all as object[]).map((one) => unwrapped.get(one) ?? one)));
    });
  const DB = database(bindings.DB);
  const upload = (real: object): object => changed(real, (name, method) => failing(`CLIPS.${name}`, method));
  const CLIPS = changed(bindings.CLIPS, (name, method) =>
    name === 'resumeMultipartUpload'
      ? (...args) => upload(method(...args) as object)
      : failing(`CLIPS.${name}`, method),
  );
  const ASSETS = changed(bindings.ASSETS, (name, method) => failing(`ASSETS.${name}`, method));
  const objects = <T extends object>(namespace: T, binding: string): T =>
    changed(namespace, (name, method) =>
      name === 'getByName'
        ? (...args) => changed(method(...args) as object, (call, of) => failing(`${binding}.${call}`, of))
        : null,
    );
  const faulty: Bindings = {
    ...bindings,
    DB,
    CLIPS,
    ASSETS,
    RENDER_JOB: objects(bindings.RENDER_JOB, 'RENDER_JOB'),
    DISPATCHER: objects(bindings.DISPATCHER, 'DISPATCHER'),
  };
  const service = createService(faulty);
  const app = createApp(service);
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const context = createExecutionContext();
    const response = await app(new Request(BASE_URL + path, init), context);
    await waitOnExecutionContext(context);
    return response;
  };

  return {
    service,
    bindings: faulty,
    /** What was asked of the platform, in order. */
    calls,
    /** The SQL that was prepared for the index, each with what was bound to it last. */
    statements,

    /** Rows that were written to the index. */
    rowsWritten: () => rows,
    /** Forgets what was counted. */
    reset(): void {
      calls.length = 0;
      rows = 0;
    },

    /** Has the next calls of this name fail. */
    fail(on: string, error: string | (() => Error), { times = 1, when = 'before' as Fault['when'] } = {}): void {
      faults.push({ on, error: typeof error === 'string' ? () => new Error(error) : error, when, left: times });
    },

    /** So many calls more, as of one invocation of a Worker; then each fails. */
    allow(more: number): void {
      allowed = calls.length + more;
    },

    /** A request to the service over these bindings; with all that it left to be done. */
    async send(token: string, method: string, path: string, body?: unknown): Promise<Response> {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      return request(path, body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) });
    },

    /** A host that speaks to this service. */
    host: (token: string) => new TestHost(token, request),

    /** Gives the object of a job these bindings, until it leaves memory. */
    async inside(jobId: string): Promise<void> {
      await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (instance: RenderJob) => {
        Object.defineProperty(instance, 'env', { value: faulty, configurable: true });
      });
    },
  };
}

/** Resets a job's object, as a deploy does: its memory goes, and with it each call that it holds. */
export async function resetObject(stub: DurableObjectStub): Promise<void> {
  await runInDurableObject(stub, (_, state) => state.abort('Durable Object reset because its code was updated.')).catch(
    () => {},
  );
}
