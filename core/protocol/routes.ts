/**
 * The URL contract: every address of the service under the name of what it does. Routing binds a handler to each name,
 * the API description (tools/openapi/) says of each name what it takes and answers; the compiler asks for a missing
 * one. What answers GET answers HEAD.
 */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type RouteLine = `${Method} /${string}`;
export type RouteTable = Readonly<Record<string, RouteLine>>;

/** The names of a line's parameters: `'id' | 'key'` for `DELETE /admin/accounts/:id/keys/:key`. */
export type ParamName<Line> = Line extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<`/${Rest}`>
  : Line extends `${string}:${infer Name}`
    ? Name
    : never;

/** The values of a line's parameters by their names. */
export type Params<Line extends RouteLine> = { readonly [Name in ParamName<Line>]: string };

/** A line without parameters is asked for none. */
export type ParamsIfAny<Line extends RouteLine> = [ParamName<Line>] extends [never] ? [] : [params: Params<Line>];

/**
 * The address of a line, from its slash on: `href(API_ROUTES.getJob, { id })`. A parameter cannot leave its segment.
 */
export function href<Line extends RouteLine>(line: Line, ...[params]: ParamsIfAny<Line>): string {
  const values: Readonly<Record<string, string>> = params ?? {};
  return pathOf(line).replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

export function methodOf(line: RouteLine): Method {
  return line.slice(0, line.indexOf(' ')) as Method;
}

/** In the router's pattern language: `/api/jobs/:id`. */
export function pathOf(line: RouteLine): string {
  return line.slice(line.indexOf(' ') + 1);
}

/** The client API (contract 4), with an account's key. */
export const API_ROUTES = {
  submitClip: 'POST /api/clips',
  submitBatch: 'POST /api/clips/batch',
  listClips: 'GET /api/clips',
  getClip: 'GET /api/clips/:id',
  saveClip: 'POST /api/clips/:id/save',
  unsaveClip: 'POST /api/clips/:id/unsave',
  deleteClip: 'DELETE /api/clips/:id',
  getClipViews: 'GET /api/clips/:id/views',
  listJobs: 'GET /api/jobs',
  getJob: 'GET /api/jobs/:id',
  watchJob: 'GET /api/jobs/:id/events',
  cancelJob: 'POST /api/jobs/:id/cancel',
  resubmitJob: 'POST /api/jobs/:id/resubmit',
  resendWebhook: 'POST /api/jobs/:id/resend-webhook',
  listDeliveries: 'GET /api/jobs/:id/deliveries',
  uploadAsset: 'POST /api/assets',
  listAssets: 'GET /api/assets',
  getAsset: 'GET /api/assets/:id',
  deleteAsset: 'DELETE /api/assets/:id',
  inspectDemo: 'POST /api/demos',
  getDemo: 'GET /api/demos/:id',
  createUpload: 'POST /api/uploads',
  listUploads: 'GET /api/uploads',
  getUpload: 'GET /api/uploads/:id',
  sendUploadPart: 'PUT /api/uploads/:id/part',
  completeUpload: 'POST /api/uploads/:id/complete',
  deleteUpload: 'DELETE /api/uploads/:id',
  getUsage: 'GET /api/usage',
  getViewing: 'GET /api/viewing',
  changeViewing: 'PATCH /api/viewing',
  watchEvents: 'GET /api/events',
  listWebhookSecrets: 'GET /api/webhook-secrets',
  createWebhookSecret: 'POST /api/webhook-secrets',
  deleteWebhookSecret: 'DELETE /api/webhook-secrets/:id',
  testWebhook: 'POST /api/webhooks/test',
} as const satisfies RouteTable;

/** What viewers and readers load, without any key. */
export const PUBLIC_ROUTES = {
  landing: 'GET /',
  clipPage: 'GET /clips/:id',
  clipEmbed: 'GET /clips/:id/embed',
  clipVideo: 'GET /clips/:id/video.mp4',
  clipThumbnail: 'GET /clips/:id/thumbnail.jpg',
  clipStoryboard: 'GET /clips/:id/storyboard.jpg',
  countView: 'POST /clips/:id/views',
  shownViews: 'GET /clips/:id/views',
  moreClips: 'GET /clips/:id/more',
  oembed: 'GET /oembed',
  studio: 'GET /studio',
  robots: 'GET /robots.txt',
  health: 'GET /healthz',
  openApi: 'GET /openapi.json',
  docs: 'GET /docs',
  gatewayDocs: 'GET /docs/gateway',
  operatorDocs: 'GET /docs/operator',
  searchDocs: 'GET /docs/search',
  changesDocs: 'GET /docs/changes',
  docsText: 'GET /docs.md',
  llms: 'GET /llms.txt',
  problemDocs: 'GET /docs/problems',
  errorDocs: 'GET /docs/errors/:code',
  consolePage: 'GET /console',
} as const satisfies RouteTable;
