import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { Log, LogLevel, Miniflare, type Request, Response } from 'miniflare';
import type { Renderer } from '#domain/host/need.ts';
import { reasonOf } from '#domain/lib/text.ts';
import type { LimitVariable } from '#domain/operate/limits.ts';
import type { BackupState, DiskState } from '#protocol/operate/controls.ts';
import { readVariables } from '#protocol/operate/variables.ts';
import type { Secrets } from './credentials.ts';
import { createFront } from './front.ts';
import { LOOPBACK, listenOn, urlOf } from './listen.ts';
import { migrate, PROJECT_ROOT } from './migrate.ts';
import { withoutItsSignalHandlers } from './processes.ts';
import { passOn } from './runtime-log.ts';

let bundled: Promise<string> | undefined;

/** Returns the Worker as one ES module. Built from its source once in each process, so no build is stale. */
export function bundleWorker(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${PROJECT_ROOT}src/worker.ts`],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    write: false,
    logLevel: 'warning',
  });
  const [module] = outputFiles;
  if (!module) throw new Error('esbuild wrote no output');
  return module.text;
}

export interface LocalServiceOptions {
  /** A free one (`freePort`); `startStack` takes 0 as well, for any. */
  readonly port: number;
  /** The address to listen on; default loopback. */
  readonly listen?: string | undefined;
  /** See `FrontOptions`; default loopback. */
  readonly proxies?: string | undefined;
  /** The folder of all state. */
  readonly dataDir: string;
  /** See `upgradeDataFolder`. */
  readonly fenceFloor: number;
  /** Multiplies retry and webhook waits. */
  readonly timeScale: number;
  /** The renderer of clips whose request names none. The default is `radar`, like the hosts of a stack. */
  readonly renderer?: Renderer | undefined;
  /** Seconds without a heartbeat after which a job is taken back; default: as deployed. */
  readonly leaseSeconds?: number | undefined;
  readonly secrets: Secrets;
  /**
   * Variables of wrangler.toml to set or replace. With `ENVIRONMENT: "production"` these are all, as deployed, and the
   * service calls no private addresses, not even by a public name.
   */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Returns the state of regular backups; null if there are none. */
  readonly backups?: () => BackupState | null;
  /** Called for each runtime once it is a child of this process, before it gets its code. */
  readonly onRuntime: () => void;
}

export interface LocalService {
  readonly baseUrl: string;
  /** Every process of this machine can reach the runtime's own port. */
  readonly runtime: Pick<Miniflare, 'ready'>;
  /** Resolves when the runtime has ended, for any reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** The folder of static files, as in wrangler.toml. */
export const STATIC_FOLDER = 'src/static';

/**
 * Answers the Worker's reads of static files. With its own static assets, Miniflare would put two more Workers before
 * every request, which halves the answers a second (miniflare 4.20260730.0, `rpc-proxy` and `router`).
 */
async function serveStatic(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const content = await readFile(join(PROJECT_ROOT, STATIC_FOLDER, pathname)).catch(() => null);
  if (content === null) return new Response(null, { status: 404 });
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
  const isKnown = request.headers.get('If-None-Match')?.includes(etag);
  return new Response(isKnown ? null : content, { status: isKnown ? 304 : 200, headers: { ETag: etag } });
}

/** The settings of wrangler.toml, without the flag that keeps demos and webhooks off loopback. */
export const RUNTIME = {
  compatibilityDate: '2026-07-01',
  compatibilityFlags: ['enable_request_signal'],
  d1Databases: { DB: 'tickreel' },
  r2Buckets: { CLIPS: 'tickreel-clips', ASSETS: 'tickreel-assets' },
  serviceBindings: { STATIC: serveStatic },
  ratelimits: {
    SUBMIT_RATE: { namespace_id: '1001', simple: { limit: 3000, period: 60 as const } },
    GUESS_RATE: { namespace_id: '1002', simple: { limit: 100, period: 60 as const } },
  },
  durableObjects: {
    RENDER_JOB: { className: 'RenderJob', useSQLite: true },
    DISPATCHER: { className: 'Dispatcher', useSQLite: true },
    PUSH_HOST: { className: 'PushHost', useSQLite: true },
    PURGE_QUEUE: { className: 'PurgeQueue', useSQLite: true },
  },
};

const NO_LIMIT = String(10 ** 9);
/** Limits of demos on one machine: the disk limits what is stored and sent. */
const DEMO_LIMITS = {
  LIMIT_INGEST_MB: '2148',
  LIMIT_INGEST_MIB_DAY: NO_LIMIT,
  LIMIT_INGEST_DEMOS_DAY: NO_LIMIT,
  LIMIT_DEMO_MIB: NO_LIMIT,
} satisfies Partial<Record<LimitVariable, string>>;

/** Returns the platform's rate limits, which equal those that an isolate counts. */
function ratesOf(variables: Readonly<Record<string, string>>): typeof RUNTIME.ratelimits {
  const { SUBMIT_RATE, GUESS_RATE } = RUNTIME.ratelimits;
  const { LIMIT_SUBMITS, LIMIT_KEY_GUESSES } = readVariables(variables).values;
  const rate = (of: typeof SUBMIT_RATE, limit: number) => ({ ...of, simple: { ...of.simple, limit } });
  return { SUBMIT_RATE: rate(SUBMIT_RATE, LIMIT_SUBMITS), GUESS_RATE: rate(GUESS_RATE, LIMIT_KEY_GUESSES) };
}

/** The network of a deployment. The runtime checks the address of a name when it connects. */
export const STRICT = {
  compatibilityFlags: [...RUNTIME.compatibilityFlags, 'global_fetch_strictly_public'],
  outboundService: { network: { allow: ['public'], tlsOptions: { trustBrowserCas: true } } },
};
/** The network for addresses that the operator has set, including private ones. */
export const OPERATOR = { network: { allow: ['public', 'private'], tlsOptions: { trustBrowserCas: true } } };
const CRON_MS = 60_000;
/**
 * The system assigns only higher or lower ports by itself, so a free port from here on is still free when it is used.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const PORT_TRIES = 10;
const PORT_WAIT_MS = 50;

/**
 * Runs the whole service in workerd on this machine, with its state on disk. Clients reach only the front, which opens
 * after the database is migrated. The front calls the Worker through a Unix socket in a folder that only this user can
 * enter. Only our own calls use the development server of the runtime, on a port of loopback.
 */
export async function startService(options: LocalServiceOptions): Promise<LocalService> {
  const { port, listen = LOOPBACK, proxies = `${LOOPBACK}/8 ::1`, variables = {} } = options;
  const isLocal = variables.ENVIRONMENT !== 'production';
  const ended = Promise.withResolvers<void>();
  const baseUrl = urlOf(listen, port);
  const persist = (kind: string) => join(options.dataDir, kind);
  const bundle = await bundleWorker();
  const socketDir = await mkdtemp(join(tmpdir(), 'tickreel-runtime-'));
  const front = createFront({
    runtime: `${socketDir}/worker:0`,
    baseUrl: variables.BASE_URL ?? baseUrl,
    addressHeader: variables.CLIENT_ADDRESS_HEADER ?? null,
    proxies,
  });
  const miniflare = withoutItsSignalHandlers(
    () =>
      new Miniflare({
        host: LOOPBACK,
        port: 0,
        // Miniflare appends the port to the host.
        unsafeDirectSockets: [{ host: `unix:${socketDir}/worker`, port: 0 }],
        log: new Log(LogLevel.WARN),
        // Otherwise Miniflare fetches it from the network.
        cf: false,
        // Called synchronously when the runtime is spawned. A runtime without its configuration ends by itself.
        handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
          options.onRuntime();
          stdout.once('close', ended.resolve);
          passOn(stdout);
          passOn(stderr);
        },
        modules: [{ type: 'ESModule', path: 'worker.mjs', contents: bundle }],
        ...RUNTIME,
        ratelimits: ratesOf(variables),
        ...(isLocal ? {} : STRICT),
        bindings: {
          ...(isLocal ? localVariables(baseUrl, options) : {}),
          ADMIN_TOKEN: options.secrets.admin_token,
          CLIP_ID_SECRET: options.secrets.clip_id_secret,
          FENCE_FLOOR: String(options.fenceFloor),
          RENDERER: options.renderer ?? 'radar',
          ...DEMO_LIMITS,
          ...variables,
        },
        serviceBindings: {
          ...RUNTIME.serviceBindings,
          OPERATOR,
          DISK: async () => {
            const { bavail, bsize } = await statfs(options.dataDir);
            return Response.json({
              freeBytes: bavail * bsize,
              backups: options.backups?.() ?? null,
            } satisfies DiskState);
          },
        },
        d1Persist: persist('d1'),
        r2Persist: persist('r2'),
        durableObjectsPersist: persist('objects'),
      }),
  );
  const stop = async () => {
    front.close();
    await miniflare.dispose();
    front.closeAllConnections();
    await rm(socketDir, { recursive: true, force: true });
  };
  try {
    await miniflare.ready;
    await migrate(await miniflare.getD1Database('DB'));
  } catch (error) {
    // Not awaited, because a runtime that did not start may never end.
    void stop().catch(() => {});
    throw error;
  }
  try {
    await listenOn(front, port, listen);
  } catch (error) {
    await stop();
    // Another process may take the port after it was found free.
    throw isInUse(error) ? new PortInUse(port) : error;
  }
  const worker = await miniflare.getWorker();
  // In a deployment the platform runs the cron.
  const stopping = new AbortController();
  let isRunning = false;
  const cron = setInterval(async () => {
    if (isRunning) return;
    isRunning = true;
    await runCron(worker, stopping.signal);
    isRunning = false;
  }, CRON_MS);
  return {
    baseUrl,
    runtime: miniflare,
    ended: ended.promise,
    stop: () => {
      clearInterval(cron);
      stopping.abort();
      return stop();
    },
  };
}

/** Runs the cron once. Writes a failure to standard error, unless the service is stopping. Never rejects. */
export async function runCron(
  worker: Awaited<ReturnType<Miniflare['getWorker']>>,
  stopping: AbortSignal,
): Promise<void> {
  // Miniflare throws synchronously after it was disposed.
  const run = async () => (await worker.scheduled({})).outcome;
  const outcome = await run().catch(reasonOf);
  if (outcome !== 'ok' && !stopping.aborted) process.stderr.write(`the cron failed: ${outcome}\n`);
}

function localVariables(baseUrl: string, { timeScale, leaseSeconds }: LocalServiceOptions): Record<string, string> {
  return {
    BASE_URL: baseUrl,
    ENVIRONMENT: 'local',
    LOG_LEVEL: 'error',
    ACCEPTED_DEMO_DOMAINS: '*',
    TIME_SCALE: String(timeScale),
    ...(leaseSeconds === undefined ? {} : { LEASE_S: String(leaseSeconds) }),
    LANDING_CLIP_ID: 'latest',
  };
}

/**
 * Returns the port to start on, for 0 a free one, because the service has to know its own address before it starts.
 * Throws an Error if it is taken, which the runtime would report by a stack trace.
 */
export async function freePort(wanted: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    const server = createServer();
    try {
      const port = await listenOn(server, wanted || FIRST_PORT + Math.floor(Math.random() * PORTS));
      await new Promise((resolve) => server.close(resolve));
      return port;
    } catch (error) {
      if (!isInUse(error)) throw error;
      // The sockets of a killed runtime close a moment after it.
      if (tries > PORT_TRIES) throw new PortInUse(wanted);
      await delay(PORT_WAIT_MS);
    }
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

export class PortInUse extends Error {
  constructor(port: number) {
    super(`port ${port} is in use. Stop what listens there, or choose another with --port.`);
  }
}

/** Writes the files of both buckets of a data folder that no stack uses to `BUCKET/KEY`, to upload them elsewhere. */
export async function exportFiles(dataDir: string, to: string): Promise<void> {
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: 'export default {}' }],
    compatibilityDate: RUNTIME.compatibilityDate,
    cf: false,
    r2Buckets: RUNTIME.r2Buckets,
    r2Persist: join(dataDir, 'r2'),
  });
  try {
    for (const [binding, name] of Object.entries(RUNTIME.r2Buckets)) {
      const bucket = await miniflare.getR2Bucket(binding);
      for (let cursor: string | undefined, isMore = true; isMore; ) {
        const page = await bucket.list(cursor === undefined ? {} : { cursor });
        for (const { key } of page.objects) {
          const path = join(to, name, key);
          const file = await bucket.get(key);
          if (file === null) continue;
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          await pipeline(Readable.fromWeb(file.body as never), createWriteStream(path));
        }
        isMore = page.truncated;
        cursor = page.truncated ? page.cursor : undefined;
      }
    }
  } finally {
    await miniflare.dispose();
  }
}
