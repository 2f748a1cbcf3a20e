import { isUuid } from '../domain/ids.ts';
import type { Bindings } from '../durable-objects/bindings.ts';
import { createAuthenticator } from '../http/credentials.ts';
import { notFound } from '../http/problem.ts';
import type { Handler, Method, Route } from '../http/router.ts';
import { type Caller, findCaller } from '../storage/accounts.ts';
import { createDatabase } from '../storage/database.ts';
import { changeClip } from './operations/clips-change.ts';
import { getClip } from './operations/clips-get.ts';
import { submitClip } from './operations/clips-submit.ts';
import { listDeliveries } from './operations/jobs-deliveries.ts';
import { watchJob } from './operations/jobs-events.ts';
import { getJob } from './operations/jobs-get.ts';
import { resendWebhook } from './operations/jobs-resend-webhook.ts';
import { resubmitJob } from './operations/jobs-resubmit.ts';
import { getUsage, listClips, listJobs } from './operations/lists.ts';

type OnCollection = (env: Bindings, caller: Caller, search: URLSearchParams) => Promise<Response>;
type OnResource = (env: Bindings, caller: Caller, id: string) => Promise<Response>;

/** The client API (spec 4), each operation for the account behind the key. */
export function apiRoutes(env: Bindings): Route[] {
  const database = createDatabase(env.DB);
  const authenticate = createAuthenticator(['metered', 'reserved'], (sha256) => findCaller(database, sha256));
  const on = (method: Method, path: string, operation: OnResource): Route => ({
    method,
    path,
    handler: async (request, { params: { id = '' } }) => {
      const caller = await authenticate(request);
      if (!isUuid(id.toLowerCase())) throw notFound();
      return operation(env, caller, id.toLowerCase());
    },
  });
  const list = (path: string, operation: OnCollection): Route => ({
    method: 'GET',
    path,
    handler: async (request, { url }) => operation(env, await authenticate(request), url.searchParams),
  });
  const submit: Handler = async (request) => submitClip(env, await authenticate(request), request);
  return [
    { method: 'POST', path: '/api/clips', handler: submit },
    list('/api/clips', listClips),
    list('/api/jobs', listJobs),
    list('/api/usage', getUsage),
    on('GET', '/api/jobs/:id', getJob),
    on('GET', '/api/jobs/:id/deliveries', listDeliveries),
    on('GET', '/api/jobs/:id/events', watchJob),
    on('POST', '/api/jobs/:id/resubmit', resubmitJob),
    on('POST', '/api/jobs/:id/resend-webhook', resendWebhook),
    on('GET', '/api/clips/:id', getClip),
    on('POST', '/api/clips/:id/save', changeClip('save')),
    on('POST', '/api/clips/:id/unsave', changeClip('unsave')),
    on('DELETE', '/api/clips/:id', changeClip('delete-clip')),
  ];
}
