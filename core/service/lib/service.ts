import { createLog, type Log } from '#platform/log.ts';
import { placedIn } from '#platform/placed-in.ts';
import { type Settings, settingsOf } from '#platform/settings.ts';
import type { DispatcherStub, PurgeQueueStub, PushHostStub, RenderJobStub } from '#rpc/bindings.ts';
import { createImageStore, type ImageStore } from '#storage/clip/images.ts';
import { type Database, openDatabase, openReplica } from '#storage/lib/database.ts';
import type { Bindings } from './bindings.ts';
import { type ClipIds, createClipIds } from './clip-ids.ts';
import { type ControlCache, createControls } from './controls.ts';
import { createDisk, type Disk } from './disk.ts';
import { dispatcherOf } from './dispatcher.ts';
import { createLimits, type Limits } from './limits.ts';
import { purgeQueueOf } from './purge-queue.ts';
import { type StaticFile, staticFileOf } from './static-file.ts';
import { createViews, type Views } from './views.ts';

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
