import { TIERS } from '#domain/clip.ts';
import { createAuthenticator } from '#http/credentials.ts';
import { bindRoutes, type Route, readId } from '#http/router.ts';
import { API_ROUTES } from '#protocol/routes.ts';
import { keyGuesses } from '#render-gateway/key-guesses.ts';
import { requireRoom } from '#render-gateway/require-room.ts';
import type { Service } from '#service/service.ts';
import { findCaller } from '#storage/accounts.ts';
import { noteUse, requireAdmission } from './admit-caller.ts';
import { deleteAsset } from './operations/assets-delete.ts';
import { getAsset } from './operations/assets-get.ts';
import { listAssets } from './operations/assets-list.ts';
import { uploadAsset } from './operations/assets-upload.ts';
import { submitBatch } from './operations/clips-batch.ts';
import { deleteClip } from './operations/clips-delete.ts';
import { getClip } from './operations/clips-get.ts';
import { listClips } from './operations/clips-list.ts';
import { saveClip } from './operations/clips-save.ts';
import { submitClip } from './operations/clips-submit.ts';
import { unsaveClip } from './operations/clips-unsave.ts';
import { getClipViews } from './operations/clips-views.ts';
import { listDeliveries } from './operations/deliveries-list.ts';
import { getDemo } from './operations/demos-get.ts';
import { inspectDemo } from './operations/demos-inspect.ts';
import { watchEvents } from './operations/events-watch.ts';
import { createHoldStream } from './operations/held-stream.ts';
import { cancelJob } from './operations/jobs-cancel.ts';
import { getJob } from './operations/jobs-get.ts';
import { listJobs } from './operations/jobs-list.ts';
import { resendWebhook } from './operations/jobs-resend-webhook.ts';
import { resubmitJob } from './operations/jobs-resubmit.ts';
import { watchJob } from './operations/jobs-watch.ts';
import { completeUpload } from './operations/uploads-complete.ts';
import { createUpload } from './operations/uploads-create.ts';
import { deleteUpload } from './operations/uploads-delete.ts';
import { getUpload } from './operations/uploads-get.ts';
import { listUploads } from './operations/uploads-list.ts';
import { sendUploadPart } from './operations/uploads-part.ts';
import { getUsage } from './operations/usage-get.ts';
import { changeViewing } from './operations/viewing-change.ts';
import { getViewing } from './operations/viewing-get.ts';
import { createWebhookSecret } from './operations/webhook-secrets-create.ts';
import { deleteWebhookSecret } from './operations/webhook-secrets-delete.ts';
import { listWebhookSecrets } from './operations/webhook-secrets-list.ts';
import { testWebhook } from './operations/webhooks-test.ts';

/** The client API (contract 4), each operation for the account behind the key. */
export function apiRoutes(service: Service): Route[] {
  const { databases, now } = service;
  const identify = createAuthenticator(
    TIERS,
    (sha256) => findCaller(databases, sha256, now()),
    now,
    keyGuesses(service),
  );
  const holdStream = createHoldStream(service, identify);
  const admit = async (request: Request, name: string) => {
    const caller = await identify(request);
    await requireAdmission(service, caller, name);
    await requireRoom(service, name);
    return caller;
  };
  return bindRoutes(
    API_ROUTES,
    { service, admit, readParam: readId, around: noteUse(service) },
    {
      submitClip,
      submitBatch,
      listClips,
      getClip,
      saveClip,
      unsaveClip,
      deleteClip,
      getClipViews,
      listJobs,
      getJob,
      watchJob: watchJob(holdStream),
      cancelJob,
      resubmitJob,
      resendWebhook,
      listDeliveries,
      uploadAsset,
      listAssets,
      getAsset,
      deleteAsset,
      inspectDemo,
      getDemo,
      createUpload,
      listUploads,
      getUpload,
      sendUploadPart,
      completeUpload,
      deleteUpload,
      getUsage,
      getViewing,
      changeViewing,
      watchEvents: watchEvents(holdStream),
      listWebhookSecrets,
      createWebhookSecret,
      deleteWebhookSecret,
      testWebhook,
    },
  );
}
