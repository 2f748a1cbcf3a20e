import { setTimeout as delay } from 'node:timers/promises';
import type { HostCapabilities } from '#protocol/host/host-capabilities.ts';
import { type ClaimGate, openGate } from './claim-gate.ts';
import { type GatewayClient, leaseRefOf, UnreadableGrant } from './gateway-client.ts';
import { GatewayError, waitMs } from './gateway-error.ts';
import { handBack, type JobDependencies, silentObserver, workOnJob } from './work-on-job.ts';

/**
 * Claims jobs and works on one at a time until `drain` aborts. The job at work is then finished, unless `stop` aborts
 * too. Rejects only when the gateway refuses the host itself (a wrong or revoked token, an old version): a person has
 * to act. `claim` is where work comes from; the default polls the gateway.
 */
export async function runAgent(
  dependencies: JobDependencies & { readonly gate?: ClaimGate; readonly claim?: GatewayClient['claim'] },
  capabilities: HostCapabilities,
  drain: AbortSignal,
  stop: AbortSignal = drain,
): Promise<void> {
  const { gateway, log, gate = openGate, observer = silentObserver, claim = gateway.claim } = dependencies;
  let failures = 0;
  let state: string | null = null;
  const onState = (now: string | null) => {
    if (now !== null && now !== state) log.warn({ state: now }, `the gateway gives this host no work: ${now}`);
    if (now === null && state !== null) log.info({}, 'the gateway gives this host work again');
    state = now;
  };
  while (!drain.aborted) {
    try {
      const able = await gate.open(capabilities);
      if (able === null) {
        await delay(CLOSED_MS, undefined, { signal: drain }).catch(() => {});
        continue;
      }
      log.debug({}, 'asking for work');
      const grant = await claim(able, drain, onState);
      failures = 0;
      observer.claimAnswered();
      if (!grant) continue;
      const job = grant.job_id;
      if (drain.aborted) {
        await handBack(gateway, leaseRefOf(grant));
        return;
      }
      dependencies.logTail?.clear();
      log.info({ job, fence: grant.lease.fence }, 'job claimed');
      const outcome = await workOnJob(dependencies, grant, stop);
      log.info({ job, ...outcome }, `job ${outcome.kind}`);
      observer.jobEnded(outcome);
      gate.note(outcome);
    } catch (error) {
      if (error instanceof UnreadableGrant) {
        log.error({ job: error.lease?.jobId, err: error }, 'a grant cannot be read; its job is handed back');
        if (error.lease !== null) await handBack(gateway, error.lease).catch(() => {});
      }
      if (drain.aborted) return;
      if (error instanceof GatewayError && !error.isTransient) throw error;
      if (!(error instanceof UnreadableGrant)) log.warn({ err: error }, 'no answer from the gateway; trying again');
      await delay(waitMs(error, failures++, Math.random()), undefined, { signal: drain }).catch(() => {});
    }
  }
}

/** How often a host with a closed gate tries the gate again. */
const CLOSED_MS = 60_000;
