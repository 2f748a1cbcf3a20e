import { reasonOf } from '#domain/reason.ts';
import type { Context } from '#http/router.ts';
import type { HostCapabilities } from '#protocol/host-capabilities.ts';
import type { Service } from '#service/service.ts';
import { type HostCaller, noteHostSeen } from '#storage/hosts.ts';

/** How late the index may be with a host that stays as it is. The dispatcher knows it fresher. */
const UNCHANGED_MS = 60 * 60_000;
/** And with one that changes: several machines may share a token, and take turns. */
const CHANGED_MS = 60_000;

/**
 * Writes what a host says of itself into the index, when it has changed or was written an hour ago. Nobody waits for
 * it, and one that fails comes again with a later claim.
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
  waitUntil(written.catch((error) => log('a host could not be noted', { host: host.id, error: reasonOf(error) })));
}
