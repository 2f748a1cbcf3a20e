import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Log, LogLevel, Miniflare, type WorkerOptions } from 'miniflare';
import { unstable_splitSqlQuery as splitSqlQuery } from 'wrangler';
import { listenOnLoopback } from '#stack/listen.ts';

/** A binding as wrangler uploads it. */
interface Binding {
  readonly type: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

interface Metadata {
  readonly main_module: string;
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly bindings: readonly Binding[];
  readonly migrations?: { readonly steps: readonly { readonly new_sqlite_classes?: readonly string[] }[] };
}

/** An answer of the API: a result, or an error by the platform's number. */
type Answer =
  | { readonly result: unknown }
  | { readonly status: number; readonly code: number; readonly message?: string };

const NOT_FOUND: Answer = { status: 404, code: 10007 };

/**
 * Starts a fake of the part of Cloudflare's API that wrangler uses to set up a service, over HTTP: databases, buckets,
 * secrets, a Worker. Migrations run on a D1 of Miniflare, and the uploaded Worker runs with its bindings at its
 * address.
 */
export async function startCloudflareApi(folder: string, servicePort: number) {
  const databases = new Map<string, string>();
  const buckets = new Set<string>();
  const secrets = new Map<string, string>();
  const asked: string[] = [];
  /** Requests that fail once. */
  const failing = new Set<string>();
  let classes = new Set<string>();
  let worker: Metadata | null = null;
  let schedules: unknown = [];
  let miniflare: Miniflare | null = null;

  const shared = () => ({
    log: new Log(LogLevel.ERROR),
    cf: false as const,
    // Each change of a job is a line, as deployed.
    handleRuntimeStdio: (out: Readable, err: Readable) => void [out.resume(), err.resume()],
    host: '127.0.0.1',
    port: servicePort,
    d1Persist: join(folder, 'd1'),
    r2Persist: join(folder, 'r2'),
    durableObjectsPersist: join(folder, 'objects'),
  });

  const run = async (options: WorkerOptions) => {
    const all = { ...shared(), ...options };
    if (miniflare) await miniflare.setOptions(all);
    else miniflare = new Miniflare(all);
    await miniflare.ready;
    return miniflare;
  };

  async function query(id: string, sql: string) {
    const name = [...databases].find(([, uuid]) => uuid === id)?.[0];
    if (name === undefined) return NOT_FOUND;
    const bare = { modules: true as const, script: 'export default {}', d1Databases: { [id]: id } };
    const database = await (miniflare ?? (await run(bare))).getD1Database(worker ? 'DB' : id);
    const statements = splitSqlQuery(sql).map((one) => database.prepare(one));
    const results = await database.batch(statements);
    return { result: results.map(({ results: rows }) => ({ success: true, meta: { duration: 1 }, results: rows })) };
  }

  async function upload(form: FormData): Promise<Answer> {
    const metadata: Metadata = JSON.parse(String(form.get('metadata')));
    const main = form.get(metadata.main_module);
    if (!(main instanceof Blob)) throw new Error('no module was uploaded');
    for (const { type, name, text: value } of metadata.bindings)
      if (type === 'secret_text') secrets.set(name, String(value));
    for (const { new_sqlite_classes: added = [] } of metadata.migrations?.steps ?? []) {
      classes = new Set([...classes, ...added]);
    }
    worker = metadata;
    await run({
      modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await main.text() }],
      compatibilityDate: metadata.compatibility_date,
      compatibilityFlags: [...metadata.compatibility_flags],
      ...bindingsOf(metadata.bindings, secrets, classes),
    });
    return { result: { id: 'tickreel', etag: 'e', deployment_id: 'd'.repeat(32), startup_time_ms: 1 } };
  }

  async function answer(request: IncomingMessage, path: string): Promise<Answer> {
    const { method = 'GET' } = request;
    const body = async () => JSON.parse((await text(request)) || '{}');
    const [, scriptPath] = /^\/workers\/scripts\/[^/]+(\/?.*)$/.exec(path) ?? [];
    const [, databaseId] = /^\/d1\/database\/([^/]+)\/query$/.exec(path) ?? [];
    if (databaseId) return query(databaseId, (await body()).sql);
    const [, bucket] = /^\/r2\/buckets\/([^/]+)$/.exec(path) ?? [];
    if (bucket) return buckets.has(bucket) ? { result: { name: bucket } } : NOT_FOUND;
    if (path.startsWith('/workers/services/')) {
      return worker ? { result: { default_environment: { environment: 'production', script: {} } } } : NOT_FOUND;
    }
    switch (`${method} ${scriptPath === undefined ? path : `script${scriptPath}`}`) {
      case 'GET /d1/database':
        return { result: [...databases].map(([name, uuid]) => ({ name, uuid })) };
      case 'POST /d1/database': {
        const { name } = await body();
        databases.set(name, crypto.randomUUID());
        return { result: { name, uuid: databases.get(name) } };
      }
      case 'GET /r2/buckets':
        return { result: { buckets: [...buckets].map((name) => ({ name, creation_date: '2026-01-01' })) } };
      case 'POST /r2/buckets': {
        const { name } = await body();
        if (buckets.has(name)) return { status: 409, code: 10004 };
        buckets.add(name);
        return { result: { name } };
      }
      case 'GET script/secrets':
        return worker ? { result: [...secrets.keys()].map((name) => ({ name, type: 'secret_text' })) } : NOT_FOUND;
      case 'PUT script': {
        const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
        return upload(await new Response(request as unknown as ReadableStream, { headers }).formData());
      }
      case 'GET /workers/scripts':
        return { result: worker ? [{ id: 'tickreel' }] : [] };
      case 'PUT script/schedules':
        schedules = await body();
        return { result: { schedules } };
      case 'GET script/subdomain':
      case 'POST script/subdomain':
        return { result: { enabled: false, previews_enabled: false } };
      case 'GET script/deployments':
        return { result: { deployments: [] } };
      case 'PATCH script/settings':
      case 'GET script/settings':
        return { result: { bindings: [] } };
      default:
        return NOT_FOUND;
    }
  }

  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://api').pathname.replace(/^\/client\/v4(\/accounts\/a+)?/, '');
    const line = `${request.method} ${path}`;
    asked.push(line);
    const isFailing = failing.delete(line);
    const wrong = (error: unknown): Answer => ({ status: 400, code: 10013, message: String(error) });
    const given: Answer = isFailing ? wrong('told to fail') : await answer(request, path).catch(wrong);
    request.resume();
    const isWell = 'result' in given;
    const errors = isWell ? [] : [{ code: given.code, message: given.message ?? 'refused' }];
    response.writeHead(isWell ? 200 : given.status, { 'Content-Type': 'application/json' });
    const result = isWell ? given.result : null;
    response.end(JSON.stringify({ success: isWell, errors, messages: [], result, result_info: { page: 1 } }));
  });
  const port = await listenOnLoopback(server);
  return {
    environment: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: 'a-token',
      CLOUDFLARE_ACCOUNT_ID: 'a'.repeat(32),
      WRANGLER_SEND_METRICS: 'false',
    },
    asked,
    failing,
    databases,
    buckets,
    secrets,
    worker: () => worker,
    schedules: () => schedules,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await miniflare?.dispose();
    },
  };
}

/** Returns the bindings of an upload as Miniflare takes them. Throws for a kind that this fake lacks. */
function bindingsOf(bindings: readonly Binding[], secrets: ReadonlyMap<string, string>, stored: ReadonlySet<string>) {
  const of = (type: string) => bindings.filter((binding) => binding.type === type);
  const record = <T>(type: string, value: (binding: Binding) => T) =>
    Object.fromEntries(of(type).map((binding) => [binding.name, value(binding)]));
  const known = ['plain_text', 'secret_text', 'd1', 'r2_bucket', 'durable_object_namespace', 'ratelimit', 'inherit'];
  const other = bindings.find(({ type }) => !known.includes(type));
  if (other) throw new Error(`a binding of the kind ${other.type} was uploaded`);
  return {
    bindings: { ...record('plain_text', ({ text: value }) => String(value)), ...Object.fromEntries(secrets) },
    d1Databases: record('d1', ({ id }) => String(id)),
    r2Buckets: record('r2_bucket', ({ bucket_name: name }) => String(name)),
    ratelimits: record('ratelimit', ({ namespace_id: id, simple }) => ({
      namespace_id: String(id),
      simple: simple as { limit: number; period: 10 | 60 },
    })),
    durableObjects: record('durable_object_namespace', ({ class_name: className }) => ({
      className: String(className),
      useSQLite: stored.has(String(className)),
    })),
  };
}
