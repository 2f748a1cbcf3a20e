import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from 'cloudflare:test';
import type { RenderJob } from '#durable-objects/render-job/render-job.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { BASE_URL, bindings } from './service.ts';
import { TestHost } from './test-host.ts';

/**
 * Injects faults into real bindings: calls fail with the texts of the platform, before or after they took effect.
 * Counts calls.
 */

/** Texts of errors from the documents of the platform. R2 puts the operation first and its code last. */
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

/** The code of an object was updated during a call. Since 2026 the error has a property for it. */
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

/** Creates the service over faulty bindings. */
export function createFaultyService() {
  const faults: Fault[] = [];
  const calls: string[] = [];
  const unwrapped = new WeakMap<object, object>();
  const statements = new Map<string, unknown[]>();
  let allowed = Infinity;
  let rows = 0;

  /** Counts the written rows that D1 reports. */
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

  /** Wraps the methods that `change` replaces. */
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
  const bucket = <T extends object>(real: T, binding: string): T =>
    changed(real, (name, method) =>
      name === 'resumeMultipartUpload'
        ? (...args) => changed(method(...args) as object, (call, of) => failing(`${binding}.${call}`, of))
        : failing(`${binding}.${name}`, method),
    );
  const CLIPS = bucket(bindings.CLIPS, 'CLIPS');
  const ASSETS = bucket(bindings.ASSETS, 'ASSETS');
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
    /** The calls of the platform, in order. */
    calls,
    /** The prepared SQL of the index, with its last bound values. */
    statements,

    /** Rows written to the index. */
    rowsWritten: () => rows,
    /** Resets the counts. */
    reset(): void {
      calls.length = 0;
      rows = 0;
    },

    /** Makes the next calls of this name fail. */
    fail(on: string, error: string | (() => Error), { times = 1, when = 'before' as Fault['when'] } = {}): void {
      faults.push({ on, error: typeof error === 'string' ? () => new Error(error) : error, when, left: times });
    },

    /** Allows so many calls, as for one invocation of a Worker; each later one fails. */
    allow(more: number): void {
      allowed = calls.length + more;
    },

    /** Sends a request to the service over these bindings, and waits for its background work. */
    async send(token: string, method: string, path: string, body?: unknown): Promise<Response> {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      return request(path, body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) });
    },

    /** Returns a host that calls this service. */
    host: (token: string) => new TestHost(token, request),

    /** Gives these bindings to the object of a job, until it leaves memory. */
    async inside(jobId: string): Promise<void> {
      await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (instance: RenderJob) => {
        Object.defineProperty(instance, 'env', { value: faulty, configurable: true });
      });
    },
  };
}

/** Resets the object of a job like a deploy: its memory and all held calls are lost. */
export async function resetObject(stub: DurableObjectStub): Promise<void> {
  await runInDurableObject(stub, (_, state) => state.abort('Durable Object reset because its code was updated.')).catch(
    () => {},
  );
}

/** Returns a bucket that calls `before` with the key of each multipart upload that is about to be aborted. */
export function withAbort(bucket: R2Bucket, before: (key: string) => Promise<void>): R2Bucket {
  const uploadOf = (key: string, id: string) => {
    const upload = bucket.resumeMultipartUpload(key, id);
    const abort = () => before(key).then(() => upload.abort());
    return Object.create(upload, { abort: { value: abort } }) as R2MultipartUpload;
  };
  const methods = new Map<PropertyKey, unknown>([['resumeMultipartUpload', uploadOf]]);
  return new Proxy(bucket, {
    get(target, property) {
      const member: unknown = methods.get(property) ?? Reflect.get(target, property);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
