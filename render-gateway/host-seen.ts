import { reasonOf } from '#domain/lib/reason.ts';
import type { Context } from '#http/router.ts';
import type { HostCapabilities } from '#protocol/host/host-capabilities.ts';
import type { Service } from '#service/lib/service.ts';
import { type HostCaller, noteHostSeen } from '#storage/host/hosts.ts';

/** How long an unchanged host is not written to the index. The dispatcher has fresher times. */
const UNCHANGED_MS = 60 * 60_000;
/** The same for a changed host: several machines may share a token and alternate. */
const CHANGED_MS = 60_000;

/**
 * Writes to the index what a host reports about itself, if it changed or was written an hour ago. The claim does not
 * wait for the write. A failed write is repeated by a later claim.
 */
export function noteSeen(
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
