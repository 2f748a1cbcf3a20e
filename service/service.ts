import { createDispatchers, type Dispatchers } from '../durable-objects/dispatcher/dispatchers.ts';
import type { RenderJob } from '../durable-objects/render-job/render-job.ts';
import { createLog, type Log } from '../platform/log.ts';
import { placedIn } from '../platform/placed-in.ts';
import { loadSettings, type Settings } from '../platform/settings.ts';
import { createDatabase, createReplica, type Database } from '../storage/database.ts';
import { createImageStore, type ImageStore } from '../storage/images.ts';
import { type Bindings, renderJobOf } from './bindings.ts';
import { type ClipIds, createClipIds } from './clip-ids.ts';
import { createLimits, type Limits } from './limits.ts';

/** All that a handler may reach; each asks for what it needs of it. */
export interface Service {
  readonly settings: Settings;
  readonly database: Database;
  /** The index as its nearest copy has it, which may be behind: for lists and sums. A session of its own. */
  readonly replica: Database;
  /** Of clips. */
  readonly files: R2Bucket;
  readonly images: ImageStore;
  readonly dispatchers: Dispatchers;
  job(id: string): DurableObjectStub<RenderJob>;
  readonly clipIds: ClipIds;
  readonly limits: Limits;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
  /** In [0, 1). */
  random(): number;
}

/** The service out of what the platform hands it. Built once an isolate. Throws where a variable is wrong. */
export function createService(env: Bindings): Service {
  const settings = loadSettings(env);
  return {
    settings,
    database: createDatabase(env.DB),
    get replica() {
      return createReplica(env.DB);
    },
    files: env.CLIPS,
    images: createImageStore(env.ASSETS, env.CLIPS),
    dispatchers: createDispatchers(placedIn(env.DISPATCHER, settings.place), settings.dispatchers),
    job: (id) => renderJobOf({ RENDER_JOB: placedIn(env.RENDER_JOB, settings.place) }, id),
    clipIds: createClipIds(settings.clipIdSecret),
    limits: createLimits(settings, env, () => Date.now()),
    log: createLog(settings.logLevel),
    now: () => Date.now(),
    random: Math.random,
  };
}
