import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { HostCapabilities } from '../../protocol/gateway.ts';
import { type ClaimGate, openGate } from './claim-gate.ts';
import { GatewayError } from './gateway-client.ts';
import { silentObserver } from './host-observer.ts';
import { backoffMs } from './retry.ts';
import { handBack, type JobDependencies, workOnJob } from './work-on-job.ts';

/**
 * Claims and works on one job after the other until `drain` aborts, as the gate allows. Rejects only when the gateway refuses the host
 * itself (a wrong or revoked token): that needs a person.
 */
export async function runAgent(
  dependencies: JobDependencies & { readonly gate?: ClaimGate },
  capabilities: HostCapabilities,
  drain: AbortSignal,
): Promise<void> {
  const { gateway, log, workDir, gate = openGate, observer = silentObserver } = dependencies;
  await removeLeftovers(workDir);
  let failures = 0;
  while (!drain.aborted) {
    try {
      const able = await gate.open(capabilities);
      if (able === null) {
        await delay(CLOSED_MS, undefined, { signal: drain }).catch(() => {});
        continue;
      }
      log.debug({}, 'asking for work');
      const grant = await gateway.claim(able, drain);
      failures = 0;
      observer.claimAnswered();
      if (!grant) continue;
      const job = grant.job_id;
      if (drain.aborted) {
        await handBack(gateway, { jobId: job, fence: grant.lease.fence });
        return;
      }
      log.info({ job, fence: grant.lease.fence }, 'job claimed');
      const outcome = await workOnJob(dependencies, grant, drain);
      log.info({ job, ...outcome }, `job ${outcome.kind}`);
      observer.jobEnded(outcome);
      gate.note(outcome);
    } catch (error) {
      if (drain.aborted) return;
      if (error instanceof GatewayError && !error.isTransient) throw error;
      log.warn({ err: error }, 'no answer from the gateway; trying again');
      await delay(backoffMs(failures++, Math.random()), undefined, { signal: drain }).catch(() => {});
    }
  }
}

/** How often a host that must not claim looks whether it may again. */
const CLOSED_MS = 60_000;

/** The name of a job's folder: its id and the fence it was claimed under. */
const JOB_DIR = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d+$/;

/** Removes what a crashed run of this host left behind, and nothing else that may lie in the folder. */
async function removeLeftovers(workDir: string): Promise<void> {
  await mkdir(workDir, { recursive: true });
  const leftovers = (await readdir(workDir)).filter((name) => JOB_DIR.test(name));
  await Promise.all(leftovers.map((name) => rm(join(workDir, name), { recursive: true, force: true })));
}
