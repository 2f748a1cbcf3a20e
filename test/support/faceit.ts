import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOn } from '#stack/listen.ts';

/** Keys that the stand-in accepts. `DATA` may not download. */
export const FACEIT_KEYS = { DATA: 'a-key-of-an-app', DOWNLOADS: 'a-key-that-may-download' };

type Answer = { readonly status: number; readonly body?: unknown };

const FILES = /^https:\/\/demos[\w.-]*\.(faceit\.com|faceit-cdn\.net)\/cs2\/([\w.-]+)$/;

const refused = (http_status: number, message: string): Answer => {
  return { status: http_status, body: { errors: [{ code: 'err_f0', http_status, message, parameters: [] }] } };
};

/**
 * A stand-in for FACEIT's APIs and its storage, which has one demo under many names. Written from docs.faceit.com of
 * November 2026 (Data API v4 `matches/{id}` with its `errors`; Download API v2 with `resource_url` and its refusals 400,
 * 401, 403, 404; Webhooks) and 5stackgg/api 2aacd2a6 (`FaceitService`, `DemoMetadataService.signFaceitDownloadUrl`). A
 * key without the scope gets 403. As S3 does, its storage refuses a request without a signature, with a wrong or an old
 * one, or with `Authorization` beside it.
 */
export async function startFaceit(demoPath?: string) {
  const demo = demoPath ? await readFile(demoPath) : '';
  const secret = randomUUID();
  const matches = new Map<string, { readonly status: string; readonly demo_url: readonly string[] }>();
  const calls: string[] = [];
  /** Statuses of the next answers of its APIs. */
  const outages: number[] = [];
  const sign = (what: string) => createHmac('sha256', secret).update(what).digest('hex');

  function linkOf(key: string, host: string, { resource_url: resource }: { resource_url?: unknown }): Answer {
    if (key !== FACEIT_KEYS.DOWNLOADS) return refused(403, 'no valid scope provided');
    const path = `/storage/${FILES.exec(`${resource}`)?.[2]}`;
    if (typeof resource !== 'string' || !FILES.test(resource)) return refused(400, 'invalid resource_url');
    const isThere = [...matches.values()].some(({ demo_url }) => demo_url.includes(resource));
    if (!isThere) return refused(404, 'resource not found');
    const date = `${Date.now()}`;
    const query = new URLSearchParams({ 'X-Amz-Date': date, 'X-Amz-Signature': sign(path + date) });
    return { status: 200, body: { payload: { download_url: `http://${host}${path}?${query}` } } };
  }

  function answer(call: string, authorization: string, host: string, body: string): Answer {
    const outage = outages.shift();
    if (outage !== undefined) return { status: outage };
    const key = /^Bearer (\S+)$/.exec(authorization)?.[1] ?? '';
    if (!Object.values(FACEIT_KEYS).includes(key)) return refused(401, 'The authentication token is not valid.');
    if (call === 'POST /download/v2/demos/download') return linkOf(key, host, JSON.parse(body));
    if (call === 'GET /data/v4/games/cs2') return { status: 200, body: { game_id: 'cs2' } };
    const match = matches.get(/^GET \/data\/v4\/matches\/(.*)$/.exec(call)?.[1] ?? '');
    return match ? { status: 200, body: match } : refused(404, 'The resource was not found.');
  }

  const server = createServer(async (request, response) => {
    const { host = '', authorization } = request.headers;
    const { pathname, searchParams } = new URL(request.url ?? '', `http://${host}`);
    const call = `${request.method} ${pathname}`;
    calls.push(call);
    if (pathname.startsWith('/storage/')) {
      const date = searchParams.get('X-Amz-Date');
      const isSigned = searchParams.get('X-Amz-Signature') === sign(pathname + date);
      const isFresh = Date.now() <= Number(date) + 299_000;
      response.writeHead(authorization ? 400 : isSigned && isFresh ? 200 : 403).end(demo);
      return;
    }
    const { status, body = {} } = answer(call, authorization ?? '', host, await text(request));
    const wait: Record<string, string> = status === 429 ? { 'Retry-After': '60' } : {};
    response.writeHead(status, { 'Content-Type': 'application/json', ...wait }).end(JSON.stringify(body));
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    outages,
    /** Adds a match with a demo of each of its maps. */
    addMatch(maps = 1, status = 'FINISHED') {
      const id = `1-${randomUUID()}`;
      const files = Array.from({ length: maps }, (_, map) => `${id}-${map + 1}-1.dem.zst`);
      const demo_url = files.map((file) => `https://demos-europe-central.backblaze.faceit-cdn.net/cs2/${file}`);
      matches.set(id, { status, demo_url });
      return { id, files, demo_url, url: demo_url[0] ?? '', room: `https://www.faceit.com/en/cs2/room/${id}` };
    },
    stop: () => server.close(),
  };
}

/** Returns the message of a webhook. */
export function faceitMessage(id: string, demo_url: string, retry_count = 0, event = 'match_demo_ready') {
  const ids = { transaction_id: randomUUID(), event, event_id: randomUUID(), third_party_id: randomUUID() };
  const payload = { id, organizer_id: 'organizer', region: 'EU', game: 'cs2', version: 149, demo_url, teams: [] };
  return { ...ids, app_id: randomUUID(), timestamp: '2026-11-30T10:00:00Z', retry_count, version: 1, payload };
}
