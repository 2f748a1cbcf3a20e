import { createAuthenticator } from '../http/credentials.ts';
import { rateLimited } from '../http/rate-limit.ts';
import { bindRoutes, type Route, readId } from '../http/router.ts';
import { GATEWAY_ROUTES } from '../protocol/routes.ts';
import type { Service } from '../service/service.ts';
import { findHostId } from '../storage/hosts.ts';
import { claimJob } from './jobs-claim.ts';
import { completeJob } from './jobs-complete.ts';
import { failJob } from './jobs-fail.ts';
import { heartbeat } from './jobs-heartbeat.ts';
import { releaseJob } from './jobs-release.ts';
import { keyGuesses } from './key-guesses.ts';
import { endPoll } from './polls-end.ts';
import { beginUpload } from './uploads-begin.ts';
import { endUpload } from './uploads-end.ts';
import { uploadPart } from './uploads-part.ts';
import { getWatermark } from './watermarks-get.ts';

/** What render hosts talk to, each with its own token. */
export function gatewayRoutes(service: Service): Route[] {
  const { database, limits, now } = service;
  const identify = createAuthenticator(['host'], (sha256) => findHostId(database, sha256), now, keyGuesses(service));
  const admit = async (request: Request) => {
    const hostId = await identify(request);
    const wait = await limits.hostRequests.take(hostId);
    if (wait > 0) throw rateLimited(limits.hostRequests.policy, wait);
    return hostId;
  };
  return bindRoutes(
    GATEWAY_ROUTES,
    { service, admit, readParam: readId },
    {
      claimJob,
      endPoll,
      heartbeat,
      getWatermark,
      beginUpload,
      uploadPart,
      endUpload,
      completeJob,
      failJob,
      releaseJob,
    },
  );
}
