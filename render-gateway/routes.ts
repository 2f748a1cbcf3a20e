import { isUuid } from '../domain/ids.ts';
import type { Bindings } from '../durable-objects/bindings.ts';
import type { Settings } from '../durable-objects/settings.ts';
import { createAuthenticator } from '../http/credentials.ts';
import { notFound } from '../http/problem.ts';
import { bindRoutes, type Handler, type RequestContext, type Route } from '../http/router.ts';
import { GATEWAY_ROUTES } from '../protocol/routes.ts';
import { createDatabase } from '../storage/database.ts';
import { findHostId } from '../storage/hosts.ts';
import { claim, endPoll } from './claim.ts';
import { complete, fail, heartbeat, release } from './reports.ts';
import { beginUpload, endUpload, uploadPart } from './uploads.ts';
import { getWatermark } from './watermark.ts';

type Report = (env: Bindings, hostId: string, jobId: string, request: Request) => Promise<Response>;

/** What render hosts talk to, each with its own token. */
export function gatewayRoutes(env: Bindings, settings: Settings): Route[] {
  const database = createDatabase(env.DB);
  const authenticate = createAuthenticator(['host'], (sha256) => findHostId(database, sha256));
  const report =
    (operation: Report): Handler =>
    async (request, context) =>
      operation(env, await authenticate(request), jobIdOf(context), request);
  return bindRoutes(GATEWAY_ROUTES, {
    claimJob: async (request) => claim(env, settings, await authenticate(request), request),
    endPoll: async (request) => endPoll(env, await authenticate(request), request),
    heartbeat: report(heartbeat),
    getWatermark: report(getWatermark),
    beginUpload: report((bindings, ...rest) => beginUpload(bindings, settings, ...rest)),
    uploadPart: report(uploadPart),
    endUpload: report(endUpload),
    completeJob: report(complete),
    failJob: report(fail),
    releaseJob: report(release),
  });
}

function jobIdOf({ params }: RequestContext): string {
  const { id = '' } = params;
  if (!isUuid(id)) throw notFound();
  return id;
}
