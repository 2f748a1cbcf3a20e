// biome-ignore-all assist/source/organizeImports: in the order of the API document
/** All operations by their ids, in the order of the API document: `tools/openapi` reads the lines of this file. */

// Clients, with the key of an account (contract 4).
export { submitClip, submitBatch } from './operations/clips.ts';
export { planClip } from './operations/clips-plan.ts';
export { listClips, getClip, saveClip, unsaveClip, deleteClip, getClipViews } from './operations/clips.ts';
export { listJobs, getJob } from './operations/jobs.ts';
export { watchJob } from './operations/events.ts';
export { cancelJob, resubmitJob, resendWebhook, listDeliveries } from './operations/jobs.ts';
export { uploadAsset, listAssets, getAsset, deleteAsset } from './operations/assets.ts';
export { inspectDemo, getDemo, deleteDemo, ingestDemo } from './operations/demos.ts';
export { createUpload, listUploads, getUpload, sendUploadPart, completeUpload } from './operations/uploads.ts';
export { deleteUpload } from './operations/uploads.ts';
export { createRule, listRules, getRule, changeRule, deleteRule, tryRule } from './operations/rules.ts';
export { getUsage, getViewing, changeViewing } from './operations/account.ts';
export { watchEvents } from './operations/events.ts';
export { listWebhookSecrets, createWebhookSecret, deleteWebhookSecret, testWebhook } from './operations/webhooks.ts';
export { listOwnKeys, createOwnKey, revokeOwnKey } from './operations/keys.ts';

// Agents of clients, with the same key.
export { mcp } from './mcp/mcp.ts';

// Viewers and readers, without a key.
export { landing } from './pages/landing-page.ts';
export { sampleStill } from './pages/sample-still.ts';
export { clipPage } from './pages/clip-page.ts';
export { clipEmbed } from './pages/embed-page.ts';
export { clipVideo } from './media/clip-video.ts';
export { clipThumbnail } from './media/clip-thumbnail.ts';
export { replayPage } from './pages/replay-page.ts';
export { replayEmbed } from './pages/replay-embed.ts';
export { replayTracks } from './media/replay-tracks.ts';
export { playerFile } from './pages/player-file.ts';
export { clipStoryboard } from './media/clip-storyboard.ts';
export { countView } from './media/count-view.ts';
export { shownViews } from './media/shown-views.ts';
export { moreClips } from './media/more-clips.ts';
export { oembed } from './pages/oembed.ts';
export { studio } from './pages/studio-page.ts';
export { robots } from './pages/robots.ts';
export { health } from './health.ts';
export { openApi } from './docs/openapi-file.ts';
export { gatewayOpenApi } from './docs/gateway-openapi.ts';
export { operatorOpenApi } from './docs/operator-openapi.ts';
export { docs } from './docs/guide.ts';
export { reference } from './docs/reference-page.ts';
export { referenceScript } from './docs/reference-script.ts';
export { llms } from './docs/llms-text.ts';
export { problemDocs } from './docs/problems-page.ts';
export { errorDocs } from './docs/error-page.ts';
export { consolePage } from './console/console-page.ts';

// Render hosts, with a token of their own or of a registration.
export { claimJob } from '#render-gateway/jobs-claim.ts';
export { endPoll } from '#render-gateway/polls-end.ts';
export { heartbeat } from '#render-gateway/jobs-heartbeat.ts';
export { fetchDemo } from '#render-gateway/demos-fetch.ts';
export { fetchAsset } from '#render-gateway/assets-fetch.ts';
export { beginUpload, uploadPart, endUpload } from '#render-gateway/uploads.ts';
export { completeJob } from '#render-gateway/jobs-complete.ts';
export { jobInspected } from '#render-gateway/jobs-inspected.ts';
export { failJob } from '#render-gateway/jobs-fail.ts';
export { releaseJob } from '#render-gateway/jobs-release.ts';
export { registerHost } from '#render-gateway/hosts-register.ts';

// Operators and monitors.
export { listAccounts, createAccount, getAccount, changeAccount, cancelAccount } from './admin/accounts.ts';
export { eraseAccount } from './admin/accounts.ts';
export { exportAccount } from './admin/accounts-export.ts';
export { getAccountFile } from './admin/accounts.ts';
export { cancelAnyJob } from './admin/jobs.ts';
export { listAccountRules } from './admin/accounts.ts';
export { listKeys, createKey, rotateKey, revokeKey } from './admin/keys.ts';
export { listHosts, getHost, createHost, changeHost, setHostHeaders, rotateHost, revokeHost } from './admin/hosts.ts';
export { listRegistrations, createRegistration, revokeRegistration } from './admin/registrations.ts';
export { getOverview } from './admin/overview.ts';
export { testAlerts } from './admin/alerts-test.ts';
export { watchOverview, searchAll } from './admin/overview.ts';
export { listAllJobs } from './admin/jobs.ts';
export { getJobStory } from './admin/jobs-story.ts';
export { recoverJob, reindexJobs, checkClips, removeClip } from './admin/repair.ts';
export { listTroubles, resendTroubles } from './admin/troubles.ts';
export { resubmitJobs } from './admin/jobs.ts';
export { getControls, beginMaintenance, endMaintenance, addBlock, removeBlock } from './admin/controls.ts';
export { listAudit } from './admin/operators.ts';
export { listUsage } from './admin/usage-list.ts';
export { listOperators, createOperator, revokeOperator } from './admin/operators.ts';
export { getSession, beginSession, endSession } from './admin/session.ts';
export { getMetrics } from './admin/metrics.ts';
