// biome-ignore-all assist/source/organizeImports: in the order of the API document
/** All operations by their ids, in the order of the API document: `tools/openapi` reads the lines of this file. */

// Clients, with the key of an account (contract 4).
export { submitClip, submitBatch } from './api/clips.ts';
export { planClip } from './api/clips-plan.ts';
export { listClips, getClip, saveClip, unsaveClip, deleteClip, getClipViews } from './api/clips.ts';
export { listJobs, getJob } from './api/jobs.ts';
export { watchJob } from './api/events.ts';
export { cancelJob, resubmitJob, resendWebhook, listDeliveries } from './api/jobs.ts';
export { uploadAsset, listAssets, getAsset, deleteAsset } from './api/assets.ts';
export { inspectDemo, getDemo, deleteDemo, ingestDemo } from './api/demos.ts';
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
export { sampleStill } from './viewing/sample-still.ts';
export { clipPage } from './viewing/clip-page.ts';
export { clipEmbed } from './viewing/embed-page.ts';
export { clipVideo } from './viewing/clip-files.ts';
export { clipThumbnail } from './viewing/clip-thumbnail.ts';
export { replayPage } from './viewing/replay-page-old.ts';
export { replayEmbed } from './viewing/replay-page.ts';
export { replayTracks } from './viewing/replay-tracks.ts';
export { playerFile } from './viewing/site-files.ts';
export { clipStoryboard } from './viewing/clip-storyboard.ts';
export { countView } from './viewing/count-view.ts';
export { shownViews } from './viewing/views.ts';
export { moreClips } from './viewing/more-clips.ts';
export { oembed } from './viewing/oembed.ts';
export { studio } from './viewing/studio-page.ts';
export { robots } from './viewing/robots.ts';
export { health } from './operate/health.ts';
export { openApi } from './docs/openapi.ts';
export { gatewayOpenApi } from './docs/gateway-openapi.ts';
export { operatorOpenApi } from './docs/operator-openapi.ts';
export { docs } from './docs/guide.ts';
export { reference } from './docs/reference-page.ts';
export { referenceScript } from './docs/reference-script.ts';
export { llms } from './docs/llms-text.ts';
export { problemDocs } from './docs/problems-page.ts';
export { errorDocs } from './docs/error-page.ts';
export { consolePage } from './operate/console-page.ts';

// Render hosts, with a token of their own or of a registration.
export { claimJob } from '#render-gateway/claim.ts';
export { endPoll } from '#render-gateway/polls-end.ts';
export { heartbeat } from '#render-gateway/jobs-heartbeat.ts';
export { fetchDemo } from '#render-gateway/files.ts';
export { fetchAsset } from '#render-gateway/assets-fetch.ts';
export { beginUpload, uploadPart, endUpload } from '#render-gateway/uploads.ts';
export { completeJob } from '#render-gateway/report.ts';
export { jobInspected } from '#render-gateway/jobs-inspected.ts';
export { failJob } from '#render-gateway/jobs-fail.ts';
export { releaseJob } from '#render-gateway/jobs-release.ts';
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
export { testAlerts } from './operate/alerts-test.ts';
export { watchOverview, searchAll } from './operate/overview.ts';
export { listAllJobs } from './operate/jobs.ts';
export { getJobStory } from './operate/job-story.ts';
export { recoverJob, reindexJobs, checkClips, removeClip } from './operate/repair.ts';
export { listTroubles, resendTroubles } from './operate/troubles.ts';
export { resubmitJobs } from './operate/jobs.ts';
export { getControls, beginMaintenance, endMaintenance, addBlock, removeBlock } from './operate/controls.ts';
export { listAudit } from './operate/operators.ts';
export { listUsage } from './operate/usage.ts';
export { listOperators, createOperator, revokeOperator } from './operate/operators.ts';
export { getSession, beginSession, endSession } from './operate/session.ts';
export { getMetrics } from './operate/metrics.ts';
