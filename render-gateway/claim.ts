import { isOlder } from '#domain/host/host-state.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { ProblemError } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import type { Context } from '#http/router.ts';
import { GRANT, POLL_ID } from '#protocol/examples/client.ts';
import { ClaimRequest, EndPollRequest, Grant, HOST_STATE_HEADER } from '#protocol/host/gateway.ts';
import { capabilityOf, type HostCapabilities } from '#protocol/host/host-capabilities.ts';
import { CLOCK_TOLERANCE_S } from '#protocol/lib/signed-message.ts';
import type { Held, Suggestion, WorkQuery } from '#rpc/dispatcher.ts';
import type { Claim } from '#rpc/render-job.ts';
import { grantOf } from '#service/host/grant.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { findUnfitBuild, type HostCaller, noteHostSeen } from '#storage/host/hosts.ts';

/** How long an unchanged host is not written to the index. The dispatcher has fresher times. */
const UNCHANGED_MS = 60 * 60_000;
/** The same for a changed host: several machines may share a token and alternate. */
const CHANGED_MS = 60_000;

/**
 * Writes to the index what a host reports about itself, if it changed or was written an hour ago. The claim does not
 * wait for the write. A failed write is repeated by a later claim.
 */
function noteSeen(
  { database, now, log }: Pick<Service, 'database' | 'now' | 'log'>,
  host: HostCaller,
  claimed: HostCapabilities,
  { waitUntil }: Pick<Context, 'waitUntil'>,
): void {
  const capabilities = JSON.stringify(claimed);
  const at = now();
  const keptMs = capabilities === host.capabilities ? UNCHANGED_MS : CHANGED_MS;
  if (host.seenAt !== null && at - host.seenAt < keptMs) return;
  host.capabilities = capabilities;
  host.seenAt = at;
  const written = noteHostSeen(database, host.id, { capabilities, now: at, staleBefore: at - UNCHANGED_MS });
  waitUntil(written.catch((error) => log('failed to index a host', { host: host.id, error: reasonOf(error) })));
}

/** How long a poll is held. The platform documents 30 s, also for requests in flight when the Worker is updated. */
const SHORTEST_HOLD_S = 20;
const LONGEST_HOLD_S = 25;
/** How long a poll may wait before its host's build is checked again. */
const CHECKED_FOR_MS = 1000;

/**
 * Grants a job to a host. The dispatcher only suggests a job; the job itself grants the lease. An outdated suggestion
 * is skipped. Without work, the answer has the reason, and the claim takes as long as any other.
 */
export const claimJob = operation({
  route: 'POST /gateway/v1/claim',
  scope: 'host',
  diskShare: 1,
  body: ClaimRequest,
  answers: { 200: Grant, 204: null },
  // Before the first await: otherwise concurrent polls would all pass the limit.
  handler: (service, context) =>
    service.permits.during({ polls: context.caller.id }, async () => {
      const { caller, request, requestId } = context;
      const { id: hostId, policy } = caller;
      const { capabilities: claimed, wait_s, poll_id, demo_keys } = await context.body();
      // The free space differs with each claim, so it is not written to the index.
      const { free_bytes: freeBytes, ...capabilities } = claimed;
      noteSeen(service, caller, capabilities, context);
      const { minAgentVersion: least } = service.settings;
      const { agent_version: version } = capabilities;
      if (least !== null && isOlder(version, least)) {
        throw new ProblemError('agent_outdated', `This host is of version ${version}; ${least} or newer gets work.`);
      }
      const pollId = `${hostId}:${poll_id ?? crypto.randomUUID()}`;
      const query = {
        pollId,
        hostId,
        slots: service.settings.hostSlots,
        policy,
        demoKeys: demo_keys,
        freeBytes,
        capability: capabilityOf(capabilities),
        isClockOff: Math.abs(capabilities.clock_off_s ?? 0) > CLOCK_TOLERANCE_S,
      };
      let isBarred = await isBuildBarred(service, hostId, capabilities);
      // The time is random, so that hosts do not poll in step.
      const holdS = SHORTEST_HOLD_S + service.random() * (LONGEST_HOLD_S - SHORTEST_HOLD_S);
      const deadline = service.now() + Math.min(wait_s, holdS) * 1000;
      while (!request.signal.aborted) {
        const askedAt = service.now();
        const waitMs = Math.max(0, deadline - askedAt);
        const suggested = await suggestion(service, context, { ...query, isBarred, waitMs });
        if (suggested === null) break;
        if (suggested === 'no_slot') {
          const most = service.settings.hostSlots;
          throw limitReached(`This host has as many jobs, or asks for as many, as one may at a time: ${most}.`);
        }
        if ('held' in suggested) {
          const end = suggested.until === null ? '' : ` until ${new Date(suggested.until).toISOString()}`;
          return context.reply(204, null, { [HOST_STATE_HEADER]: suggested.held + end });
        }
        // Another job of the host may have found its build unfit while the poll waited.
        if (service.now() - askedAt > CHECKED_FOR_MS) isBarred = await isBuildBarred(service, hostId, capabilities);
        if (isBarred) {
          await service.dispatcher().takeBack(suggested);
          continue;
        }
        const { renderer, skills } = query.capability;
        const { blocked } = await service.controls.read();
        const gameBuild = capabilities.game_build ?? undefined;
        const claimant = { hostId, hostName: caller.name, renderer, gameBuild, skills, requestId, blocked };
        const claimed = await claimOf(service, suggested, claimant);
        if (claimed?.ok) {
          const { fence } = claimed.value;
          service.log('job granted', { requestId, job: suggested.jobId, fence, host: hostId, ...capabilities }, 'info');
          return context.reply(
            200,
            grantOf(suggested.jobId, claimed.value, { ...service.settings, blocked }, requestId),
          );
        }
        // A job that another host was granted stays queued until that host confirms it.
        if (claimed?.refusal === 'not_queued') await service.dispatcher().drop(suggested);
      }
      return context.reply(204, null);
    }),
});

/**
 * Returns whether the host gets no jobs because its recorder does not fit its build of the game. While the index does
 * not answer, it gets jobs: takes are checked as always.
 */
async function isBuildBarred(
  { database, log }: Pick<Service, 'database' | 'log'>,
  hostId: string,
  { game_build: gameBuild }: HostCapabilities,
): Promise<boolean> {
  if (gameBuild === null) return false;
  try {
    return (await findUnfitBuild(database, hostId)) === gameBuild;
  } catch (error) {
    log('failed to look up a build', { host: hostId, gameBuild, error: reasonOf(error) });
    return false;
  }
}

/**
 * Asks a job for its lease. Returns null if the job does not answer: it is suggested again later, and this host tries
 * another.
 */
async function claimOf({ job, log }: Pick<Service, 'job' | 'log'>, { jobId }: Suggestion, claimant: Claim) {
  const { hostId, requestId } = claimant;
  for (let tries = 1; ; tries++) {
    try {
      // A stub whose object was reset is broken for good, so each try takes a fresh one.
      return await job(jobId).claim(claimant);
    } catch (error) {
      if (tries < 2) continue;
      log('failed to claim a job', { requestId, job: jobId, host: hostId, error: reasonOf(error) });
      return null;
    }
  }
}

async function suggestion(
  { dispatcher }: Pick<Service, 'dispatcher'>,
  context: Pick<Context, 'request' | 'waitUntil'>,
  query: WorkQuery,
): Promise<Suggestion | Held | 'no_slot' | null> {
  const { signal } = context.request;
  // Work that begins after the client disconnects ends with the request, unless `waitUntil` holds it.
  const endPoll = () => context.waitUntil(dispatcher().endPoll(query.pollId));
  signal.addEventListener('abort', endPoll, { once: true });
  try {
    return await dispatcher().next(query);
  } finally {
    signal.removeEventListener('abort', endPoll);
  }
}

/** A host cannot end the poll of another. */
export const endPoll = operation({
  route: 'POST /gateway/v1/claim/end',
  scope: 'host',
  body: EndPollRequest,
  answers: { 204: null },
  handler: async ({ dispatcher }, { caller: { id: hostId }, body, reply }) => {
    const { poll_id } = await body();
    await dispatcher().endPoll(`${hostId}:${poll_id}`);
    return reply(204, null);
  },
});

export const words = (): Words => ({
  claimJob: {
    summary: 'Ask for a job',
    description:
      'Waits until there is work for the host, or until `wait_s` is over. Then the host asks again. A job is granted under a lease. Every report of the host carries the fence of that lease.',
    body: {
      examples: only({
        capabilities: {
          renderer: 'radar',
          max_resolution: 1440,
          max_fps: 120,
          game_build: null,
          agent_version: '1.0.0',
        },
        wait_s: 30,
        poll_id: POLL_ID,
        demo_keys: ['8f14e45fceea167a5a36dedd4bea2543'],
      }),
    },
    answers: {
      200: answer('A job under a fresh lease.', GRANT),
      204: {
        description:
          'No work came in time. If the host gets none for now, `X-Host-State` names the reason: `draining`, or `paused until 2026-05-04T18:30:00.000Z`.',
      },
    },
    problems: ['agent_outdated', 'limit_reached'],
  },
  endPoll: {
    summary: 'Stop waiting for a job',
    description:
      'Ends the held claim of a host that stops. The claim is answered at once, with 204, or with a job that was granted just before, which the host releases. Repeatable; an unknown `poll_id` is accepted.',
    body: { examples: only({ poll_id: POLL_ID }) },
    answers: { 204: { description: 'The claim has ended.' } },
  },
});
