// biome-ignore-all assist/source/organizeImports: in the order of the API document
/** All operations by their ids, in the order of the API document: `tools/openapi` reads the lines of this file. */

// Clients, with the key of an account (contract 4).
export { submitClip, submitBatch } from './api/clips.ts';
export { planClip } from './api/clips-plan.ts';
export { listClips, getClip, saveClip, unsaveClip, deleteClip, getClipViews } from './api/clips.ts';
export { listJobs, getJob } from './api/jobs.ts';
export { watchJob } from './api/events.ts';
export { publishReplay, cancelJob, resubmitJob, resendWebhook, listDeliveries } from './api/jobs.ts';
export { uploadAsset, listAssets, getAsset, deleteAsset } from './api/assets.ts';
export { inspectDemo, getDemo, deleteDemo, ingestDemo, ingestFaceit } from './api/demos.ts';
export { createUpload, listUploads, getUpload, sendUploadPart, completeUpload } from './api/uploads.ts';
export { deleteUpload } from './api/uploads.ts';
export { createRule, listRules, getRule, changeRule, deleteRule, tryRule } from './api/rules.ts';
export { getUsage, getViewing, changeViewing } from './api/account.ts';
export { watchEvents } from './api/events.ts';
export { listWebhookSecrets, createWebhookSecret, deleteWebhookSecret, testWebhook } from './api/webhooks.ts';
export { listOwnKeys, createOwnKey, revokeOwnKey } from './api/keys.ts';

// Agents of clients, with the same key.
export { mcp } from './agents/mcp.ts';

// Viewers and readers, without a key.
export { landing } from './viewing/landing-page.ts';
export { sampleStill } from '#src/viewing/site-files.ts';
export { clipPage } from './viewing/clip-page.ts';
export { clipEmbed } from './viewing/embed-page.ts';
export { clipVideo } from './viewing/clip-files.ts';
export { clipThumbnail } from '#src/viewing/clip-files.ts';
export { replayPage } from '#src/viewing/replay-page.ts';
export { replayEmbed } from './viewing/replay-page.ts';
export { replayTracks } from '#src/viewing/clip-files.ts';
export { playerFile } from './viewing/site-files.ts';
export { clipStoryboard } from '#src/viewing/clip-files.ts';
export { countView } from '#src/viewing/views.ts';
export { shownViews } from './viewing/views.ts';
export { moreClips } from './viewing/more-clips.ts';
export { oembed } from './viewing/oembed.ts';
export { studio } from './viewing/studio-page.ts';
export { robots } from '#src/viewing/site-files.ts';
export { health } from '#src/operate/metrics.ts';
export { openApi } from './docs/openapi.ts';
export { gatewayOpenApi } from '#src/docs/openapi.ts';
export { operatorOpenApi } from '#src/docs/openapi.ts';
export { docs } from './docs/guide.ts';
export { reference } from '#src/docs/pages.ts';
export { referenceScript } from '#src/docs/pages.ts';
export { llms } from '#src/docs/guide.ts';
export { problemDocs } from '#src/docs/pages.ts';
export { errorDocs } from '#src/docs/pages.ts';
export { consolePage } from './operate/console-page.ts';

// Render hosts, with a token of their own or of a registration.
export { claimJob } from '#render-gateway/claim.ts';
export { endPoll } from '#render-gateway/claim.ts';
export { heartbeat } from '#render-gateway/report.ts';
export { fetchDemo } from '#render-gateway/files.ts';
export { fetchAsset } from '#render-gateway/files.ts';
export { beginUpload, uploadPart, endUpload } from '#render-gateway/uploads.ts';
export { completeJob } from '#render-gateway/report.ts';
export { jobInspected } from '#render-gateway/report.ts';
export { failJob } from '#render-gateway/report.ts';
export { releaseJob } from '#render-gateway/report.ts';
export { registerHost } from '#render-gateway/register.ts';

// Operators and monitors.
export { listAccounts, createAccount, getAccount, changeAccount, cancelAccount } from './operate/accounts.ts';
export { eraseAccount } from './operate/accounts.ts';
export { exportAccount } from './operate/accounts-export.ts';
export { getAccountFile } from './operate/accounts.ts';
export { cancelAnyJob } from './operate/jobs.ts';
export { listAccountRules } from './operate/accounts.ts';
export { listKeys, createKey, rotateKey, revokeKey } from './operate/keys.ts';
export { listHosts, getHost, createHost, changeHost, setHostHeaders, rotateHost, revokeHost } from './operate/hosts.ts';
export { listRegistrations, createRegistration, revokeRegistration } from './operate/registrations.ts';
export { getOverview } from './operate/overview.ts';
export { checkFaceit } from '#src/operate/overview.ts';
export { testAlerts } from '#src/operate/overview.ts';
export { watchOverview, searchAll } from './operate/overview.ts';
export { listAllJobs } from './operate/jobs.ts';
export { getJobStory } from './operate/job-story.ts';
export { recoverJob, reindexJobs, checkClips, removeClip } from './operate/repair.ts';
export { listTroubles, resendTroubles } from './operate/troubles.ts';
export { listArrivals } from './operate/arrivals.ts';
export { resubmitJobs } from './operate/jobs.ts';
export { getControls, beginMaintenance, endMaintenance, addBlock, removeBlock } from './operate/controls.ts';
export { listAudit } from './operate/operators.ts';
export { listUsage } from './operate/usage.ts';
export { listOperators, createOperator, revokeOperator } from './operate/operators.ts';
export { getSession, beginSession, endSession } from './operate/session.ts';
export { getMetrics } from './operate/metrics.ts';
