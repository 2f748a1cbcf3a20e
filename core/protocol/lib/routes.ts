export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** The method and path of an operation: `GET /api/jobs/:id`. HEAD works wherever GET does. */
export type RouteLine = `${Method} /${string}`;

/** The names of a line's parameters: `'id' | 'key'` for `DELETE /admin/accounts/:id/keys/:key`. */
export type ParamName<Line> = Line extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<`/${Rest}`>
  : Line extends `${string}:${infer Name}`
    ? Name
    : never;

export type Params<Line extends RouteLine> = { readonly [Name in ParamName<Line>]: string };

/** No argument for a line without parameters. */
export type ParamsIfAny<Line extends RouteLine> = [ParamName<Line>] extends [never] ? [] : [params: Params<Line>];

/** Returns the path of a line: `href('GET /api/jobs/:id', { id })`. A parameter cannot leave its segment. */
export function href<Line extends RouteLine>(line: Line, ...[params]: ParamsIfAny<Line>): string {
  const values: Readonly<Record<string, string>> = params ?? {};
  return pathOf(line).replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

export function methodOf(line: RouteLine): Method {
  return line.slice(0, line.indexOf(' ')) as Method;
}

/** Returns the path in the router's pattern language: `/api/jobs/:id`. */
export function pathOf(line: RouteLine): string {
  return line.slice(line.indexOf(' ') + 1);
}

/** The paths that pages, responses and webhooks link to. All others are declared only with their operation. */
export const PUBLIC_ROUTES = {
  clipPage: 'GET /clips/:id',
  clipEmbed: 'GET /clips/:id/embed',
  clipVideo: 'GET /clips/:id/video.mp4',
  clipThumbnail: 'GET /clips/:id/thumbnail.jpg',
  clipStoryboard: 'GET /clips/:id/storyboard.jpg',
  replayPage: 'GET /replays/:id',
  replayEmbed: 'GET /replays/:id/embed',
  replayTracks: 'GET /replays/:id/tracks',
  playerFile: 'GET /player/:name',
  countView: 'POST /clips/:id/views',
  moreClips: 'GET /clips/:id/more',
  oembed: 'GET /oembed',
  studio: 'GET /studio',
  mcp: 'POST /mcp',
  sampleStill: 'GET /sample-clip.jpg',
  openApi: 'GET /openapi.json',
  gatewayOpenApi: 'GET /openapi/gateway.json',
  operatorOpenApi: 'GET /openapi/operator.json',
  docs: 'GET /docs',
  reference: 'GET /docs/reference',
  referenceScript: 'GET /docs/scalar.js',
  llms: 'GET /llms.txt',
  problemDocs: 'GET /docs/problems',
  errorDocs: 'GET /docs/errors/:code',
} as const satisfies Readonly<Record<string, RouteLine>>;

/** The addresses of the OpenAPI documents. Each is a file of the same path in src/static (`npm run openapi`). */
export type DocumentRoute = 'GET /openapi.json' | 'GET /openapi/gateway.json' | 'GET /openapi/operator.json';

/** Returns the address of the page that plays a replay. */
export function replayUrl(baseUrl: string, id: string): string {
  return baseUrl + href(PUBLIC_ROUTES.replayPage, { id });
}

/** The public addresses of a clip. `baseUrl` has no slash at its end. */
export interface ClipUrls {
  readonly page: string;
  readonly embed: string;
  readonly video: string;
  readonly thumbnail: string;
  readonly storyboard: string;
  /** Where its player reports a view. */
  readonly views: string;
  /** The other clips that its page lists. */
  readonly more: string;
}

export function clipUrls(baseUrl: string, clipId: string): ClipUrls {
  const id = { id: clipId };
  return {
    page: baseUrl + href(PUBLIC_ROUTES.clipPage, id),
    embed: baseUrl + href(PUBLIC_ROUTES.clipEmbed, id),
    video: baseUrl + href(PUBLIC_ROUTES.clipVideo, id),
    thumbnail: baseUrl + href(PUBLIC_ROUTES.clipThumbnail, id),
    storyboard: baseUrl + href(PUBLIC_ROUTES.clipStoryboard, id),
    views: baseUrl + href(PUBLIC_ROUTES.countView, id),
    more: baseUrl + href(PUBLIC_ROUTES.moreClips, id),
  };
}
