import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import { InspectedRequest } from '#protocol/demos.ts';
import {
  ClaimRequest,
  CompleteRequest,
  EndPollRequest,
  FailRequest,
  HeartbeatRequest,
  LeaseQuery,
  ReleaseRequest,
  UploadBegin,
  UploadEnd,
  UploadPartQuery,
} from '#protocol/gateway.ts';
import { GATEWAY_ROUTES } from '#protocol/service-routes.ts';

export type Kind = keyof typeof GATEWAY_ROUTES;

/** A request of a host, as it came. */
export interface Heard {
  /** Null for an address that the gateway does not have. */
  readonly kind: Kind | null;
  readonly line: string;
  readonly atMs: number;
  readonly jobId: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body, or the query of a request whose body is no JSON. */
  readonly said: Record<string, unknown>;
}

/** Where the gateway finds what a request says, and the shape of it. */
const SHAPES: Record<Kind, { readonly in: 'body' | 'query'; readonly shape: z.ZodType }> = {
  claimJob: { in: 'body', shape: ClaimRequest },
  endPoll: { in: 'body', shape: EndPollRequest },
  heartbeat: { in: 'body', shape: HeartbeatRequest },
  fetchDemo: { in: 'query', shape: LeaseQuery },
  getWatermark: { in: 'query', shape: LeaseQuery },
  beginUpload: { in: 'body', shape: UploadBegin },
  uploadPart: { in: 'query', shape: UploadPartQuery },
  endUpload: { in: 'body', shape: UploadEnd },
  completeJob: { in: 'body', shape: CompleteRequest },
  jobInspected: { in: 'body', shape: InspectedRequest },
  failJob: { in: 'body', shape: FailRequest },
  releaseJob: { in: 'body', shape: ReleaseRequest },
};

const ROUTES = Object.entries(GATEWAY_ROUTES).map(([kind, line]) => ({
  kind: kind as Kind,
  pattern: new RegExp(`^${line.replace(':id', '([^/]+)')}$`),
}));

/** What a request is, and what is wrong with it by its shape alone; null where nothing is. */
export function readRequest(
  method: string,
  url: URL,
  headers: IncomingHttpHeaders,
  body: Buffer,
  atMs: number,
): { readonly heard: Heard; readonly fault: string | null } {
  const line = `${method} ${url.pathname}`;
  const route = ROUTES.find(({ pattern }) => pattern.test(line));
  const request = { line, atMs, headers, body };
  if (!route) {
    return { heard: { ...request, kind: null, jobId: '', said: {} }, fault: `${line} is no address of the gateway` };
  }
  const jobId = route.pattern.exec(line)?.[1] ?? '';
  const { in: where, shape } = SHAPES[route.kind];
  const sent = where === 'query' ? Object.fromEntries(url.searchParams) : parsed(body);
  const result = shape.safeParse(sent);
  const said = (result.success ? result.data : {}) as Record<string, unknown>;
  const why = result.error?.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`).join('; ');
  return { heard: { ...request, kind: route.kind, jobId, said }, fault: why === undefined ? null : `${line}: ${why}` };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
