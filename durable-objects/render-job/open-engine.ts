import type { Job } from '../../domain/job.ts';
import { createLog } from '../../platform/log.ts';
import type { Settings } from '../../platform/settings.ts';
import { webhookOutcome } from '../../protocol/webhook.ts';
import { JobEngine } from './job-engine.ts';
import { liveSecrets } from './live-secrets.ts';
import { type EffectWorld, runEffect } from './run-effect.ts';
import { sendWebhook } from './send-webhook.ts';
import { NewerStateError } from './stored-job.ts';

/** Opens what an object has stored; an error where a later version of the service wrote it. */
export function openEngine(
  ctx: DurableObjectState,
  settings: Settings,
  worldOf: () => EffectWorld,
  followers: { tell(job: Job): void },
): JobEngine | NewerStateError {
  try {
    const engine: JobEngine = new JobEngine({
      storage: ctx.storage,
      schedule: settings.schedule,
      resendsAnHour: settings.limits.resendsAnHour,
      now: () => Date.now(),
      random: Math.random,
      newId: () => crypto.randomUUID(),
      keepAlive: (work) => ctx.waitUntil(work),
      runEffect: (effect, stored, upkeepAt) => runEffect(worldOf(), effect, stored, upkeepAt),
      async send(delivery, message) {
        const { accountId = '' } = engine.stored?.job ?? {};
        const { databases } = worldOf();
        const secrets = await liveSecrets(databases.home, settings.clipIdSecret, accountId, Date.now());
        return sendWebhook(delivery, message, settings, secrets);
      },
      webhookOutcome: (job) => webhookOutcome(job, settings.baseUrl),
      onChange: (job) => followers.tell(job),
      log: createLog(settings.logLevel),
    });
    const isLeased = engine.stored?.job.lease;
    if (isLeased) void ctx.blockConcurrencyWhile(async () => engine.resume(await ctx.storage.getAlarm()));
    return engine;
  } catch (error) {
    if (error instanceof NewerStateError) return error;
    throw error;
  }
}
