import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { unstable_readConfig as readConfig } from 'wrangler';
import * as z from 'zod';
import { loadSettings } from '#platform/settings.ts';
import { VARIABLES } from '#protocol/operate/variables.ts';
import { migrationFiles, statementsOf } from '#stack/migrate.ts';
import { RUNTIME, STATIC_FOLDER } from '#stack/service.ts';

const config = z
  .object({
    workers_dev: z.boolean(),
    preview_urls: z.boolean(),
    vars: z.looseObject({ BASE_URL: z.url() }),
    compatibility_date: z.string(),
    compatibility_flags: z.array(z.string()),
    d1_databases: z.array(z.object({ binding: z.string(), database_name: z.string() })),
    r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })),
    assets: z.object({
      directory: z.string(),
      binding: z.string(),
      run_worker_first: z.literal(true),
      html_handling: z.literal('none'),
    }),
    minify: z.literal(true),
    upload_source_maps: z.literal(true),
    durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
    observability: z.object({
      logs: z.object({ enabled: z.boolean(), invocation_logs: z.boolean(), head_sampling_rate: z.number() }),
    }),
    limits: z.object({ cpu_ms: z.number() }),
    ratelimits: z.array(
      z.object({
        name: z.string(),
        namespace_id: z.string(),
        simple: z.object({ limit: z.number(), period: z.number() }),
      }),
    ),
    migrations: z.array(z.object({ new_sqlite_classes: z.array(z.string()).default([]) })),
  })
  .parse(readConfig({ config: 'wrangler.toml' }));

describe('the local stack and wrangler.toml agree', () => {
  it('on the runtime, but for the flag that keeps demos and webhooks off loopback', () => {
    expect(RUNTIME.compatibilityDate).toBe(config.compatibility_date);
    expect(RUNTIME.compatibilityFlags).toEqual(
      config.compatibility_flags.filter((flag) => flag !== 'global_fetch_strictly_public'),
    );
    expect(config.compatibility_flags).toContain('global_fetch_strictly_public');
  });

  it('on the bindings', () => {
    const databases = config.d1_databases.map(({ binding, database_name }) => [binding, database_name]);
    expect(RUNTIME.d1Databases).toEqual(Object.fromEntries(databases));
    const buckets = config.r2_buckets.map(({ binding, bucket_name }) => [binding, bucket_name]);
    expect(RUNTIME.r2Buckets).toEqual(Object.fromEntries(buckets));
    const { directory, binding, run_worker_first: isWorkerFirst } = config.assets;
    expect([directory, Object.keys(RUNTIME.serviceBindings), isWorkerFirst]).toEqual([STATIC_FOLDER, [binding], true]);
    const stored = config.migrations.flatMap(({ new_sqlite_classes: classes }) => classes);
    const objects = config.durable_objects.bindings.map(({ name, class_name: className }) => [
      name,
      { className, useSQLite: stored.includes(className) },
    ]);
    expect(RUNTIME.durableObjects).toEqual(Object.fromEntries(objects));
  });
});

describe('the bill', () => {
  it('has no line for each invocation, all of our own, and an end to what one may compute', () => {
    expect(config.observability.logs).toEqual({ enabled: true, invocation_logs: false, head_sampling_rate: 1 });
    expect(config.limits.cpu_ms).toBeLessThanOrEqual(30_000);
  });
});

it('the Worker has no name on workers.dev beside a domain of its own', () => {
  const isItsOnlyName = new URL(config.vars.BASE_URL).hostname.endsWith('.workers.dev');
  expect([config.workers_dev, config.preview_urls]).toEqual([isItsOnlyName, false]);
});

it("the platform's rate limits let through as much as an isolate does", () => {
  const bound = Object.fromEntries(config.ratelimits.map(({ name, ...limit }) => [name, limit]));
  expect(RUNTIME.ratelimits).toEqual(bound);
  const { limits } = loadSettings({ ...config.vars, CLIP_ID_SECRET: 'x'.repeat(32) });
  expect(bound.SUBMIT_RATE?.simple).toEqual({ limit: limits.submits, period: 60 });
  expect(bound.GUESS_RATE?.simple).toEqual({ limit: limits.key_guesses, period: 60 });
});

it('docs/deploy.md has each variable', () => {
  const table = readFileSync('docs/deploy.md', 'utf8');
  const named = VARIABLES.filter((name) => !name.startsWith('LIMIT_') && name !== 'LEASE_S');
  expect(named.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});

const files = await migrationFiles();
const withTriggers = files.filter(({ text }) => /\btrigger\b/i.test(text));

/** D1 splits a file on its server, and breaks triggers of several lines, lower-case `begin`, and CRLF. */
describe('a migration', () => {
  it('with triggers has one on each line and nothing else', () => {
    expect(withTriggers.map(({ name }) => name)).toContain('0001_triggers.sql');
    for (const { text } of withTriggers) {
      for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^CREATE TRIGGER `\w+` .* BEGIN .*; END;$/);
    }
  });

  it('ends its lines with LF on every machine', () => {
    expect(readFileSync('.gitattributes', 'utf8').split('\n')).toContain('*.sql text eol=lf');
    expect(files.filter(({ text }) => text.includes('\r'))).toEqual([]);
  });

  it('is split into its statements', () => {
    const database = new DatabaseSync(':memory:');
    for (const statement of files.flatMap(({ text }) => statementsOf(text))) database.prepare(statement).run();
    const names = (sql: string) => database.prepare(`SELECT name FROM sqlite_schema WHERE ${sql}`).all();
    expect(names("type = 'trigger'")).toHaveLength(withTriggers.flatMap(({ text }) => statementsOf(text)).length);
    const rowless = names("type = 'table' AND sql LIKE '%) WITHOUT ROWID'");
    const frequent = ['budgets', 'clip_views', 'clips', 'day_counts', 'host_failures', 'jobs', 'usage', 'usage_days'];
    expect(rowless.map(({ name }) => name).sort()).toEqual(frequent);
  });
});
