import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOn } from '#stack/listen.ts';
import { ApiError, NO_WORKER, splitOnServer } from './cloudflare-answers.ts';
import { createWorkers } from './cloudflare-workers.ts';

/*
 * A stand-in for the part of Cloudflare's API that `npm run setup`, `deploy` and `doctor` reach, through wrangler
 * 4.116.0 or by themselves. Below each behaviour is where it is from. W is wrangler's source at that version,
 * below packages/; H is its deploy-helpers/src/; C is the npm package cloudflare 7.3.0, below resources/; numbers are
 * issues of cloudflare/workers-sdk.
 *
 * | behaviour
 * |   its source
 * | ---
 * | A new Worker, or one with migrations, comes by PUT; others by POST /versions, /deployments, PATCH /script-settings.
 * |   H deploy/deploy.ts:356 canUseNewVersionsDeploymentsApi, :497 createDeployment, :511
 * | GET /workers/scripts has `migration_tag`; PUT compares `old_tag` (10079), and takes no class twice (10074).
 * |   H deploy/helpers/durable.ts:14; C workers/scripts/scripts.d.ts:1394; 705, elizaOS/eliza 23975
 * | A version with migrations is refused (10211).
 * |   cloudflare/cloudflare-docs 32982
 * | Secrets of the latest version stay, unless `keep_bindings` leaves them out. Variables do not.
 * |   H deploy/helpers/create-worker-upload-form.ts:853
 * | A rollback over a changed secret needs `?force=true` (10220).
 * |   W wrangler/src/versions/rollback/index.ts:13, :112
 * | No rollback across a migration of objects. Its code is not published: 1.
 * |   developers.cloudflare.com/workers/versions-and-deployments/rollbacks
 * | A secret cannot be put while the latest version is not deployed (10215).
 * |   W wrangler/src/secret/index.ts:18, :157
 * | Too large (10027), slow to start (10021), `limits` on the free plan (100328, on two lines).
 * |   H deploy/helpers/friendly-validator-errors.ts:140, :164; 8756
 * | Bindings to what is missing: D1 (10021), R2 (10085).
 * |   H deploy/deploy.ts:666; developers.cloudflare.com/r2/api/error-codes
 * | The first Worker of an account requires its name on workers.dev (10063).
 * |   H deploy/helpers/validate-worker-props.ts:321
 * | That name: GET /workers/subdomain (10007 without one). A Worker's own: GET and POST …/subdomain.
 * |   H triggers/subdomain.ts:33 getWorkersDevSubdomain, triggers/deploy.ts:508 subdomainDeploy
 * | For a domain or route, zones are asked for by name, label by label. A token sees only its zones.
 * |   H triggers/zones.ts:54 getZoneIdFromHost, triggers/deploy.ts:93; C zones/zones.d.ts
 * | PUT …/domains/records replaces all domains of a Worker. Without overrides it refuses DNS records (100117).
 * |   H triggers/publish-routes.ts:253 publishCustomDomains, :20; 9878
 * | It refuses another Worker's domain, and a host name outside of the account's zones: 1.
 * |   nobody published either code
 * | GET /workers/domains by Worker.
 * |   C workers/domains.d.ts DomainListParams
 * | Too many crons in the account (10072). Wrangler prints that schedules failed, and not why.
 * |   15194; H triggers/deploy.ts:361
 * | Each error has a cause on a line of its own, as `error_chain`.
 * |   W workers-utils/src/cfetch/index.ts:355 renderError
 * | D1: pages, a name twice (7502), missing (7404), jurisdictions eu and fedramp, a place.
 * |   W wrangler/src/d1/list.ts:46, d1/create.ts:51; C d1/database/database.d.ts:497 DatabaseCreateParams
 * | A migration goes whole to /query with its mark, and is split there: `splitOnServer`.
 * |   W wrangler/src/d1/migrations/helpers.ts buildMigrationQuery, d1/execute.ts:505; 15690, 15314, 14991, 10998, 4998
 * | R2: each jurisdiction has its own names (header cf-r2-jurisdiction); twice (10004), missing (10006).
 * |   W wrangler/src/r2/helpers/bucket.ts:43; a deploy asks for each bucket by name, deployment-bundle/bindings.ts
 * | A bucket with files is not deleted (10008). A rule of its lifecycle deletes them after its age and up to a day.
 * |   developers.cloudflare.com/r2/api/error-codes, r2/buckets/delete-buckets; C r2/buckets/lifecycle.d.ts
 * | A Worker is deleted with ?force=true; then wrangler asks for the KV namespaces of the account.
 * |   W wrangler/src/delete.ts
 * | Without a permission: 403, 10000. Wrangler then asks /user, /accounts and /memberships.
 * |   W wrangler/src/core/handle-errors.ts:270, workers-auth/src/core/factory.ts:409
 * | Static assets: a token and the hashes that are not stored; then the content as base64, under that token.
 * |   H deploy/helpers/assets.ts syncAssets; developers.cloudflare.com/workers/static-assets/direct-upload
 * | On request 429 with Retry-After, and 5xx: wrangler repeats only uploads, zones and …/subdomain, three times.
 * |   W workers-utils/src/retry.ts; H deploy/deploy.ts:477, :533, triggers/zones.ts:69, triggers/deploy.ts:542
 */

const ACCOUNT = 'a'.repeat(32);

/** Which permission of a token a path requires. */
const PERMISSIONS: readonly (readonly [RegExp, string])[] = [
  [/^\/d1\//, 'D1'],
  [/^\/r2\//, 'Workers R2 Storage'],
  [/^\/zones\/.*\/workers/, 'Workers Routes'],
  [/^\/workers\//, 'Workers Scripts'],
  [/^\/storage\/kv\//, 'Workers KV Storage'],
  [/^\/(accounts|memberships)$/, 'Account Settings'],
];

interface Database {
  readonly uuid: string;
  readonly jurisdiction: string | null;
  readonly running_in_region: string;
}

interface Fault {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly retryAfter?: number;
}

interface Domain {
  readonly id: string;
  readonly hostname: string;
  readonly service: string;
}

type Query = URLSearchParams;
type Body = () => Promise<Record<string, unknown>>;

export type CloudflareApi = Awaited<ReturnType<typeof startCloudflareApi>>;

export async function startCloudflareApi(folder: string, servicePort: number) {
  /** What the account has; tests change it. */
  const cloud = {
    isPaid: true,
    startupMs: 1,
    subdomain: 'somebody' as string | null,
    /** How many accounts the login has. */
    accounts: 1,
    /** Cron triggers of other Workers. */
    otherCrons: 0,
    databases: new Map<string, Database>(),
    /** By jurisdiction and name, as in "eu/clips": their places. */
    buckets: new Map<string, string>(),
    /** The names of those with files. */
    full: new Set<string>(),
    /** The rules for the lifecycle of their files. */
    lifecycles: new Map<string, readonly unknown[]>(),
    zones: ['somebody.dev'],
    /** Host names with DNS records that are no Worker's. */
    records: new Set<string>(),
    domains: new Map<string, Domain>(),
    denied: new Set<string>(),
    hasDatabase: (uuid: string) => [...cloud.databases.values()].some((one) => one.uuid === uuid),
    hasBucket: (name: string, jurisdiction: string) => cloud.buckets.has(`${jurisdiction}/${name}`),
  };
  const workers = createWorkers(folder, servicePort, cloud);
  const asked: string[] = [];
  const faults = new Map<string, Fault[]>();

  const zoneOf = (hostname: string) => cloud.zones.find((zone) => hostname === zone || hostname.endsWith(`.${zone}`));
  const full = (domain: Domain) => ({ ...domain, zone_id: zoneOf(domain.hostname), environment: 'production' });

  async function query(id: string, sql: string): Promise<unknown> {
    if (!cloud.hasDatabase(id)) throw new ApiError(404, 7404, `The database ${id} could not be found`);
    const database = await workers.databaseOf(id);
    try {
      const results = await database.batch(splitOnServer(sql).map((one) => database.prepare(one)));
      return results.map(({ results: rows }) => ({ success: true, meta: { duration: 1 }, results: rows }));
    } catch (error) {
      throw new ApiError(400, 7500, String(error).replace(/^.*D1_ERROR: /, ''));
    }
  }

  function publish(service: string, asked: Record<string, unknown>): unknown {
    const origins = asked.origins as readonly { readonly hostname: string }[];
    for (const { hostname } of origins) {
      if (!zoneOf(hostname)) throw new ApiError(400, 1, `No zone of this account has the hostname ${hostname}.`);
      if (cloud.records.has(hostname) && asked.override_existing_dns_record !== true) {
        const message = `Hostname '${hostname}' already has externally managed DNS records (A, CNAME, etc).`;
        throw new ApiError(409, 100117, message);
      }
      const { service: owner = service } = cloud.domains.get(hostname) ?? {};
      if (owner !== service && asked.override_existing_origin !== true) {
        throw new ApiError(409, 1, `The hostname ${hostname} is the domain of another Worker.`);
      }
    }
    for (const { hostname, service: owner } of cloud.domains.values()) {
      if (owner === service) cloud.domains.delete(hostname);
    }
    for (const { hostname } of origins) {
      cloud.records.delete(hostname);
      cloud.domains.set(hostname, { id: `domain-${hostname}`, hostname, service });
    }
    return origins.map(({ hostname }) => full(cloud.domains.get(hostname) as Domain));
  }

  const formOf = (request: IncomingMessage) => {
    const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
    return new Response(request as unknown as ReadableStream, { headers }).formData();
  };

  async function script(
    method: string,
    name: string,
    path: string,
    query: Query,
    request: IncomingMessage,
    body: Body,
  ) {
    const form = () => formOf(request);
    const [, versionId] = /^\/versions\/(.+)$/.exec(path) ?? [];
    const shownVersion = (version: ReturnType<typeof workers.deployed>) => ({
      id: version.id,
      number: version.number,
      metadata: { created_on: version.created, has_preview: false, author_email: 'somebody@somebody.dev' },
      resources: { script: { etag: 'e' }, bindings: shownBindings(version) },
      startup_time_ms: cloud.startupMs,
    });
    const shownBindings = ({ bindings }: ReturnType<typeof workers.deployed>) =>
      bindings.map(({ text, ...rest }) => (rest.type === 'secret_text' ? rest : { ...rest, text }));
    if (method === 'PUT' && path === '') {
      if (cloud.subdomain === null && workers.list().length === 0) {
        throw new ApiError(400, 10063, 'You need a workers.dev subdomain in order to proceed.');
      }
      const { id } = await workers.put(name, await form());
      return { id: name, etag: 'e', deployment_id: id.replaceAll('-', ''), startup_time_ms: cloud.startupMs };
    }
    // Assets come before the Worker that they belong to.
    if (method === 'POST' && path === '/assets-upload-session') {
      return workers.beginAssets((await body()).manifest as Parameters<typeof workers.beginAssets>[0]);
    }
    const worker = workers.find(name);
    if (method === 'GET' && versionId) {
      const version = worker.versions.find(({ id }) => id === versionId);
      if (!version) throw new ApiError(404, 10023, 'workers.api.error.version_not_found');
      return shownVersion(version);
    }
    switch (`${method} ${path}`) {
      case 'POST /versions':
        return shownVersion(await workers.addVersion(name, await form()));
      case 'GET /versions':
        return { items: worker.versions.toReversed().slice(0, 10).map(shownVersion) };
      case 'GET /deployments':
        return { deployments: worker.deployments };
      case 'POST /deployments': {
        const { versions } = await body();
        return workers.deploy(name, versions as { version_id: string; percentage: number }[], query.has('force'));
      }
      case 'GET /secrets':
        return [...workers.secrets(name).keys()].map((secret) => ({ name: secret, type: 'secret_text' }));
      case 'PUT /secrets': {
        const { name: secret, text: value } = await body();
        return workers.putSecret(name, String(secret), String(value));
      }
      case 'GET /settings':
        return { bindings: shownBindings(workers.deployed(worker)) };
      case 'PATCH /script-settings':
        worker.settings = await body();
        return worker.settings;
      case 'GET /subdomain':
        return worker.subdomain;
      case 'POST /subdomain': {
        if (cloud.subdomain === null) throw NO_WORKER;
        const { enabled, previews_enabled } = await body();
        worker.subdomain = { enabled: enabled === true, previews_enabled: previews_enabled === true };
        return worker.subdomain;
      }
      case 'PUT /schedules': {
        const schedules = (await body()) as unknown as { cron: string }[];
        const limit = cloud.isPaid ? 250 : 5;
        if (cloud.otherCrons + schedules.length > limit) {
          throw new ApiError(400, 10072, `This account has reached the limit of ${limit} cron triggers per account.`);
        }
        worker.schedules = schedules;
        return { schedules };
      }
      case 'PUT /domains/records':
        return publish(name, await body());
      default:
        throw new ApiError(404, 7000, `No route for ${method} …/scripts/${name}${path}`);
    }
  }

  async function answer(request: IncomingMessage, method: string, path: string, query: Query): Promise<unknown> {
    const body: Body = async () => JSON.parse((await text(request)) || '{}');
    const [, permission] = PERMISSIONS.find(([pattern]) => pattern.test(path)) ?? [];
    if (permission && cloud.denied.has(permission)) throw new ApiError(403, 10000, 'Authentication error');
    const [, name, rest] = /^\/workers\/scripts\/([^/]+)(.*)$/.exec(path) ?? [];
    if (name) return script(method, name, rest ?? '', query, request, body);
    const [, databaseId, isQuery] = /^\/d1\/database\/([^/]+)(\/query)?$/.exec(path) ?? [];
    if (databaseId && isQuery) return runQuery(databaseId, String((await body()).sql));
    if (databaseId) return oneDatabase(method, databaseId);
    const jurisdiction = String(request.headers['cf-r2-jurisdiction'] ?? 'default');
    const [, bucket, lifecycle] = /^\/r2\/buckets\/([^/]+)(\/lifecycle)?$/.exec(path) ?? [];
    if (bucket) return oneBucket(method, `${jurisdiction}/${bucket}`, bucket, lifecycle === undefined ? null : body);
    const [, service] = /^\/workers\/services\/([^/]+)$/.exec(path) ?? [];
    if (service) {
      workers.find(service);
      if (method === 'DELETE') return workers.remove(service);
      return {
        default_environment: {
          environment: 'production',
          script: { tag: service, tags: null, last_deployed_from: 'wrangler' },
        },
      };
    }
    const [, record] = /^\/workers\/domains\/([^/]+)$/.exec(path) ?? [];
    if (record) return oneDomain(method, record);
    switch (`${method} ${path}`) {
      case 'GET /user':
        return { email: 'somebody@somebody.dev' };
      case 'GET /user/tokens/verify':
        return { id: 'token', status: 'active' };
      case 'GET /accounts':
        return accounts();
      case 'GET /memberships':
        return accounts().map((account) => ({ account }));
      case 'GET /storage/kv/namespaces':
        return [];
      case 'GET /d1/database': {
        const size = Number(query.get('per_page') ?? 100);
        const page = Number(query.get('page') ?? 1);
        return [...cloud.databases]
          .slice((page - 1) * size, page * size)
          .map(([one, rest]) => ({ name: one, ...rest }));
      }
      case 'POST /d1/database':
        return createDatabase(await body());
      case 'POST /r2/buckets':
        return createBucket(jurisdiction, await body());
      case 'POST /workers/assets/upload': {
        await workers.storeAssets(await formOf(request));
        return { jwt: request.headers.authorization?.replace('Bearer ', '') };
      }
      case 'GET /workers/scripts':
        return workers.list();
      case 'GET /workers/subdomain':
        if (cloud.subdomain === null) throw new ApiError(404, 10007, 'workers.api.error.subdomain_not_found');
        return { subdomain: cloud.subdomain };
      case 'GET /workers/domains':
        return [...cloud.domains.values()].filter((domain) => domain.service === query.get('service')).map(full);
      case 'GET /zones':
        return cloud.denied.has('Zone')
          ? []
          : cloud.zones.filter((zone) => zone === query.get('name')).map((zone) => ({ id: zone, name: zone }));
      default:
        if (/^\/zones\/[^/]+\/workers\/routes$/.test(path)) return [];
        throw new ApiError(404, 7000, `No route for ${method} ${path}`);
    }
  }
  const runQuery = query;
  const accounts = () => [ACCOUNT, 'b'.repeat(32)].slice(0, cloud.accounts).map((id) => ({ id, name: 'Somebody' }));

  function createDatabase({
    name,
    jurisdiction = null,
    primary_location_hint: hint = 'wnam',
  }: Record<string, unknown>) {
    if (cloud.databases.has(String(name))) throw new ApiError(400, 7502, `database with name '${name}' already exists`);
    if (jurisdiction !== null && !['eu', 'fedramp'].includes(String(jurisdiction))) {
      throw new ApiError(400, 7400, `jurisdiction: must be one of eu, fedramp`);
    }
    const region = jurisdiction === 'eu' ? 'WEUR' : String(hint).toUpperCase();
    const made = { uuid: crypto.randomUUID(), jurisdiction: jurisdiction as string | null, running_in_region: region };
    cloud.databases.set(String(name), made);
    return { name, ...made, created_in_region: region };
  }

  function oneDatabase(method: string, wanted: string) {
    const [name, found] = [...cloud.databases].find(([one, { uuid }]) => one === wanted || uuid === wanted) ?? [];
    if (!name) throw new ApiError(404, 7404, `The database ${wanted} could not be found`);
    if (method === 'DELETE') cloud.databases.delete(name);
    return { name, ...found };
  }

  function createBucket(jurisdiction: string, { name, locationHint = 'enam' }: Record<string, unknown>) {
    const key = `${jurisdiction}/${name}`;
    if (cloud.buckets.has(key))
      throw new ApiError(409, 10004, 'The bucket you tried to create already exists, and you own it.');
    cloud.buckets.set(key, jurisdiction === 'eu' ? 'WEUR' : String(locationHint).toUpperCase());
    return { name, location: cloud.buckets.get(key), jurisdiction };
  }

  /** `lifecycle`: the body of a request for its rules; null for a request for the bucket itself. */
  async function oneBucket(method: string, key: string, name: string, lifecycle: Body | null): Promise<unknown> {
    if (!cloud.buckets.has(key)) throw new ApiError(404, 10006, 'The specified bucket does not exist.');
    if (lifecycle !== null) {
      if (method === 'PUT') cloud.lifecycles.set(key, (await lifecycle()).rules as unknown[]);
      return { rules: cloud.lifecycles.get(key) ?? [] };
    }
    if (method === 'GET') return { name, creation_date: '2026-01-01', location: cloud.buckets.get(key) };
    if (method !== 'DELETE') throw new ApiError(404, 7000, `No route for ${method} …/buckets/${name}`);
    if (cloud.full.has(name) || (await workers.hasFiles(name))) {
      throw new ApiError(409, 10008, 'The bucket you tried to delete is not empty.');
    }
    cloud.buckets.delete(key);
    return {};
  }

  function oneDomain(method: string, id: string) {
    const found = [...cloud.domains.values()].find((domain) => domain.id === id);
    if (!found) throw new ApiError(404, 10007, 'workers.api.error.domain_not_found');
    if (method === 'DELETE') cloud.domains.delete(found.hostname);
    return full(found);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://api');
    const path = pathname.replace(/^\/client\/v4/, '').replace(`/accounts/${ACCOUNT}`, '');
    const line = `${request.method} ${path}`;
    asked.push(line);
    const fault = faults.get(line)?.shift();
    const thrown = (error: unknown) =>
      error instanceof ApiError ? error : new ApiError(500, 10013, `workers.api.error.unknown: ${error}`);
    const work = fault
      ? Promise.reject(new ApiError(fault.status, fault.code, fault.message, fault.retryAfter))
      : answer(request, request.method ?? 'GET', path, searchParams);
    const given = await work.then((result) => ({ result }), thrown);
    request.resume();
    const isWell = !(given instanceof ApiError);
    response.writeHead(isWell ? 200 : given.status, {
      'Content-Type': 'application/json',
      ...(!isWell && given.retryAfter !== undefined ? { 'Retry-After': String(given.retryAfter) } : {}),
    });
    const errors = isWell
      ? []
      : [
          {
            code: given.code,
            message: given.message,
            error_chain: [{ code: given.code, message: 'the cause, on a line of its own' }],
          },
        ];
    const result = isWell ? (given.result ?? null) : null;
    const paging = Array.isArray(result)
      ? { result_info: { page: 1, per_page: 20, count: result.length, total_count: result.length } }
      : {};
    response.end(JSON.stringify({ success: isWell, errors, messages: [], result, ...paging }));
  }

  const server = createServer(serve);
  const port = await listenOn(server);
  return {
    environment: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: 'a-token',
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      WRANGLER_SEND_METRICS: 'false',
    },
    asked,
    cloud,
    workers,
    /** Lets the next `times` requests of a line such as "POST /r2/buckets" fail. */
    fail: (line: string, fault: Partial<Fault> = {}, times = 1) => {
      const whole = { status: 400, code: 10013, message: 'told to fail', ...fault };
      faults.set(
        line,
        Array.from({ length: times }, () => whole),
      );
    },
    /** Sends a request to an address of a Worker, as a browser would: by its domain, or its name on workers.dev. */
    reach: async (url: string, headers: Record<string, string> = {}): Promise<Response> => {
      const { hostname } = new URL(url);
      const named = workers.list().find(({ id }) => hostname === `${id}.${cloud.subdomain}.workers.dev`)?.id;
      const isOn = named !== undefined && workers.find(named).subdomain.enabled;
      const name = cloud.domains.get(hostname)?.service ?? (isOn ? named : undefined);
      return name === undefined ? new Response('error code: 1042', { status: 404 }) : workers.fetch(name, url, headers);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await workers.stop();
    },
  };
}
