/** How a short form of a command runs, for commands that a document or a `--help` names. */
export interface Command {
  /** Tests that run it, or the functions that it calls, in a short form: files, or folders of files. */
  readonly tests?: readonly string[];
  /** Arguments of short forms that `npm run test:commands` runs, one after the other. */
  readonly short?: readonly string[];
  /** The environment variables of these forms. */
  readonly env?: Readonly<Record<string, string>>;
  /** The files or folders that define its options. The default for an npm script is its own program. */
  readonly sources?: readonly string[];
  /** Its options that no short form uses, each with the reason. */
  readonly untried?: Readonly<Record<string, string>>;
}

const inside = (script: string): Command => ({ tests: [`package.json`, script], sources: [] });
const SETUP = ['test/packages/stack/setup.test.ts', 'test/packages/stack/deploy.test.ts'];
const RENDERS = 'it renders 660 frames of 1080p first';
const WRITES = 'it writes into the checkout: its --check, in `npm run check`, says the same';

/** Every npm script, and every bench by its path. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  // First, because others read the demo that it writes. With this seed its moments are short.
  'write-demo': { tests: ['test/packages/demo-writer/cli.test.ts'], short: ['DIR/match.dem --rounds 1 --seed 3'] },
  test: inside('.ci/run'),
  'test:all': inside('.ci/run'),
  'test:commands': inside('.ci/run'),
  check: inside('.ci/run'),
  ...Object.fromEntries(
    ['types', 'unused', 'lines', 'imports', 'openapi', 'page-scripts', 'bundle'].map((part) => [
      `check:${part}`,
      inside('.ci/run'),
    ]),
  ),
  lint: inside('.ci/run'),
  format: { short: ['--help'] },
  openapi: { tests: ['test/tools/openapi'], untried: { check: WRITES } },
  'page-scripts': { tests: ['test/browser'], untried: { check: WRITES } },
  migrations: { short: ['--help'], untried: { name: 'it would write a migration' } },
  baseline: { tests: ['test/migrations.test.ts'], sources: [] },
  'test-clip': { tests: ['test/core/domain/test-job.test.ts'], sources: [] },
  // It changes nothing if nothing is missing.
  lock: { short: [''] },
  'build:client': { tests: ['test/packages/stack/package.test.ts'] },
  mutation: { short: ['--version'] },

  stack: { tests: ['test/packages/stack'] },
  demo: {
    tests: ['test/packages/stack/npm-run.test.ts'],
    short: [
      '--demo DIR/match.dem',
      '--demo DIR/match.dem --best 1 --fps 5 --resolution 1080 --port 0 --data DIR/data --out DIR/best.mp4',
      '--demo DIR/match.dem --player 76561199998630254 --round 1 --fps 5 --port 0 --data DIR/data --out DIR/clip.mp4',
    ],
  },
  dev: {
    tests: ['test/packages/stack/npm-run.test.ts'],
    untried: { 'persist-to': "wrangler's own", 'env-file': "wrangler's own", local: "wrangler's own" },
  },
  backup: { tests: ['test/packages/stack/restore.test.ts', 'test/packages/stack/one-machine.test.ts'] },
  restore: { tests: ['test/packages/stack/restore.test.ts'] },
  setup: {
    tests: SETUP,
    untried: { 'dry-run': 'the test gives it as isDry', 'with-buckets': 'the test gives it as buckets' },
  },
  deploy: {
    tests: [...SETUP, 'test/packages/stack/deploy-settings.test.ts'],
    untried: { 'dry-run': 'the test gives it as isDry' },
  },
  'first-deploy-check': { tests: ['test/packages/stack/deploy.test.ts'], short: ['--help'] },
  preflight: {
    tests: ['test/packages/stack/preflight.test.ts'],
    untried: { env: 'of a deployment at Cloudflare' },
  },
  'tickreel-relay': { tests: ['test/packages/render-host/relay', 'test/packages/stack/relay.test.ts'] },
  'render-host': { tests: ['test/packages/stack', 'test/packages/render-host'] },
  // Options of commands that are derived from operations are in no source: admin-commands.test.ts tries each of them.
  tickreel: {
    tests: ['test/packages/stack', 'test/packages/client'],
    sources: ['packages/client/cli', 'packages/client/operator-cli.ts'],
  },

  hostile: {
    tests: ['test/packages/render-host/decompress', 'test/packages/render-host/match'],
    short: ['demos --mutated 2 --seed 1 --max-minutes 5 --no-crafted'],
  },
  'conformance:host': {
    tests: ['test/packages/stack/host-conformance.test.ts'],
    short: [
      '--demo DIR/match.dem --steam64-id 76561199990417263 --only renders, --at-once 1 --patience-s 60 --hold-s 5 node docs/examples/host/host.mjs',
      '--push --only signed, node packages/render-host/main.ts',
    ],
  },
  model: { tests: ['test/model', 'test/durable-objects/objects.model.test.ts'], sources: [] },
  'soak:service': { tests: ['test/durable-objects/reliability.test.ts'], sources: [] },
  'soak:hostile': {
    tests: ['test/src/lying-host.test.ts', 'test/packages/stack/hostile-urls.test.ts', 'test/conformance'],
    sources: [],
  },
  'soak:conformance': { tests: ['test/packages/stack/host-conformance.test.ts'] },
  'soak:push': { tests: ['test/packages/stack/push.test.ts'] },
  'soak:setup': { tests: SETUP },
  'soak:recorder': { tests: ['test/packages/render-host/capture/cs2/random-runs.test.ts'] },
  'soak:update': { tests: ['test/src/game-update.test.ts'], sources: [] },
  'soak:kill': { tests: ['test/packages/stack/kill-cycles.test.ts'] },
  'soak:relay': { tests: ['test/packages/stack/relay.test.ts'], sources: [] },
  'soak:rolling': { tests: ['test/packages/stack/rolling-restart.test.ts'] },
  'soak:flood': { tests: ['test/packages/stack/flood.test.ts'], untried: { 'host-ms': 'the test measures nothing' } },
  'soak:slow-line': {
    short: ['--help'],
    untried: { rounds: RENDERS, kbit: RENDERS, latency: RENDERS, fps: RENDERS },
  },

  'bench:accept': { short: ['--rounds 1 --calls 3'] },
  'bench:viewers': { short: ['--rounds 1 --seconds 0.05 --connections 2'] },
  'tools/bench/cold-views.bench.ts': { short: ['--rounds 1 --most 20'] },
  'tools/bench/dispatch.bench.ts': { short: ['--most 2000 --rounds 1 --calls 20'] },
  'tools/bench/fleet.bench.ts': { short: ['--hosts 20 --jobs 300 --load 0.9 --killed 0.3 --seed 1'] },
  'tools/bench/one-machine.bench.ts': { short: ['--clips 1 --submits 4 --hosts 1 --fps 5'] },
  'tools/bench/render.bench.ts': { short: ['--height 360 --fps 5 --runs 1 --shots 1'] },
};
