import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { InspectedRequest } from '#protocol/demo/demos.ts';
import { CompleteRequest, FailRequest, type Grant, HOST_STATE_HEADER } from '#protocol/host/gateway.ts';
import { PROBLEMS, type ProblemKind } from '#protocol/lib/problem.ts';
import { NO_CARDS_VIEW, PLAIN_KILLS_VIEW } from '#test/support/plain-order.ts';

export const JOB_ID = '11111111-2222-4333-8444-555555555555';

/** One request as the gateway got it. `kind` is its path below the job, or `claim`. */
export interface Heard {
  readonly kind: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly requestId: string | undefined;
}

/**
 * Chooses an error instead of success: a status, a kind of problem (core/protocol/lib/problem.ts), no answer, or no work
 * with its reason; null for success. `nth` counts the requests of this kind from 0.
 */
export type Misbehaviour = (
  kind: string,
  nth: number,
) => number | ProblemKind | 'silence' | { readonly state: string } | null;

/** How the grant differs from the usual one. */
type Granting = Partial<Omit<Grant, 'order'>> & { readonly order?: Partial<Grant['order']> };

/**
 * Creates a gateway over real HTTP: grants one job and accepts the host's reports, with the answers of the real
 * gateway. `watermark` is the job's image.
 */
export async function createFakeGateway(
  misbehave: Misbehaviour = () => null,
  watermark: Uint8Array | null = null,
  granting: Granting = {},
) {
  const heard: Heard[] = [];
  const waiting: { kind: string; take: () => void }[] = [];
  /** Long polls without work, by the name that the host gave them. */
  const held = new Map<string, ServerResponse>();
  let granted = false;
  const answerWithGrant = (response: ServerResponse) => {
    const usual = grant();
    response.end(JSON.stringify({ ...usual, ...granting, order: { ...usual.order, ...granting.order } }));
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://gateway');
    const kind = url.pathname.replace(`/gateway/v1/jobs/${JOB_ID}/`, '').replace('/gateway/v1/', '');
    const nth = heard.filter((earlier) => earlier.kind === kind).length;
    const body = await readBody(request);
    heard.push({
      kind,
      query: url.searchParams,
      body,
      requestId: request.headers['x-request-id'] as string | undefined,
    });
    for (const waiter of waiting.filter((one) => one.kind === kind)) waiter.take();
    const fault = misbehave(kind, nth) ?? (isWellFormed(kind, body) ? null : 400);
    if (fault === 'silence') return;
    if (typeof fault === 'object' && fault !== null) {
      response.writeHead(204, { [HOST_STATE_HEADER]: fault.state }).end();
      return;
    }
    if (fault !== null) {
      const { status } = typeof fault === 'number' ? { status: fault } : PROBLEMS[fault];
      response.writeHead(status).end(JSON.stringify({ type: `/docs/problems#${fault}`, detail: `it is ${fault}` }));
      return;
    }
    if (kind === 'claim') {
      if (granted) held.set(JSON.parse(body.toString()).poll_id, response);
      else answerWithGrant(response);
      granted = true;
    } else if (kind === 'claim/end') {
      const { poll_id } = JSON.parse(body.toString());
      held.get(poll_id)?.writeHead(204).end();
      held.delete(poll_id);
      response.writeHead(204).end();
    } else if (kind === 'uploads') response.writeHead(201).end(JSON.stringify({ upload_id: `upload-${nth}` }));
    else if (kind === 'uploads/part') {
      const part = Number(url.searchParams.get('part'));
      response.end(JSON.stringify({ part, etag: `etag-${part}` }));
    } else if (kind === 'assets/watermark') {
      response.writeHead(watermark === null ? 404 : 200).end(watermark ?? '{}');
    } else response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    url: `http://127.0.0.1:${address.port}`,
    kinds: () => heard.map(({ kind }) => kind),
    of: (kind: string) => heard.filter((one) => one.kind === kind),
    json: (kind: string) => heard.filter((one) => one.kind === kind).map(({ body }) => JSON.parse(body.toString())),
    /** Grants the job again to each waiting claim. */
    grantHeld() {
      for (const response of held.values()) answerWithGrant(response);
      held.clear();
    },
    /** Resolves at the next request of this kind. */
    next: (kind: string) => new Promise<void>((take) => waiting.push({ kind, take })),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function grant(): Grant {
  return {
    job_id: JOB_ID,
    order: {
      demo_url: 'http://127.0.0.1/match.dem',
      selection: { ...PLAIN_KILLS_VIEW, steam64_id: '1', round: null, pre_kill_padding: 3, post_kill_padding: 2 },
      fps: 30,
      resolution: 1080,
      spec_show_xray: false,
      cl_draw_only_deathnotices: true,
      hud_killfeed: false,
      hud_damage_ticker: false,
      thumbnail_style: 'full',
      watermark_image_id: null,
      ...NO_CARDS_VIEW,
    },
    accepted_domains: ['*'],
    allow_private_addresses: true,
    own_origins: [],
    low_ports: [80, 443],
    lease: { fence: 7, ttl_s: 60, heartbeat_s: 0.005 },
    part_bytes: 1000,
    optional_files: [],
  };
}

/** Whether the gateway would accept the report of a job's end. */
function isWellFormed(kind: string, body: Buffer): boolean {
  const shape = { complete: CompleteRequest, fail: FailRequest, inspected: InspectedRequest }[kind];
  return shape === undefined || shape.safeParse(JSON.parse(body.toString())).success;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
