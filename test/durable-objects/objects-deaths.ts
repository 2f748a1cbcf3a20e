import { runInDurableObject } from 'cloudflare:test';
import type { RenderJob } from '#durable-objects/render-job/render-job.ts';
import type { Bindings } from '#service/lib/service.ts';
import type { CrashPoint } from '../model/actions.ts';
import { Crash } from '../model/system.ts';
import { bindings } from '../support/service.ts';

type Around = (work: () => Promise<unknown>) => Promise<unknown>;
type Method = (...args: unknown[]) => unknown;

const realFetch = globalThis.fetch;

/** The point of the next injected death; null if none is set. */
let armed: { readonly point: CrashPoint; readonly noted: (point: CrashPoint) => void } | null = null;
let killWorker: () => void = () => {};

/** Returns whether the injected death is at this point, and clears it. */
function dies(point: string): boolean {
  if (armed?.point !== point) return false;
  armed.noted(armed.point);
  armed = null;
  return true;
}

/** Wraps a call: an injected death before or after it calls `kill`, which never returns. */
function dying(name: string, kill: () => unknown): Around {
  return async (work) => {
    if (dies(`${name}:before`)) return kill();
    const isLast = dies(`${name}:after`);
    const result = await work();
    return isLast ? kill() : result;
  };
}

/** Returns an object with one method replaced. */
function replaced<T extends object>(target: T, name: string, make: (method: Method) => Method): T {
  return new Proxy(target, {
    get(object, property) {
      const member: unknown = Reflect.get(object, property);
      if (typeof member !== 'function') return member;
      const method: Method = (...args) => Reflect.apply(member, object, args);
      return property === name ? make(method) : method;
    },
  });
}

const wrapped = <T extends object>(target: T, name: string, around: Around): T =>
  replaced(
    target,
    name,
    (method) =>
      (...args) =>
        around(async () => method(...args)),
  );

/** Returns an object whose method returns a changed result. */
const inside = <T extends object>(target: T, name: string, change: (made: object) => object): T =>
  replaced(
    target,
    name,
    (method) =>
      (...args) =>
        change(method(...args) as object),
  );

/** Returns bindings of a Worker that can die while storage joins the parts of a file. */
export function mortalBindings(): Bindings {
  // A dead Worker neither answers nor handles errors.
  const around = dying('r2-complete', () => {
    killWorker();
    return new Promise(() => {});
  });
  const CLIPS = inside(bindings.CLIPS, 'resumeMultipartUpload', (upload) => wrapped(upload, 'complete', around));
  return { ...bindings, CLIPS };
}

/** Returns the response of a Worker; rejects with `death` if the Worker dies first. */
export function orDeath<T>(answer: Promise<T>, death: () => Error): Promise<T> {
  const died = new Promise<never>((_, reject) => {
    killWorker = () => reject(death());
  });
  return Promise.race([answer, died]);
}

export function disarm(): void {
  armed = null;
  globalThis.fetch = realFetch;
}

/** Kills the object, or the Worker, the next time it reaches a point. `noted` is called then. */
export async function arm(
  jobId: string,
  point: CrashPoint,
  inboxUrl: string,
  noted: (point: CrashPoint) => void,
): Promise<void> {
  disarm();
  armed = { point, noted };
  const [where = ''] = point.split(':');
  if (where === 'r2-complete') return;
  await runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (instance: RenderJob, state) => {
    const kill = () => state.abort(`dead: ${point}`);
    const around = dying(where, kill);
    if (where === 'commit') {
      const { storage } = state;
      const commit = storage.transactionSync.bind(storage);
      storage.transactionSync = (closure) => {
        const result = commit(closure);
        if (dies('commit:before')) kill();
        else if (dies('commit:after')) void storage.sync().then(kill);
        return result;
      };
    } else if (where === 'send') {
      globalThis.fetch = (input, init) =>
        String(input) === inboxUrl
          ? (around(() => realFetch(input, init)) as Promise<Response>)
          : realFetch(input, init);
    } else {
      Object.defineProperty(instance, 'env', { value: dyingEnv(where, around), configurable: true });
    }
  });
}

/** Returns the bindings with the call of one effect wrapped. */
function dyingEnv(effect: string, around: Around): Bindings {
  switch (effect) {
    case 'project':
    case 'unbilled':
      return { ...bindings, DB: wrapped(bindings.DB, 'batch', around) };
    case 'meter': {
      const running = (statement: object) => wrapped(statement, 'run', around);
      const DB = replaced(bindings.DB, 'prepare', (prepare) => (query) => {
        const statement = prepare(query) as object;
        return /^insert into "usage"/i.test(String(query)) ? inside(statement, 'bind', running) : statement;
      });
      return { ...bindings, DB };
    }
    case 'delete-files':
      return { ...bindings, CLIPS: wrapped(bindings.CLIPS, 'list', around) };
    case 'abort-uploads': {
      const CLIPS = inside(bindings.CLIPS, 'resumeMultipartUpload', (upload) => wrapped(upload, 'abort', around));
      return { ...bindings, CLIPS };
    }
    case 'offer':
    case 'started':
    case 'settle': {
      // A stub has a method of any name, so only this one is wrapped.
      const DISPATCHER = inside(bindings.DISPATCHER, 'getByName', (stub) => wrapped(stub, effect, around));
      return { ...bindings, DISPATCHER };
    }
    default:
      throw new Error(`nothing dies at ${effect}`);
  }
}

/** Repeats a call whose response was lost, like a host. */
export async function retried<T>(step: () => Promise<T>, tries = 5): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof Crash) || tries === 1) throw error;
    return retried(step, tries - 1);
  }
}
