import { createAuthenticator } from '../http/credentials.ts';
import { bindRoutes, type Route, readId } from '../http/router.ts';
import { GATEWAY_ROUTES } from '../protocol/routes.ts';
import type { Service } from '../service/service.ts';
import { findHostId } from '../storage/hosts.ts';
import { claimJob } from './jobs-claim.ts';
import { completeJob } from './jobs-complete.ts';
import { failJob } from './jobs-fail.ts';
import { heartbeat } from './jobs-heartbeat.ts';
import { releaseJob } from './jobs-release.ts';
import { endPoll } from './polls-end.ts';
import { beginUpload } from './uploads-begin.ts';
import { endUpload } from './uploads-end.ts';
import { uploadPart } from './uploads-part.ts';
import { getWatermark } from './watermarks-get.ts';

/** What render hosts talk to, each with its own token. */
export function gatewayRoutes(service: Service): Route[] {
  const admit = createAuthenticator(['host'], (sha256) => findHostId(service.database, sha256), service.now);
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
