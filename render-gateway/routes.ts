import { createAuthenticator } from '#http/credentials.ts';
import { rateLimited } from '#http/rate-limit.ts';
import { bindRoutes, type Route, readId } from '#http/router.ts';
import { GATEWAY_ROUTES, REGISTRATION_ROUTES } from '#protocol/service-routes.ts';
import type { Service } from '#service/service.ts';
import { findRegistrationId } from '#storage/host-registrations.ts';
import { findHost } from '#storage/hosts.ts';
import { fetchDemo } from './demos-fetch.ts';
import { registerHost } from './hosts-register.ts';
import { claimJob } from './jobs-claim.ts';
import { completeJob } from './jobs-complete.ts';
import { failJob } from './jobs-fail.ts';
import { heartbeat } from './jobs-heartbeat.ts';
import { jobInspected } from './jobs-inspected.ts';
import { releaseJob } from './jobs-release.ts';
import { keyGuesses } from './key-guesses.ts';
import { endPoll } from './polls-end.ts';
import { requireRoom } from './require-room.ts';
import { beginUpload } from './uploads-begin.ts';
import { endUpload } from './uploads-end.ts';
import { uploadPart } from './uploads-part.ts';
import { getWatermark } from './watermarks-get.ts';

/** What render hosts talk to, each with its own token. */
export function gatewayRoutes(service: Service): Route[] {
  const { database, limits, now } = service;
  const identify = createAuthenticator(['host'], (sha256) => findHost(database, sha256), now, keyGuesses(service));
  const admit = async (request: Request, name: string) => {
    const host = await identify(request);
    const wait = await limits.hostRequests.take(host.id);
    if (wait > 0) throw rateLimited(limits.hostRequests.policy, wait);
    await requireRoom(service, name);
    return host;
  };
  const ofHosts = bindRoutes(
    GATEWAY_ROUTES,
    { service, admit, readParam: readId },
    {
      claimJob,
      endPoll,
      heartbeat,
      fetchDemo,
      getWatermark,
      beginUpload,
      uploadPart,
      endUpload,
      completeJob,
      jobInspected,
      failJob,
      releaseJob,
    },
  );
  return [...ofHosts, ...registrationRoutes(service)];
}

/** What a machine without a token of its own may ask for. */
function registrationRoutes(service: Service): Route[] {
  const { database, now } = service;
  const lookUp = (sha256: string) => findRegistrationId(database, sha256);
  const identify = createAuthenticator(['registration'], lookUp, now, keyGuesses(service));
  const admit = (request: Request) => identify(request);
  return bindRoutes(REGISTRATION_ROUTES, { service, admit, readParam: readId }, { registerHost });
}
