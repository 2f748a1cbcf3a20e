import { runInDurableObject } from 'cloudflare:test';
import type { RenderJob } from '#durable-objects/render-job/render-job.ts';
import type { Bindings } from '#service/bindings.ts';
import type { CrashPoint } from '../model/actions.ts';
import { Crash } from '../model/system.ts';
import { bindings } from '../support/service.ts';

type Around = (work: () => Promise<unknown>) => Promise<unknown>;
type Method = (...args: unknown[]) => unknown;

const realFetch = globalThis.fetch;

/** The point at which something dies next. */
let armed: { readonly point: CrashPoint; readonly noted: (point: CrashPoint) => void } | null = null;
let killWorker: () => void = () => {};

/** Takes up the death at this point, if it is the one to come. */
function dies(point: string): boolean {
  if (armed?.point !== point) return false;
  armed.noted(armed.point);
  armed = null;
  return true;
}

/** Runs a call that may die before or after it; `kill` does not come back. */
function dying(name: string, kill: () => unknown): Around {
  return async (work) => {
    if (dies(`${name}:before`)) return kill();
    const isLast = dies(`${name}:after`);
    const result = await work();
    return isLast ? kill() : result;
  };
}

/** An object with one of its methods made anew. */
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

/** What a method answers with, with one of its own methods made anew. */
const inside = <T extends object>(target: T, name: string, change: (made: object) => object): T =>
  replaced(
    target,
    name,
    (method) =>
      (...args) =>
        change(method(...args) as object),
  );

/** The bindings of a Worker that can die while storage puts a file together. */
export function mortalBindings(): Bindings {
  // A dead Worker neither answers nor catches what killed it.
  const around = dying('r2-complete', () => {
    killWorker();
    return new Promise(() => {});
  });
  const CLIPS = inside(bindings.CLIPS, 'resumeMultipartUpload', (upload) => wrapped(upload, 'complete', around));
  return { ...bindings, CLIPS };
}

/** The answer of a Worker; rejects with `death` where it dies first. */
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

/** Has the object, or the Worker, die the next time it comes by a point; `noted` hears of it. */
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

/** The bindings, with the one call in them that an effect makes replaced. */
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
      // A stub answers to any name: it is left as it is but for the one.
      const DISPATCHER = inside(bindings.DISPATCHER, 'getByName', (stub) => wrapped(stub, effect, around));
      return { ...bindings, DISPATCHER };
    }
    default:
      throw new Error(`nothing dies at ${effect}`);
  }
}

/** Asks again where the answer was lost, as a host does. */
export async function retried<T>(step: () => Promise<T>, tries = 5): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof Crash) || tries === 1) throw error;
    return retried(step, tries - 1);
  }
}
