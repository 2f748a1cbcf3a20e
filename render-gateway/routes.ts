import { isUuid } from '../domain/ids.ts';
import type { Bindings } from '../durable-objects/bindings.ts';
import type { Settings } from '../durable-objects/settings.ts';
import { createAuthenticator } from '../http/credentials.ts';
import { notFound } from '../http/problem.ts';
import type { RequestContext, Route } from '../http/router.ts';
import { GATEWAY_PREFIX } from '../protocol/gateway.ts';
import { createDatabase } from '../storage/database.ts';
import { findHostId } from '../storage/hosts.ts';
import { claim } from './claim.ts';
import { complete, fail, heartbeat, release } from './reports.ts';
import { beginUpload, endUpload, uploadPart } from './uploads.ts';

/** What render hosts talk to, each with its own token. */
export function gatewayRoutes(env: Bindings, settings: Settings): Route[] {
  const database = createDatabase(env.DB);
  const authenticate = createAuthenticator(['host'], (sha256) => findHostId(database, sha256));
  type Report = (env: Bindings, hostId: string, jobId: string, request: Request) => Promise<Response>;
  const report = (operation: Report) => async (request: Request, context: RequestContext) =>
    operation(env, await authenticate(request), jobIdOf(context), request);
  const job = `${GATEWAY_PREFIX}/jobs/:id`;
  return [
    {
      method: 'POST',
      path: `${GATEWAY_PREFIX}/claim`,
      handler: async (request) => claim(env, settings, await authenticate(request), request),
    },
    { method: 'POST', path: `${job}/heartbeat`, handler: report(heartbeat) },
    { method: 'POST', path: `${job}/uploads`, handler: report(beginUpload) },
    { method: 'PUT', path: `${job}/uploads/part`, handler: report(uploadPart) },
    { method: 'POST', path: `${job}/uploads/complete`, handler: report(endUpload) },
    { method: 'POST', path: `${job}/complete`, handler: report(complete) },
    { method: 'POST', path: `${job}/fail`, handler: report(fail) },
    { method: 'POST', path: `${job}/release`, handler: report(release) },
  ];
}

function jobIdOf({ params }: RequestContext): string {
  const { id = '' } = params;
  if (!isUuid(id)) throw notFound();
  return id;
}
