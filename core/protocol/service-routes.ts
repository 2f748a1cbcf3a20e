import type { RouteTable } from './routes.ts';

/** The addresses that clients do not need: of hosts, of operators and of what watches the service. */

/** What render hosts talk to, with a host token (core/protocol/gateway.ts). */
export const GATEWAY_ROUTES = {
  claimJob: 'POST /gateway/v1/claim',
  endPoll: 'POST /gateway/v1/claim/end',
  heartbeat: 'POST /gateway/v1/jobs/:id/heartbeat',
  fetchDemo: 'GET /gateway/v1/jobs/:id/demo',
  getWatermark: 'GET /gateway/v1/jobs/:id/watermark',
  beginUpload: 'POST /gateway/v1/jobs/:id/uploads',
  uploadPart: 'PUT /gateway/v1/jobs/:id/uploads/part',
  endUpload: 'POST /gateway/v1/jobs/:id/uploads/complete',
  completeJob: 'POST /gateway/v1/jobs/:id/complete',
  jobInspected: 'POST /gateway/v1/jobs/:id/inspected',
  failJob: 'POST /gateway/v1/jobs/:id/fail',
  releaseJob: 'POST /gateway/v1/jobs/:id/release',
} as const satisfies RouteTable;

/** How a machine becomes a render host, with a registration's token. */
export const REGISTRATION_ROUTES = {
  registerHost: 'POST /gateway/v1/register',
} as const satisfies RouteTable;

/** What the operator of the service does, with the operator's token. */
export const ADMIN_ROUTES = {
  listAccounts: 'GET /admin/accounts',
  createAccount: 'POST /admin/accounts',
  getAccount: 'GET /admin/accounts/:id',
  changeAccount: 'PATCH /admin/accounts/:id',
  cancelAccount: 'POST /admin/accounts/:id/cancel',
  eraseAccount: 'POST /admin/accounts/:id/erase',
  cancelAnyJob: 'POST /admin/jobs/:id/cancel',
  listKeys: 'GET /admin/accounts/:id/keys',
  createKey: 'POST /admin/accounts/:id/keys',
  rotateKey: 'POST /admin/accounts/:id/keys/:key/rotate',
  revokeKey: 'DELETE /admin/accounts/:id/keys/:key',
  listHosts: 'GET /admin/hosts',
  createHost: 'POST /admin/hosts',
  changeHost: 'PATCH /admin/hosts/:id',
  rotateHost: 'POST /admin/hosts/:id/rotate',
  revokeHost: 'DELETE /admin/hosts/:id',
  listRegistrations: 'GET /admin/host-registrations',
  createRegistration: 'POST /admin/host-registrations',
  revokeRegistration: 'DELETE /admin/host-registrations/:id',
} as const satisfies RouteTable;

/** How the operator's console has its session, with the operator's token and then its cookie. */
export const CONSOLE_ROUTES = {
  getSession: 'GET /console/session',
  beginSession: 'POST /console/session',
  endSession: 'DELETE /console/session',
} as const satisfies RouteTable;

/** What a monitor scrapes, with a token of its own. */
export const METRICS_ROUTES = {
  getMetrics: 'GET /metrics',
} as const satisfies RouteTable;

/** How the operator sees what goes on, over all accounts, with the operator's token too. */
export const OPERATE_ROUTES = {
  getOverview: 'GET /admin/overview',
  watchOverview: 'GET /admin/events',
  listAllJobs: 'GET /admin/jobs',
  getJobStory: 'GET /admin/jobs/:id',
  recoverJob: 'POST /admin/jobs/:id/recover',
  reindexJobs: 'POST /admin/reindex',
  checkClips: 'POST /admin/clips/check',
  listTroubles: 'GET /admin/deliveries',
  resendTroubles: 'POST /admin/deliveries/resend',
  listAudit: 'GET /admin/audit',
  listOperators: 'GET /admin/operators',
  createOperator: 'POST /admin/operators',
  revokeOperator: 'DELETE /admin/operators/:id',
} as const satisfies RouteTable;
