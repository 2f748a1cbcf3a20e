import { isUuid } from '../domain/ids.ts';
import type { Bindings } from '../durable-objects/bindings.ts';
import { createAuthenticator } from '../http/credentials.ts';
import { notFound } from '../http/problem.ts';
import { bindRoutes, type Handler, type Route } from '../http/router.ts';
import { API_ROUTES } from '../protocol/routes.ts';
import { type Caller, findCaller } from '../storage/accounts.ts';
import { createDatabase } from '../storage/database.ts';
import { deleteAsset } from './operations/assets-delete.ts';
import { getAsset } from './operations/assets-get.ts';
import { uploadAsset } from './operations/assets-upload.ts';
import { changeClip } from './operations/clips-change.ts';
import { getClip } from './operations/clips-get.ts';
import { submitClip } from './operations/clips-submit.ts';
import { listDeliveries } from './operations/jobs-deliveries.ts';
import { watchJob } from './operations/jobs-events.ts';
import { getJob } from './operations/jobs-get.ts';
import { resendWebhook } from './operations/jobs-resend-webhook.ts';
import { resubmitJob } from './operations/jobs-resubmit.ts';
import { getUsage, listAssets, listClips, listJobs } from './operations/lists.ts';

type OnCollection = (env: Bindings, caller: Caller, search: URLSearchParams) => Promise<Response>;
type OnResource = (env: Bindings, caller: Caller, id: string) => Promise<Response>;

/** The client API (spec 4), each operation for the account behind the key. */
export function apiRoutes(env: Bindings): Route[] {
  const database = createDatabase(env.DB);
  const authenticate = createAuthenticator(['metered', 'reserved'], (sha256) => findCaller(database, sha256));
  const on =
    (operation: OnResource): Handler =>
    async (request, { params: { id = '' } }) => {
      const caller = await authenticate(request);
      if (!isUuid(id.toLowerCase())) throw notFound();
      return operation(env, caller, id.toLowerCase());
    };
  const list =
    (operation: OnCollection): Handler =>
    async (request, { url }) =>
      operation(env, await authenticate(request), url.searchParams);
  return bindRoutes(API_ROUTES, {
    submitClip: async (request) => submitClip(env, await authenticate(request), request),
    listClips: list(listClips),
    getClip: on(getClip),
    saveClip: on(changeClip('save')),
    unsaveClip: on(changeClip('unsave')),
    deleteClip: on(changeClip('delete-clip')),
    listJobs: list(listJobs),
    getJob: on(getJob),
    watchJob: on(watchJob),
    resubmitJob: on(resubmitJob),
    resendWebhook: on(resendWebhook),
    listDeliveries: on(listDeliveries),
    uploadAsset: async (request) => uploadAsset(env, await authenticate(request), request),
    listAssets: list(listAssets),
    getAsset: on(getAsset),
    deleteAsset: on(deleteAsset),
    getUsage: list(getUsage),
  });
}
