import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { listenOn } from '#stack/listen.ts';

/** Keys that the stand-in knows: `DATA` may not download. */
export const FACEIT_KEYS: Readonly<Record<'DATA' | 'DOWNLOADS', string>> = {
  DATA: randomUUID(),
  DOWNLOADS: randomUUID(),
};

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

const FILES = /^https:\/\/demos[\w.-]*\.(faceit\.com|faceit-cdn\.net)\/cs2\/([\w.-]+)$/;
const SIGNED_S = 299;

/** https://docs.faceit.com/docs/data-api/data: the body of an error. */
const refused = (http_status: number, message: string): Answer => ({
  status: http_status,
  body: { errors: [{ code: 'err_f0', http_status, message, parameters: [] }] },
});

/**
 * A stand-in for FACEIT's APIs and its storage, which has one demo under many names. Written from docs.faceit.com of
 * November 2026 (Data API v4 `matches/{id}`; Download API v2: one POST, `resource_url`, refusals 400, 401, 403, 404) and
 * 5stackgg/api 2aacd2a6 (`FaceitService`, `signFaceitDownloadUrl`). A key without the scope gets `err_f0`. As S3 does,
 * its storage refuses a request without a signature, with another one, and with `Authorization` beside it.
 */
export async function startFaceit(demoPath?: string) {
  const demo = demoPath ? await readFile(demoPath) : '';
  const secret = randomUUID();
  const matches = new Map<string, { readonly status: string; readonly demo_url: readonly string[] }>();
  const calls: string[] = [];
  /** Statuses of the next answers of its APIs. */
  const outages: number[] = [];
  const sign = (path: string, date: string) => createHmac('sha256', secret).update(`${path} ${date}`).digest('hex');

  const keyOf = ({ authorization = '' }: IncomingHttpHeaders) => /^Bearer (\S+)$/.exec(authorization)?.[1] ?? '';

  function match(id: string): Answer {
    const found = matches.get(id);
    return found ? { status: 200, body: { match_id: id, ...found } } : refused(404, 'The resource was not found.');
  }

  function link(host: string, key: string, text: string): Answer {
    if (key !== FACEIT_KEYS.DOWNLOADS) return refused(403, 'no valid scope provided');
    const { resource_url: resource } = JSON.parse(text) as { resource_url?: unknown };
    const name = typeof resource === 'string' ? FILES.exec(resource)?.[2] : undefined;
    if (name === undefined) return refused(400, 'invalid resource_url');
    if (![...matches.values()].some(({ demo_url }) => demo_url.includes(String(resource)))) {
      return refused(404, 'resource not found');
    }
    const path = `/storage/${name}`;
    const date = String(Date.now());
    const query = `X-Amz-Date=${date}&X-Amz-Expires=${SIGNED_S}&X-Amz-Signature=${sign(path, date)}`;
    return { status: 200, body: { payload: { download_url: `http://${host}${path}?${query}` } } };
  }

  function answer({ method, headers }: IncomingMessage, url: URL, text: string): Answer {
    const outage = outages.shift();
    if (outage !== undefined) return { status: outage };
    const key = keyOf(headers);
    if (!Object.values(FACEIT_KEYS).includes(key)) return refused(401, 'The authentication token is not valid.');
    const [, api, , noun, id = ''] = url.pathname.split('/');
    if (method === 'POST' && url.pathname === '/download/v2/demos/download') return link(url.host, key, text);
    if (method === 'GET' && api === 'data' && noun === 'matches') return match(id);
    if (method === 'GET' && url.pathname === '/data/v4/games/cs2') return { status: 200, body: { game_id: 'cs2' } };
    return refused(404, 'The resource was not found.');
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    let text = '';
    for await (const chunk of request) text += chunk;
    calls.push(`${request.method} ${url.pathname}`);
    if (url.pathname.startsWith('/storage/')) {
      const date = url.searchParams.get('X-Amz-Date') ?? '';
      const isSigned = url.searchParams.get('X-Amz-Signature') === sign(url.pathname, date);
      const isLate = Date.now() > Number(date) + SIGNED_S * 1000;
      const status = 'authorization' in request.headers ? 400 : isSigned && !isLate ? 200 : 403;
      response.writeHead(status).end(status === 200 ? demo : '<Error/>');
      return;
    }
    const { status, body = {} } = answer(request, url, text);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
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
      return { id, files, demo_url, room: `https://www.faceit.com/en/cs2/room/${id}` };
    },
    /** Returns the message of a webhook: https://docs.faceit.com/docs/webhooks. */
    ready(id: string, demo_url: string | undefined, retry_count = 0, event = 'match_demo_ready') {
      const ids = { transaction_id: randomUUID(), event, event_id: randomUUID(), third_party_id: randomUUID() };
      const payload = { id, organizer_id: 'organizer', region: 'EU', game: 'cs2', version: 149, demo_url, teams: [] };
      return { ...ids, app_id: randomUUID(), timestamp: '2026-11-30T10:00:00Z', retry_count, version: 1, payload };
    },
    stop: () => server.close(),
  };
}
