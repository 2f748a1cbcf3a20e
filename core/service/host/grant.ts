import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import type { Settings } from '#platform/settings.ts';
import { renderOrderView } from '#protocol/clip/render-order-view.ts';
import { FACEIT_DOMAINS, isAtGateway } from '#protocol/demo/faceit.ts';
import { type Grant, OPTIONAL_FILES, PART_BYTES, TRACKS_FILE } from '#protocol/host/gateway.ts';
import type { GrantedLease } from '#rpc/render-job.ts';

/**
 * Heartbeats in a lease term: some may be lost before the lease ends. They also carry the progress. The object may be
 * evicted between two; closer ones would keep it in memory and double the requests.
 */
const HEARTBEATS_PER_TERM = 6;
/** The interval of heartbeats on one machine, where they cost nothing and progress is shown at once. */
const LOCAL_HEARTBEAT_S = 0.5;

/** Returns the grant of a lease as hosts get it, whether they polled for it or are sent it. */
export function grantOf(
  jobId: string,
  lease: GrantedLease,
  settings: Settings & Pick<AddressPolicy, 'blocked'>,
  requestId: string,
): Grant {
  const isHere = isAtGateway(lease.order.demoUrl, settings);
  const ttl = settings.schedule.leaseTtl / 1000;
  return {
    job_id: jobId,
    order: renderOrderView(lease.order),
    accepted_domains:
      isHere && settings.faceit ? [...settings.acceptedDomains, ...FACEIT_DOMAINS] : settings.acceptedDomains,
    ...(settings.blocked?.length ? { blocked: settings.blocked } : {}),
    allow_private_addresses: settings.allowPrivateAddresses,
    own_origins: settings.ownOrigins.map(({ origin }) => origin),
    low_ports: settings.lowPorts,
    lease: {
      fence: lease.fence,
      ttl_s: ttl,
      heartbeat_s: settings.isLocal ? LOCAL_HEARTBEAT_S : ttl / HEARTBEATS_PER_TERM,
    },
    demo_key: lease.demoKey,
    account_key: lease.accountKey,
    ...(lease.mostFrames === undefined ? {} : { most_frames: lease.mostFrames }),
    ...(isHere ? { is_uploaded_demo: true as const } : {}),
    part_bytes: PART_BYTES,
    optional_files: lease.wantsTracks ? [TRACKS_FILE] : OPTIONAL_FILES,
    request_id: requestId,
  };
}
