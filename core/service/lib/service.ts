import { createLog, type Log } from '#platform/log.ts';
import { type ObjectsByName, placedIn } from '#platform/placed-in.ts';
import { type Settings, settingsOf } from '#platform/settings.ts';
import type {
  Bound,
  DispatcherStub,
  ObjectBindings,
  PurgeQueueStub,
  PushHostStub,
  RenderJobStub,
} from '#rpc/bindings.ts';
import type { DispatcherRpc } from '#rpc/dispatcher.ts';
import { createImageStore, type ImageStore } from '#storage/clip/clip-files.ts';
import { type Database, openDatabase, openReplica } from '#storage/lib/database.ts';
import { type ClipIds, createClipIds } from './clip-ids.ts';
import { type ControlCache, createControls, createDisk, type Disk, type StaticFile, staticFileOf } from './controls.ts';
import { createLimits, type Limits, type RateBindings } from './limits.ts';
import { createPermits, type Permits } from './permits.ts';
import { createViews, type Views } from './views.ts';

/** The Worker's bindings, without the variables that `loadSettings` reads. */
export interface Bindings extends RateBindings, ObjectBindings {
  readonly DB: D1Database;
  readonly CLIPS: R2Bucket;
  readonly ASSETS: R2Bucket;
  /** The files of src/static. */
  readonly STATIC: Fetcher;
  /** Only on a stack: returns the `DiskState`. */
  readonly DISK?: Fetcher;
  /** Only on a stack: calls addresses that the operator has set, including private ones. */
  readonly OPERATOR?: Fetcher;
}

/** Returns the only purge queue: Cloudflare counts the purges of an account together. */
export function purgeQueueOf(
  env: Pick<ObjectBindings, 'PURGE_QUEUE'>,
  { place }: Pick<Settings, 'place'>,
): PurgeQueueStub {
  return placedIn(env.PURGE_QUEUE, place).getByName('purges');
}

/** Returns the only dispatcher. Its name is that of the object which stores the queue. */
export function dispatcherOf(namespace: ObjectsByName<Bound<DispatcherRpc>>): DispatcherStub {
  return namespace.getByName('shard-0');
}

/** Everything that handlers may use. Each picks the parts that it needs. */
export interface Service {
  readonly settings: Settings;
  readonly database: Database;
  /** Opens a replica of the database, which may lag behind it. */
  replica(): Database;
  /** The bucket of clips. */
  readonly files: R2Bucket;
  readonly images: ImageStore;
  /** The bucket of uploaded demos, which also has the images. It is not public. */
  readonly demos: R2Bucket;
  /** Returns a new stub each time: a stub is broken for good once a call of it has failed. */
  dispatcher(): DispatcherStub;
  job(id: string): RenderJobStub;
  /** Returns the job object with an object id, as the platform lists them. Throws for an invalid id. */
  jobObject(id: string): RenderJobStub;
  /** The object that sends jobs to a push host. */
  pushHost(id: string): PushHostStub;
  purges(): PurgeQueueStub;
  readonly clipIds: ClipIds;
  readonly limits: Limits;
  readonly permits: Permits;
  readonly disk: Disk;
  readonly controls: ControlCache;
  readonly staticFile: StaticFile;
  /** Calls an address that the operator has set, which may be private. */
  callOperator(url: string, init: RequestInit): Promise<Response>;
  readonly views: Views;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
  /** In [0, 1). */
  random(): number;
}

/** Creates the service from the Worker's environment, once an isolate. Throws like `settingsOf`. */
export function createService(env: Bindings): Service {
  const settings = settingsOf(env);
  const database = openDatabase(env.DB);
  const log = createLog(settings.logLevel);
  const now = () => Date.now();
  return {
    settings,
    database,
    replica: () => openReplica(env.DB),
    files: env.CLIPS,
    images: createImageStore(env.ASSETS, env.CLIPS),
    demos: env.ASSETS,
    dispatcher: () => dispatcherOf(placedIn(env.DISPATCHER, settings.place)),
    job: (id) => placedIn(env.RENDER_JOB, settings.place).getByName(id),
    jobObject: (id) => env.RENDER_JOB.get(env.RENDER_JOB.idFromString(id)),
    pushHost: (id) => placedIn(env.PUSH_HOST, settings.place).getByName(id),
    purges: () => purgeQueueOf(env, settings),
    clipIds: createClipIds(settings.clipIdSecret),
    limits: createLimits(settings, env, now),
    permits: createPermits(settings, now),
    disk: createDisk(env.DISK, settings.diskReserve, now),
    controls: createControls(database, now, log),
    staticFile: staticFileOf(env),
    callOperator: (url, init) => (env.OPERATOR ?? globalThis).fetch(url, init),
    views: createViews({ settings, database, log, now }),
    log,
    now,
    random: Math.random,
  };
}

/** Creates a value at its first use, once for each service. An isolate has one service. */
export function perService<T, S extends object = Service>(create: (service: S) => T): (service: S) => T {
  const values = new WeakMap<S, T>();
  return (service) => {
    if (!values.has(service)) values.set(service, create(service));
    return values.get(service) as T;
  };
}

/**
 * Like `perService` for a value that is loaded asynchronously. Concurrent first requests each load it: workerd forbids
 * a request to await the I/O of another.
 */
export function loadedPerService<T>(load: (service: Service) => Promise<T>): (service: Service) => Promise<T> {
  const values = new WeakMap<Service, { readonly value: T }>();
  return async (service) => {
    const loaded = values.get(service) ?? { value: await load(service) };
    values.set(service, loaded);
    return loaded.value;
  };
}
