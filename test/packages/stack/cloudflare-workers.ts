import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Log, LogLevel, Miniflare, type WorkerOptions } from 'miniflare';
import { ApiError, NO_WORKER } from './cloudflare-answers.ts';

/** A binding as wrangler uploads it. */
interface Binding {
  readonly type: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

interface Step {
  readonly new_sqlite_classes?: readonly string[];
}

interface Upload {
  readonly main_module: string;
  readonly compatibility_date: string;
  readonly compatibility_flags?: readonly string[];
  readonly bindings: readonly Binding[];
  readonly keep_bindings?: readonly string[];
  readonly migrations?: { readonly old_tag?: string; readonly new_tag: string; readonly steps: readonly Step[] };
  readonly limits?: object;
  readonly assets?: { readonly jwt: string; readonly config: AssetConfig };
}

interface AssetConfig {
  readonly run_worker_first: boolean;
  readonly html_handling: 'none';
}

interface Version {
  readonly id: string;
  readonly number: number;
  readonly created: string;
  /** The last migration of objects at the time of its upload. */
  tag: string | null;
  readonly main: string;
  readonly upload: Upload;
  bindings: readonly Binding[];
}

type Shares = readonly { readonly version_id: string; readonly percentage: number }[];

interface Deployment {
  readonly id: string;
  readonly created_on: string;
  readonly versions: Shares;
}

/** One Worker of the account. */
interface Worker {
  readonly name: string;
  readonly versions: Version[];
  /** The latest first. */
  readonly deployments: Deployment[];
  readonly classes: Set<string>;
  migrationTag: string | null;
  settings: Record<string, unknown>;
  subdomain: { enabled: boolean; previews_enabled: boolean };
  schedules: { cron: string }[];
}

/** What of the account decides over an upload. */
interface Plan {
  readonly isPaid: boolean;
  readonly startupMs: number;
  readonly hasDatabase: (id: string) => boolean;
  readonly hasBucket: (name: string, jurisdiction: string) => boolean;
}

const SECRET = ['secret_text', 'secret_key'];

/**
 * Imitates Workers: versions, deployments, secrets, migrations of objects. The version with the largest share runs in
 * Miniflare with its bindings; the first Worker listens on a port. See the table in `cloudflare-api.ts`.
 */
export function createWorkers(folder: string, port: number, plan: Plan) {
  const workers = new Map<string, Worker>();
  const databases = new Set<string>();
  /** Static assets: their content by hash, and the hashes by path of each upload, by its token. */
  const contents = new Map<string, Buffer>();
  const manifests = new Map<string, Readonly<Record<string, { readonly hash: string }>>>();
  let miniflare: Miniflare | null = null;

  /** The folder of the assets that came with a token. */
  const assetFolder = (jwt: string) => join(folder, 'static', jwt.slice(jwt.indexOf('.') + 1, -4));

  async function writeAssets(jwt: string): Promise<void> {
    for (const [path, { hash }] of Object.entries(manifests.get(jwt) ?? {})) {
      const content = contents.get(hash);
      if (!content) throw new ApiError(400, 10021, `The asset ${path} was not uploaded.`);
      const file = join(assetFolder(jwt), path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  }

  const find = (name: string): Worker => {
    const worker = workers.get(name);
    if (!worker) throw NO_WORKER;
    return worker;
  };
  const deployed = (worker: Worker): Version => {
    const [{ versions }] = worker.deployments as [Deployment];
    const [most] = versions.toSorted((a, b) => b.percentage - a.percentage);
    return worker.versions.find(({ id }) => id === most?.version_id) as Version;
  };

  /** Runs all deployed Workers, and a bare one for the SQL of the API. */
  async function run(): Promise<Miniflare> {
    const bare: WorkerOptions = {
      name: 'sql',
      modules: true,
      script: 'export default {}',
      d1Databases: Object.fromEntries([...databases].map((id) => [id, id])),
    };
    const all = {
      log: new Log(LogLevel.ERROR),
      cf: false as const,
      // Each change of a job is a line, as deployed.
      handleRuntimeStdio: (out: Readable, err: Readable) => void [out.resume(), err.resume()],
      host: '127.0.0.1',
      port,
      d1Persist: join(folder, 'd1'),
      r2Persist: join(folder, 'r2'),
      durableObjectsPersist: join(folder, 'objects'),
      workers: [...[...workers.values()].map((worker) => optionsOf(worker, deployed(worker), assetFolder)), bare],
    };
    if (miniflare) await miniflare.setOptions(all);
    else miniflare = new Miniflare(all);
    await miniflare.ready;
    return miniflare;
  }

  /** Makes a version of an upload. Throws what the validator of the platform answers. */
  async function accept(worker: Worker, form: FormData, isNew: boolean): Promise<Version> {
    const upload: Upload = JSON.parse(String(form.get('metadata')));
    const file = form.get(upload.main_module);
    if (!(file instanceof Blob)) throw new ApiError(400, 10021, 'Uncaught Error: No such module');
    const main = await file.text();
    const { migrations, bindings } = upload;
    if (gzipSync(main).length > (plan.isPaid ? 10 : 3) * 2 ** 20)
      throw new ApiError(413, 10027, 'workers.api.error.script_too_large');
    if (plan.startupMs > 1000) throw new ApiError(400, 10021, 'Script startup exceeded CPU time limit.');
    if (upload.limits && !plan.isPaid) {
      throw new ApiError(
        400,
        100328,
        'CPU limits are not supported for the Free plan.\nSwitch to a paid plan to set CPU limits.',
      );
    }
    for (const { type, name, id, bucket_name, jurisdiction, class_name } of bindings) {
      const classes = [
        ...worker.classes,
        ...(migrations?.steps ?? []).flatMap((step) => step.new_sqlite_classes ?? []),
      ];
      if (type === 'd1' && !plan.hasDatabase(String(id))) throw invalid(name, 'd1 must have a valid `id` specified');
      if (type === 'r2_bucket' && !plan.hasBucket(String(bucket_name), String(jurisdiction ?? 'default'))) {
        throw new ApiError(
          400,
          10085,
          `R2 bucket '${bucket_name}' not found. Please use a different name and try again.`,
        );
      }
      if (type === 'durable_object_namespace' && !classes.includes(String(class_name))) {
        throw invalid(name, `durable_object_namespace names ${class_name}, which no migration made`);
      }
    }
    if (migrations) {
      if (!isNew && worker.migrationTag !== (migrations.old_tag ?? null)) {
        throw new ApiError(412, 10079, `Migration tag precondition failed; current tag is ${worker.migrationTag}`);
      }
      for (const added of migrations.steps.flatMap((step) => step.new_sqlite_classes ?? [])) {
        if (worker.classes.has(added)) {
          throw new ApiError(
            400,
            10074,
            `Cannot apply new-sqlite-class migration to class '${added}' that is already depended on`,
          );
        }
        worker.classes.add(added);
      }
      worker.migrationTag = migrations.new_tag;
    }
    if (upload.assets) await writeAssets(upload.assets.jwt);
    const [before] = worker.deployments.length > 0 ? [worker.versions.at(-1)] : [];
    const kept = (before?.bindings ?? []).filter(
      ({ type, name }) => (upload.keep_bindings ?? SECRET).includes(type) && bindings.every((one) => one.name !== name),
    );
    return addVersion(worker, main, upload, [...kept, ...bindings]);
  }

  function addVersion(worker: Worker, main: string, upload: Upload, bindings: readonly Binding[]): Version {
    const number = worker.versions.length + 1;
    const created = new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString();
    const version = { id: crypto.randomUUID(), number, created, tag: worker.migrationTag, main, upload, bindings };
    worker.versions.push(version);
    return version;
  }

  async function release(worker: Worker, versions: Shares): Promise<Deployment> {
    const at = new Date(Date.UTC(2026, 0, 1, 1, 0, worker.deployments.length)).toISOString();
    const deployment = { id: crypto.randomUUID(), created_on: at, versions };
    worker.deployments.unshift(deployment);
    await run();
    return deployment;
  }

  return {
    workers,
    find,
    deployed,
    list: () =>
      [...workers.values()].map(({ name, migrationTag }) => ({
        id: name,
        ...(migrationTag ? { migration_tag: migrationTag } : {}),
      })),

    /** `PUT`: makes the Worker if it is missing, and deploys at once. */
    async put(name: string, form: FormData): Promise<Version> {
      const isNew = !workers.has(name);
      const worker = workers.get(name) ?? {
        name,
        versions: [],
        deployments: [],
        classes: new Set(),
        migrationTag: null,
        settings: {},
        subdomain: { enabled: false, previews_enabled: false },
        schedules: [],
      };
      const version = await accept(worker, form, isNew);
      workers.set(name, worker);
      await release(worker, [{ version_id: version.id, percentage: 100 }]);
      return version;
    },

    /** Begins an upload of static assets. Returns its token, and the hashes of content that is not stored. */
    beginAssets(manifest: Readonly<Record<string, { readonly hash: string }>>) {
      const jwt = `e30.${btoa(JSON.stringify({ session: crypto.randomUUID() })).replaceAll('=', '')}.e30`;
      manifests.set(jwt, manifest);
      const wanted = Object.values(manifest).flatMap(({ hash }) => (contents.has(hash) ? [] : hash));
      return { jwt, buckets: wanted.length > 0 ? [wanted] : [] };
    },

    /** Stores content, which comes as base64 by its hashes. */
    async storeAssets(form: FormData): Promise<void> {
      for (const [hash, content] of form) {
        contents.set(hash, Buffer.from(content instanceof Blob ? await content.text() : content, 'base64'));
      }
    },

    async addVersion(name: string, form: FormData): Promise<Version> {
      const worker = find(name);
      if (JSON.parse(String(form.get('metadata'))).migrations) {
        throw new ApiError(
          400,
          10211,
          'Version upload failed. You attempted to upload a version of a Worker that includes a Durable Object migration, but migrations must be fully applied via a non-versioned deployment.',
        );
      }
      return accept(worker, form, false);
    },

    async deploy(name: string, versions: Shares, isForced: boolean): Promise<Deployment> {
      const worker = find(name);
      const secretsOf = (version: Version) => version.bindings.filter(({ type }) => SECRET.includes(type));
      for (const { version_id } of versions) {
        const version = worker.versions.find(({ id }) => id === version_id);
        if (!version) throw new ApiError(404, 10023, 'workers.api.error.version_not_found');
        if (version.tag !== worker.migrationTag) {
          throw new ApiError(
            400,
            1,
            `The version was uploaded before the migration ${worker.migrationTag} of Durable Objects.`,
          );
        }
        const now = secretsOf(deployed(worker));
        const changed = secretsOf(version).filter((one) =>
          now.some(({ name: other, text }) => other === one.name && text !== one.text),
        );
        const isOlder = version.number < deployed(worker).number;
        if (isOlder && changed.length > 0 && !isForced) {
          const names = changed.map((one) => one.name).join(', ');
          throw new ApiError(400, 10220, `Deployment failed. The following secrets have changed: ${names}`);
        }
      }
      return release(worker, versions);
    },

    /** `PUT …/secrets`: a new version, deployed at once. */
    async putSecret(name: string, secret: string, text: string): Promise<void> {
      const worker = find(name);
      const latest = worker.versions.at(-1) as Version;
      if (latest !== deployed(worker))
        throw new ApiError(400, 10215, 'Secret edit failed. The latest version of the Worker is not deployed.');
      const others = latest.bindings.filter((binding) => binding.name !== secret);
      const { id } = addVersion(worker, latest.main, latest.upload, [
        ...others,
        { type: 'secret_text', name: secret, text },
      ]);
      await release(worker, [{ version_id: id, percentage: 100 }]);
    },

    /** The secrets of the deployed version by name. */
    secrets: (name: string): ReadonlyMap<string, string> =>
      new Map(
        deployed(find(name)).bindings.flatMap((one) =>
          SECRET.includes(one.type) ? [[one.name, String(one.text)] as const] : [],
        ),
      ),

    async remove(name: string): Promise<void> {
      find(name);
      workers.delete(name);
      await run();
    },

    /** Whether a bucket has files. */
    hasFiles: (bucket: string) =>
      readdir(join(folder, 'r2', bucket, 'blobs')).then(
        (all) => all.length > 0,
        () => false,
      ),
    /** Deletes the files of a bucket, as a rule for its lifecycle does after days. */
    expireFiles: (bucket: string) => rm(join(folder, 'r2', bucket), { recursive: true, force: true }),

    async databaseOf(id: string) {
      if (!databases.has(id)) {
        databases.add(id);
        await run();
      }
      return (miniflare as Miniflare).getD1Database(id, 'sql');
    },

    /** Sends a request to a deployed Worker. */
    async fetch(name: string, url: string, headers: Record<string, string>): Promise<Response> {
      const worker = await (miniflare as Miniflare).getWorker(name);
      return (await worker.fetch(url, { headers })) as unknown as Response;
    },
    stop: async () => miniflare?.dispose(),
  };
}

const invalid = (name: string, why: string) => new ApiError(400, 10021, `binding ${name} of type ${why}`);

/** Returns a version as Miniflare takes it. Throws for a kind of binding that this stand-in lacks. */
function optionsOf(
  worker: Worker,
  { main, upload, bindings }: Version,
  assetFolder: (jwt: string) => string,
): WorkerOptions {
  const of = (type: string) => bindings.filter((binding) => binding.type === type);
  const record = <T>(type: string, value: (binding: Binding) => T) =>
    Object.fromEntries(of(type).map((binding) => [binding.name, value(binding)]));
  const known = ['plain_text', 'secret_text', 'd1', 'r2_bucket', 'durable_object_namespace', 'ratelimit', 'assets'];
  const other = bindings.find(({ type }) => !known.includes(type));
  if (other) throw new Error(`a binding of the kind ${other.type} was uploaded`);
  const binding = of('assets')[0]?.name;
  const { assets } = upload;
  return {
    name: worker.name,
    ...(assets &&
      binding !== undefined && {
        assets: {
          directory: assetFolder(assets.jwt),
          binding,
          assetConfig: { html_handling: assets.config.html_handling },
          routerConfig: { invoke_user_worker_ahead_of_assets: assets.config.run_worker_first, has_user_worker: true },
        },
      }),
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: main }],
    compatibilityDate: upload.compatibility_date,
    compatibilityFlags: [...(upload.compatibility_flags ?? [])],
    bindings: {
      ...record('plain_text', ({ text }) => String(text)),
      ...record('secret_text', ({ text }) => String(text)),
    },
    d1Databases: record('d1', ({ id }) => String(id)),
    r2Buckets: record('r2_bucket', ({ bucket_name: name }) => String(name)),
    ratelimits: record('ratelimit', ({ namespace_id: id, simple }) => ({
      namespace_id: String(id),
      simple: simple as { limit: number; period: 10 | 60 },
    })),
    durableObjects: record('durable_object_namespace', ({ class_name: className }) => ({
      className: String(className),
      useSQLite: worker.classes.has(String(className)),
    })),
  };
}
