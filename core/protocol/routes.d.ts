/**
 * The URL contract: every address of the service under the name of what it does. Routing binds a handler to each name,
 * the API description (tools/openapi/) says of each name what it takes and answers; the compiler asks for a missing
 * one. What answers GET answers HEAD.
 */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type RouteLine = `${Method} /${string}`;
export type RouteTable = Readonly<Record<string, RouteLine>>;
/** The names of a line's parameters: `'id' | 'key'` for `DELETE /admin/accounts/:id/keys/:key`. */
export type ParamName<Line> = Line extends `${string}:${infer Name}/${infer Rest}` ? Name | ParamName<`/${Rest}`> : Line extends `${string}:${infer Name}` ? Name : never;
/** The values of a line's parameters by their names. */
export type Params<Line extends RouteLine> = {
    readonly [Name in ParamName<Line>]: string;
};
/** A line without parameters is asked for none. */
export type ParamsIfAny<Line extends RouteLine> = [ParamName<Line>] extends [never] ? [] : [params: Params<Line>];
/**
 * The address of a line, from its slash on: `href(API_ROUTES.getJob, { id })`. A parameter cannot leave its segment.
 */
export declare function href<Line extends RouteLine>(line: Line, ...[params]: ParamsIfAny<Line>): string;
export declare function methodOf(line: RouteLine): Method;
/** In the router's pattern language: `/api/jobs/:id`. */
export declare function pathOf(line: RouteLine): string;
/** The client API (contract 4), with an account's key. */
export declare const API_ROUTES: {
    readonly submitClip: 'POST /api/clips';
    readonly submitBatch: 'POST /api/clips/batch';
    readonly listClips: 'GET /api/clips';
    readonly getClip: 'GET /api/clips/:id';
    readonly saveClip: 'POST /api/clips/:id/save';
    readonly unsaveClip: 'POST /api/clips/:id/unsave';
    readonly deleteClip: 'DELETE /api/clips/:id';
    readonly getClipViews: 'GET /api/clips/:id/views';
    readonly listJobs: 'GET /api/jobs';
    readonly getJob: 'GET /api/jobs/:id';
    readonly watchJob: 'GET /api/jobs/:id/events';
    readonly cancelJob: 'POST /api/jobs/:id/cancel';
    readonly resubmitJob: 'POST /api/jobs/:id/resubmit';
    readonly resendWebhook: 'POST /api/jobs/:id/resend-webhook';
    readonly listDeliveries: 'GET /api/jobs/:id/deliveries';
    readonly uploadAsset: 'POST /api/assets';
    readonly listAssets: 'GET /api/assets';
    readonly getAsset: 'GET /api/assets/:id';
    readonly deleteAsset: 'DELETE /api/assets/:id';
    readonly inspectDemo: 'POST /api/demos';
    readonly getDemo: 'GET /api/demos/:id';
    readonly createUpload: 'POST /api/uploads';
    readonly listUploads: 'GET /api/uploads';
    readonly getUpload: 'GET /api/uploads/:id';
    readonly sendUploadPart: 'PUT /api/uploads/:id/part';
    readonly completeUpload: 'POST /api/uploads/:id/complete';
    readonly deleteUpload: 'DELETE /api/uploads/:id';
    readonly getUsage: 'GET /api/usage';
    readonly getViewing: 'GET /api/viewing';
    readonly changeViewing: 'PATCH /api/viewing';
    readonly watchEvents: 'GET /api/events';
    readonly listWebhookSecrets: 'GET /api/webhook-secrets';
    readonly createWebhookSecret: 'POST /api/webhook-secrets';
    readonly deleteWebhookSecret: 'DELETE /api/webhook-secrets/:id';
    readonly testWebhook: 'POST /api/webhooks/test';
};
/** What viewers and readers load, without any key. */
export declare const PUBLIC_ROUTES: {
    readonly landing: 'GET /';
    readonly clipPage: 'GET /clips/:id';
    readonly clipEmbed: 'GET /clips/:id/embed';
    readonly clipVideo: 'GET /clips/:id/video.mp4';
    readonly clipThumbnail: 'GET /clips/:id/thumbnail.jpg';
    readonly clipStoryboard: 'GET /clips/:id/storyboard.jpg';
    readonly countView: 'POST /clips/:id/views';
    readonly shownViews: 'GET /clips/:id/views';
    readonly moreClips: 'GET /clips/:id/more';
    readonly oembed: 'GET /oembed';
    readonly studio: 'GET /studio';
    readonly robots: 'GET /robots.txt';
    readonly health: 'GET /healthz';
    readonly openApi: 'GET /openapi.json';
    readonly docs: 'GET /docs';
    readonly gatewayDocs: 'GET /docs/gateway';
    readonly operatorDocs: 'GET /docs/operator';
    readonly searchDocs: 'GET /docs/search';
    readonly changesDocs: 'GET /docs/changes';
    readonly docsText: 'GET /docs.md';
    readonly llms: 'GET /llms.txt';
    readonly problemDocs: 'GET /docs/problems';
    readonly errorDocs: 'GET /docs/errors/:code';
    readonly consolePage: 'GET /console';
};
