import { leaseOf } from '#domain/job.ts';
import { createLog } from '#platform/log.ts';
import type { Settings } from '#platform/settings.ts';
import { webhookOutcome } from '#protocol/webhook.ts';
import type { Database } from '#storage/database.ts';
import { type Listeners, tally } from '../isolate-tally.ts';
import type { EngineWorld } from './engine-world.ts';
import { JobEngine } from './job-engine.ts';
import { liveSecrets } from './live-secrets.ts';
import { prepareWebhook } from './send-webhook.ts';
import { NewerStateError } from './stored-job.ts';

/** The engine of a job's object, as its storage has it; an error where a later version of the service wrote that. */
export function openEngine(
  ctx: DurableObjectState,
  settings: Settings,
  world: Pick<EngineWorld, 'runEffect' | 'onChange'> & { accounts(): Database; dispatchers(): Listeners },
): JobEngine | NewerStateError {
  try {
    const engine: JobEngine = new JobEngine({
      ...world,
      storage: ctx.storage,
      schedule: settings.schedule,
      fenceFloor: settings.fenceFloor,
      resendsAnHour: settings.limits.resendsAnHour,
      now: () => Date.now(),
      random: Math.random,
      newId: () => crypto.randomUUID(),
      keepAlive: (work) => ctx.waitUntil(work),
      async prepare(delivery, message) {
        const { accountId = '' } = engine.stored?.job ?? {};
        const secrets = await liveSecrets(world.accounts(), settings.clipIdSecret, accountId, Date.now());
        const send = await prepareWebhook(delivery, message, settings, secrets);
        return async () => {
          const result = await send();
          tally.attempt(result.status === null ? 'unanswered' : result.error === null ? 'delivered' : 'refused');
          ctx.waitUntil(tally.tell(world.dispatchers()));
          return result;
        };
      },
      webhookOutcome: (job) => webhookOutcome(job, settings.baseUrl),
      log: createLog(settings.logLevel),
    });
    if (engine.stored && leaseOf(engine.stored.job))
      void ctx.blockConcurrencyWhile(async () => engine.resume(await ctx.storage.getAlarm()));
    return engine;
  } catch (error) {
    if (error instanceof NewerStateError) return error;
    throw error;
  }
}
