import { existsSync, statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { defineConfig } from 'vitest/config';
import { SERVICE_BUNDLE, serviceBundle } from '#test/support/service-bundle.ts';

// Tests start some hundred Node processes of ours, which share a cache of compiled code.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compile');
// A start of a distribution's ffmpeg takes 0.07 s of a processor to load its libraries; one of npm's takes none. The
// tests of the encoder and of sound use the machine's.
process.env.FFMPEG_PATH ??= ffmpeg.path;
// Databases and objects sync each commit: in memory that takes no time, on a slow disk half of a run.
const MEMORY = '/dev/shm';
if (existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > 4 * 2 ** 30) process.env.TMPDIR ??= MEMORY;
}
// `npm test` uses fixed seeds, so that a result depends on the change alone; long runs use random ones.
const isLong = ['MODEL_RUNS', 'OBJECT_RUNS', 'RELIABILITY', 'RECORDER_TAKES'].some((name) => name in process.env);
process.env.MODEL_SEED ??= String(isLong ? Date.now() % 2 ** 31 : 20_260_731);
// The default timeout of a poll is a second, which a busy machine may spend elsewhere.
const patient = { poll: { timeout: 30_000 } };
// Node runs our files without a transformation, as outside of tests.
const native = { experimental: { viteModuleRunner: false } };
const migrations = await readD1Migrations('migrations');

/** Tests of the render host that encode video, start the game's stand-in, or try hundreds of archives and demos. */
const VIDEO = [
  'test/packages/render-host/{capture,doctor,encode,error-codes,overlays,pipeline,sound,thumbnail}/**/*.test.ts',
  'test/packages/render-host/{decompress,machine}/**/*.test.ts',
  'test/packages/render-host/match/hostile-demos.test.ts',
  'test/packages/render-host/process.test.ts',
  'test/packages/scene/{camera,map,overlays,paint}/**/*.test.ts',
  'test/packages/scene/*.test.ts',
  'test/packages/demo-format/**/*.test.ts',
];
/** Tests of the service that kill objects, fail the platform's calls, or repeat one rule many times. */
const SOAKS = [
  'test/durable-objects/{objects.model,push-host,reliability}.test.ts',
  'test/src/{erasure,fallback,fault-injection,game-update,lying-host,part-memory,recovery,rules.model,rule-lives.model,sweeps,viewers}.test.ts',
];

const bundle = serviceBundle();
const workers = (name: string, isolate: boolean, include: string[], exclude: string[] = []) => ({
  // Vite warns of the source maps inside of packages.
  logLevel: 'error' as const,
  plugins: [
    bundle,
    cloudflareTest({
      main: './src/worker.ts',
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        modulesRules: [{ type: 'ESModule', include: [`**/${SERVICE_BUNDLE}`] }],
        bindings: {
          ENVIRONMENT: 'local',
          LOG_LEVEL: 'error',
          BASE_URL: 'https://tickreel.test',
          ACCEPTED_DEMO_DOMAINS: 'demos.example.com 127.0.0.1',
          ADMIN_TOKEN: 'an-admin-token-for-tests-of-32-chars',
          // Hosts of tests are radars by default.
          RENDERER: 'radar',
          METRICS_TOKEN: 'a-token-for-scraping',
          // Tests of a file sometimes share a host's token, and keep jobs that they do not need.
          HOST_SLOTS: '1000',
          WEBHOOK_SECRET_DAYS: '30',
          REQUEST_TTL_DAYS: '90',
          CLIP_ID_SECRET: 'a-secret-for-clip-ids-of-32-chars-or-more',
          TEST_MIGRATIONS: migrations,
          // Runs of the model of a job on real objects: `soak/cli.ts model` sets more.
          MODEL_RUNS: process.env.OBJECT_RUNS ?? '4',
          // Jobs with a fallback, and as many without, in the night of an update: `soak/cli.ts update` sets more.
          UPDATE_JOBS: process.env.UPDATE_JOBS ?? '8',
          // The extent of `test/durable-objects/reliability.test.ts`: `soak/cli.ts service` sets all of it.
          RELIABILITY: process.env.RELIABILITY ?? 'short',
          MODEL_SEED: process.env.MODEL_SEED,
          // Makes `test/durable-objects/render-job.test.ts` write what this version stores.
          FREEZE: process.env.FREEZE ?? '',
        },
      },
    }),
  ],
  test: {
    name,
    isolate,
    include,
    exclude,
    globalSetup: ['test/support/webhook-receiver.ts'],
    setupFiles: ['test/support/workers-setup.ts', 'test/support/clock.ts'],
    // An intercepted log of an object, at the very end of a file, hangs the run (cloudflare/workers-sdk issue 15719).
    disableConsoleIntercept: true,
    // They wait for objects and not for a clock, so a busy machine only takes longer.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: patient,
  },
});

const host = (name: string, include: string[], exclude: string[] = []) => ({
  test: {
    ...native,
    name,
    include,
    exclude,
    isolate: false,
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

/** They wait for processes and not for each other. */
const stack = {
  ...native,
  isolate: false,
  setupFiles: ['test/support/new-connections.ts'],
  testTimeout: 400_000,
  hookTimeout: 400_000,
  expect: patient,
};

/** `npm test` runs `pure`, `workers` and `host` without long tests. `npm run test:all` runs everything. */
export default defineConfig({
  test: {
    tags: [{ name: 'long', description: 'Over half a second, and not the first test of what it is about.' }],
    // More than cores, because half of the tests wait for processes of their own, or for a clock. Four take longer.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...native,
          name: 'pure',
          setupFiles: ['test/support/seed.ts'],
          // Files share their imports; none changes them.
          isolate: false,
          include: ['test/*.test.ts', 'test/{core,model,replay,tools,packages/client}/**/*.test.ts'],
          // They wait for nothing, so a busy machine only takes longer.
          testTimeout: 30_000,
        },
      },
      // A start of the runtime takes 2.5 s of a processor: files share one, and each begins with an empty service.
      workers('workers', false, ['test/{durable-objects,src}/**/*.test.ts'], SOAKS),
      workers('soaks', true, SOAKS),
      host('host', ['test/packages/{demo-format,relay,render-host,scene,tracks}/**/*.test.ts'], VIDEO),
      host('video', VIDEO),
      { test: { ...stack, name: 'stack', include: ['test/{packages/stack,clients}/**/*.test.ts'] } },
      {
        test: {
          ...stack,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/support/setup.ts'],
        },
      },
      {
        test: {
          ...stack,
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          globalSetup: ['test/conformance/support/setup.ts'],
          maxConcurrency: 20,
        },
      },
    ],
  },
});
