import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { JobEvent, Transition } from '#domain/job/event.ts';
import { withFallback } from '#domain/job/fallback.ts';
import { type Lease, leaseOf, type MultipartUpload } from '#domain/job/job.ts';
import type { RefusalReason, Result } from '#domain/job/result.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { clipFileKey } from '#domain/job/storage-keys.ts';
import type { EngineContext } from '#durable-objects/render-job/engine-context.ts';
import { JobEngine } from '#durable-objects/render-job/job-engine.ts';
import type { JobStorage } from '#durable-objects/render-job/job-store.ts';
import { readStoredJob } from '#durable-objects/render-job/stored-job.ts';
import { byKind } from '#durable-objects/render-job/stored-request.ts';
import { jobView } from '#protocol/job/job-view.ts';
import { webhookOutcome } from '#protocol/job/webhook.ts';
import { CLIP_ID, clipWork, JOB_ID, T0 } from '../core/domain/builders.ts';
import type { CrashPoint, Happening, Outside } from './actions.ts';
import type { Answer } from './contract-model.ts';
import { Crash, createSurroundings, NEEDS, type Sent, type Snapshot, STORED, type System } from './system.ts';

interface StorageHooks {
  readonly alive: () => void;
  readonly beforeCommit: () => void;
  readonly afterCommit: () => void;
  readonly readAlarm: () => number | null;
  readonly writeAlarm: (at: number | null) => void;
}

/**
 * Returns the part of an object's storage that the engine uses: SQL, transactions that include the alarm, and the
 * alarm.
 */
export function sqliteStorage(db: DatabaseSync, hooks: StorageHooks): JobStorage {
  const exec = (query: string, ...bindings: SQLInputValue[]) => {
    hooks.alive();
    if (bindings.length === 0 && !/^\s*SELECT/i.test(query)) {
      db.exec(query);
      return cursor([]);
    }
    return cursor(db.prepare(query).all(...bindings));
  };
  const storage = {
    sql: { exec },
    transactionSync<T>(closure: () => T): T {
      hooks.alive();
      const alarmBefore = hooks.readAlarm();
      db.exec('BEGIN');
      let result: T;
      try {
        result = closure();
        hooks.beforeCommit();
        db.exec('COMMIT');
      } catch (error) {
        db.exec('ROLLBACK');
        hooks.writeAlarm(alarmBefore);
        throw error;
      }
      hooks.afterCommit();
      return result;
    },
    // Callers do not await these, so they throw synchronously: a dead object must not continue.
    setAlarm(at: number) {
      hooks.alive();
      hooks.writeAlarm(at);
      return Promise.resolve();
    },
    deleteAlarm() {
      hooks.alive();
      hooks.writeAlarm(null);
      return Promise.resolve();
    },
  };
  return storage as unknown as JobStorage;
}

function cursor(rows: readonly unknown[]) {
  return {
    toArray: () => rows,
    one: () => rows[0],
    [Symbol.iterator]: () => rows[Symbol.iterator](),
  };
}

const REQUEST = {
  kind: 'clip',
  demo_url: 'https://demos.example.com/a.dem',
  steam64_id: '1',
  resolution: 1080,
  extras: null,
} as const;

/** The number of deaths at each point, over all runs. */
export type Deaths = Map<CrashPoint, number>;

/**
 * Creates a system with the engine and its own SQL on SQLite in memory, among plain sets and under a virtual clock. The
 * object dies exactly at the chosen point: committed state stays, everything else is lost.
 */
export function createEngineSystem(deaths: Deaths): System {
  const db = new DatabaseSync(':memory:');
  const sent: Sent[] = [];
  const around = createSurroundings();
  let away: Outside | null = null;
  let answers: 'ok' | 'fails' = 'ok';
  let now = T0;
  let alarm: number | null = null;
  let ids = 0;
  let dieAt: CrashPoint | null = null;
  let diedAt: number | null = null;
  let incarnation: { engine: JobEngine; pending: Set<Promise<void>>; dead: boolean } | null = null;

  /** One life of the object in memory. */
  const incarnate = () => {
    const life = { dead: false, pending: new Set<Promise<void>>() };
    const alive = () => {
      if (life.dead) throw new Crash();
    };
    const passing = (point: CrashPoint) => {
      alive();
      if (point !== dieAt) return;
      deaths.set(point, (deaths.get(point) ?? 0) + 1);
      dieAt = null;
      diedAt = now;
      life.dead = true;
      throw new Crash();
    };
    const storage = sqliteStorage(db, {
      alive,
      beforeCommit: () => passing('commit:before'),
      afterCommit: () => passing('commit:after'),
      readAlarm: () => alarm,
      writeAlarm: (at) => {
        alarm = at;
      },
    });
    const context: EngineContext = {
      storage,
      schedule: DEFAULT_SCHEDULE,
      resendsAnHour: Number.POSITIVE_INFINITY,
      now: () => now,
      random: () => 0.5,
      newId: () => `delivery-${ids++}`,
      keepAlive: (work) => {
        const over = work.catch(() => {}).finally(() => life.pending.delete(over));
        life.pending.add(over);
      },
      async runEffect(effect, { job }, { upkeepAt }) {
        await Promise.resolve();
        passing(`${effect.type}:before`);
        if (NEEDS[effect.type] === away) throw new Error(`the ${away} is away`);
        around.carryOut(effect, job, upkeepAt, life);
        passing(`${effect.type}:after`);
        return 'done';
      },
      async prepare({ id, attempts }, { body }) {
        await Promise.resolve();
        return async () => {
          passing('send:before');
          sent.push({ deliveryId: id, attempt: attempts, at: now, body });
          passing('send:after');
          return answers === 'ok' ? { status: 200, error: null } : { status: 500, error: 'it answered 500' };
        };
      },
      webhookOutcome: (job) => webhookOutcome(job, 'https://tickreel.test'),
      report: async () => {},
      onChange: () => {},
      log: () => {},
    };
    const engine = new JobEngine(context);
    engine.resume(alarm);
    return Object.assign(life, { engine });
  };

  /** Runs a function on the object in memory, and waits until all work that it causes has ended. */
  const on = async <T>(work: (engine: JobEngine) => T | Promise<T>): Promise<T> => {
    incarnation ??= incarnate();
    const life = incarnation;
    try {
      const result = await work(life.engine);
      while (life.pending.size > 0) await Promise.all(life.pending);
      if (life.dead) throw new Crash();
      return result;
    } finally {
      if (life.dead) incarnation = null;
    }
  };

  const event = (next: JobEvent) => on((engine) => engine.apply(next).ok);

  /** Returns the answer of a call, or its refusal; null if there is no job. */
  const answered = (result: Transition | Result<unknown, RefusalReason>, done: string): Answer =>
    result.ok ? done : result.refusal === 'not_found' ? null : result.refusal;

  async function submit({
    acceptable,
    webhook,
    priority,
    fallback,
    do: kind,
  }: Extract<Happening, { acceptable: boolean }>) {
    const target = webhook ? { url: 'https://example.com/hook', authHeader: null } : null;
    const asked = { work: clipWork(), ...withFallback('cs2', fallback ? 600_000 : null), labels: [] };
    const admission = { priority, webhook: target, ...asked, acceptable };
    const request = acceptable ? REQUEST : { ...REQUEST, demo_url: 'https://elsewhere.example.net/a.dem' };
    return on((engine) => {
      if (!engine.stored) {
        const identity = { id: JOB_ID, accountId: 'account', clipId: CLIP_ID };
        engine.apply({ type: 'submit', identity, admission }, { request });
        return 'created';
      }
      return kind === 'force' && engine.apply({ type: 'redo', admission }, { request }).ok ? 'redone' : 'replayed';
    });
  }

  function stored() {
    const exists = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'job'").get();
    if (!exists) return null;
    return readStoredJob(db.prepare('SELECT state, outbox, request FROM job').get() as never);
  }

  function lease(): Lease | null {
    const found = stored();
    return found && leaseOf(found.job);
  }

  function deliveries<T>(query: string): T[] {
    const exists = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'deliveries'").get();
    return exists ? (db.prepare(query).all() as T[]) : [];
  }

  /** Uploads a file in one part. The host removes its own leftovers, as the gateway does. */
  async function upload(fence: number, file: 'video' | 'thumbnail'): Promise<boolean> {
    const key = clipFileKey(CLIP_ID, fence, file);
    const upload: MultipartUpload = { key, uploadId: `upload-${ids++}` };
    around.uploads.add(upload.uploadId);
    let noted = false;
    try {
      noted = await event({ type: 'upload-begun', fence, upload });
    } finally {
      // After an interrupted call it is unknown whether the upload was stored. Storage ends such uploads after a week.
      if (!noted && !lease()?.uploads.some(({ uploadId }) => uploadId === upload.uploadId)) {
        around.uploads.delete(upload.uploadId);
      }
    }
    return noted;
  }

  return {
    now: () => now,
    setNow: (at) => {
      now = at;
    },
    async call(happening, fence): Promise<Answer> {
      switch (happening.do) {
        case 'submit':
        case 'force':
          return submit(happening);
        case 'resubmit': {
          const result = await on((engine) => {
            const acceptable = engine.stored?.request.demo_url === REQUEST.demo_url;
            return engine.apply({ type: 'resubmit', acceptable });
          });
          return answered(result, 'queued');
        }
        case 'cancel': {
          const result = await on((engine) => engine.apply({ type: 'cancel', by: 'account' }));
          return answered(result, 'canceled');
        }
        case 'heartbeat':
          return event({ type: 'heartbeat', fence, phase: happening.phase });
        case 'upload':
          return upload(fence, 'video');
        case 'complete': {
          const keys = {
            video: clipFileKey(CLIP_ID, fence, 'video'),
            thumbnail: clipFileKey(CLIP_ID, fence, 'thumbnail'),
          };
          const holds = lease()?.fence === fence;
          if (holds) for (const key of Object.values(keys)) around.files.add(key);
          const file = (key: string) => ({ key, bytes: 1, sha256: 'a'.repeat(64) });
          const result = {
            title: 'A clip',
            durationSeconds: 2,
            video: file(keys.video),
            thumbnail: file(keys.thumbnail),
          };
          return event({ type: 'complete', fence, result });
        }
        case 'fail':
          return event({ type: 'fail', fence, code: happening.code, detail: '' });
        case 'refuse': {
          const refusedBuild = happening.build;
          return event({ type: 'fail', fence, code: 'demo_incompatible', detail: '', refusedBuild });
        }
        case 'release':
          return event({ type: 'release', fence });
        case 'save':
        case 'unsave':
        case 'delete-clip':
          return event({ type: happening.do });
        case 'take-down':
          return event({ type: 'take-down', reason: 'why' });
        case 'expire-clip':
          return event({ type: 'expire-clip', renderedBefore: now + 1 });
        case 'resend':
          return on((engine) => {
            const resent = engine.resend();
            return !resent.ok && resent.refusal.startsWith('too_many') ? 'too_many' : answered(resent, 'sent');
          });
        default:
          throw new Error(`not a call: ${happening.do}`);
      }
    },
    async claim() {
      if (!around.isQueued) return null;
      return on((engine) => {
        const renderer = engine.stored ? (engine.stored.job.renderer ?? undefined) : undefined;
        const result = engine.apply({ type: 'claim', hostId: 'host', renderer });
        return result.ok ? result.job.fence : null;
      });
    },
    async view() {
      const found = stored();
      if (!found) return null;
      const { status, error_code, clip_id, finished_at } = jobView(found.job, byKind(found.request).shown);
      const ofRun = deliveries<{ run: number }>(STORED.deliveries).filter(({ run }) => run === found.job.run);
      return { status, error_code, clip_id, finished_at, deliveries: ofRun.length };
    },
    async snapshot(): Promise<Snapshot | null> {
      const found = stored();
      return (
        found && {
          ...found,
          deliveries: deliveries(STORED.deliveries),
          attempts: deliveries(STORED.attempts),
          bodies: deliveries<{ run: number }>(STORED.bodies).map(({ run }) => run),
          alarmAt: alarm,
        }
      );
    },
    alarmAt: async () => alarm,
    async ring() {
      alarm = null;
      await on((engine) => engine.wake()).catch((error: unknown) => {
        // The platform fires the alarm again if its handler died.
        alarm ??= now + 2000;
        throw error;
      });
    },
    loseAlarm: async () => {
      alarm = null;
    },
    runCron: () =>
      on(async (engine) => {
        const seen = around.indexed?.upkeepAt;
        await engine.wake();
        const { indexed } = around;
        if (indexed && indexed.upkeepAt === seen) around.indexed = { ...indexed, upkeepAt: engine.upkeepAt() };
      }),
    upkeepAt: async () => around.indexed?.upkeepAt ?? null,
    evict: async () => {
      incarnation = null;
    },
    crashAt: async (point) => {
      dieAt = point;
    },
    diedAt: () => diedAt,
    loseQueue: async () => {
      around.isQueued = false;
    },
    outage: async (of) => {
      away = of;
    },
    receiver: async (next) => {
      answers = next;
    },
    sent: async () => sent,
    files: async () => [...around.files],
    aftermath: async () => around.aftermath(),
    close: async () => db.close(),
  };
}
