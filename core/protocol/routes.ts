export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** The address of an operation: `GET /api/jobs/:id`. Whatever answers GET also answers HEAD. */
export type RouteLine = `${Method} /${string}`;

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
 * The address of a line, from its slash on: `href('GET /api/jobs/:id', { id })`. A parameter cannot leave its segment.
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

/** The addresses that pages, answers and webhooks link to. An operation that nothing links to names its own address. */
export const PUBLIC_ROUTES = {
  clipPage: 'GET /clips/:id',
  clipEmbed: 'GET /clips/:id/embed',
  clipVideo: 'GET /clips/:id/video.mp4',
  clipThumbnail: 'GET /clips/:id/thumbnail.jpg',
  clipStoryboard: 'GET /clips/:id/storyboard.jpg',
  countView: 'POST /clips/:id/views',
  moreClips: 'GET /clips/:id/more',
  oembed: 'GET /oembed',
  studio: 'GET /studio',
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
} as const satisfies Readonly<Record<string, RouteLine>>;
