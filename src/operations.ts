// biome-ignore-all assist/source/organizeImports: in the order of the API document
/** All operations by their ids, in the order of the API document: `tools/openapi` reads the lines of this file. */

// Clients, with the key of an account (contract 4).
export { submitClip } from './operations/clips.ts';
export { submitBatch } from './operations/clips-batch.ts';
export { planClip } from './operations/clips-plan.ts';
export { listClips, getClip, saveClip, unsaveClip, deleteClip, getClipViews } from './operations/clips.ts';
export { listJobs, getJob } from './operations/jobs.ts';
export { watchJob } from './operations/events.ts';
export { cancelJob, resubmitJob, resendWebhook, listDeliveries } from './operations/jobs.ts';
export { uploadAsset, listAssets, getAsset, deleteAsset } from './operations/assets.ts';
export { inspectDemo, getDemo, deleteDemo, ingestDemo } from './operations/demos.ts';
export { createUpload, listUploads, getUpload, sendUploadPart, completeUpload } from './operations/uploads.ts';
export { deleteUpload } from './operations/uploads.ts';
export { createRule } from './operations/rules-create.ts';
export { listRules } from './operations/rules-list.ts';
export { getRule } from './operations/rules-get.ts';
export { changeRule } from './operations/rules-change.ts';
export { deleteRule } from './operations/rules-delete.ts';
export { tryRule } from './operations/rules-try.ts';
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
export { beginUpload } from '#render-gateway/uploads-begin.ts';
export { uploadPart } from '#render-gateway/uploads-part.ts';
export { endUpload } from '#render-gateway/uploads-end.ts';
export { completeJob } from '#render-gateway/jobs-complete.ts';
export { jobInspected } from '#render-gateway/jobs-inspected.ts';
export { failJob } from '#render-gateway/jobs-fail.ts';
export { releaseJob } from '#render-gateway/jobs-release.ts';
export { registerHost } from '#render-gateway/hosts-register.ts';

// Operators and monitors.
export { listAccounts } from './admin/accounts-list.ts';
export { createAccount } from './admin/accounts-create.ts';
export { getAccount } from './admin/accounts-get.ts';
export { changeAccount } from './admin/accounts-change.ts';
export { cancelAccount } from './admin/accounts-cancel.ts';
export { eraseAccount } from './admin/accounts-erase.ts';
export { exportAccount } from './admin/accounts-export.ts';
export { getAccountFile } from './admin/account-files-get.ts';
export { cancelAnyJob } from './admin/jobs-cancel.ts';
export { listAccountRules } from './admin/rules-list.ts';
export { listKeys } from './admin/keys-list.ts';
export { createKey } from './admin/keys-create.ts';
export { rotateKey } from './admin/keys-rotate.ts';
export { revokeKey } from './admin/keys-revoke.ts';
export { listHosts } from './admin/hosts-list.ts';
export { getHost } from './admin/hosts-get.ts';
export { createHost } from './admin/hosts-create.ts';
export { changeHost } from './admin/hosts-change.ts';
export { setHostHeaders } from './admin/hosts-headers.ts';
export { rotateHost } from './admin/hosts-rotate.ts';
export { revokeHost } from './admin/hosts-revoke.ts';
export { listRegistrations } from './admin/registrations-list.ts';
export { createRegistration } from './admin/registrations-create.ts';
export { revokeRegistration } from './admin/registrations-revoke.ts';
export { getOverview } from './admin/overview.ts';
export { testAlerts } from './admin/alerts-test.ts';
export { watchOverview } from './admin/events-watch.ts';
export { searchAll } from './admin/search.ts';
export { listAllJobs } from './admin/jobs-list-all.ts';
export { getJobStory } from './admin/jobs-story.ts';
export { recoverJob } from './admin/jobs-recover.ts';
export { reindexJobs } from './admin/jobs-reindex.ts';
export { checkClips } from './admin/clips-check.ts';
export { removeClip } from './admin/clips-remove.ts';
export { listTroubles } from './admin/troubles-list.ts';
export { resendTroubles } from './admin/troubles-resend.ts';
export { resubmitJobs } from './admin/jobs-resubmit-many.ts';
export { getControls } from './admin/controls-get.ts';
export { beginMaintenance } from './admin/maintenance-begin.ts';
export { endMaintenance } from './admin/maintenance-end.ts';
export { addBlock } from './admin/blocks-add.ts';
export { removeBlock } from './admin/blocks-remove.ts';
export { listAudit } from './admin/audit-list.ts';
export { listUsage } from './admin/usage-list.ts';
export { listOperators } from './admin/operators-list.ts';
export { createOperator } from './admin/operators-create.ts';
export { revokeOperator } from './admin/operators-revoke.ts';
export { getSession } from './console/session-get.ts';
export { beginSession } from './console/session-begin.ts';
export { endSession } from './console/session-end.ts';
export { getMetrics } from './admin/metrics-get.ts';
