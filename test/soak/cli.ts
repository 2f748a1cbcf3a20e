import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs one step of a soak. Returns whether it went well: the next one is not run otherwise. */
type Step = (args: readonly string[]) => boolean;

type Env = Readonly<NodeJS.ProcessEnv>;

const run = (command: readonly string[], env: Env, stdout: 'inherit' | 'pipe' = 'inherit') =>
  spawnSync('npx', command, { env, encoding: 'utf8', stdio: ['ignore', stdout, 'inherit'] });

/** `env`: settings of the tests. What is set outside wins. */
const vitest =
  (project: string, named: readonly string[], env: Env = {}): Step =>
  (args) =>
    run(['vitest', 'run', '--project', project, ...named, ...args], { ...env, ...process.env }).status === 0;

const program =
  (...command: string[]): Step =>
  (args) =>
    run(['node', ...command, ...args], process.env).status === 0;

interface Seeds {
  /** How many run one after the other. In one process, the harness allows some thousands of calls of objects. */
  readonly processes: number;
  /** The seed of the first, unless MODEL_SEED is set; the next ones follow. Default: a random one. */
  readonly seed?: number;
  /** Only tests whose names say this. */
  readonly only?: string;
  readonly env?: Env;
  /** Deaths that each point of this prefix must have had in the end. */
  readonly least?: readonly [prefix: string, count: number];
}

/** Runs a test in several processes, and adds up the deaths by point. */
const seeds =
  (
    file: string,
    { processes, seed = Date.now() % 2 ** 31, only, env, least: [prefix, least] = ['', 0] }: Seeds,
  ): Step =>
  (args) => {
    const first = Number(process.env.MODEL_SEED ?? seed);
    const deaths = new Map<string, number>();
    const failed: number[] = [];
    const named = only === undefined ? [] : ['-t', only];
    for (let n = first; n < first + processes; n++) {
      const settings = { ...env, ...process.env, NO_COLOR: '1', MODEL_SEED: String(n) };
      const { status, stdout } = run(
        ['vitest', 'run', '--project', 'soaks', file, ...named, ...args],
        settings,
        'pipe',
      );
      process.stdout.write(stdout);
      if (status !== 0) failed.push(n);
      for (const [, point = '', count] of stdout.matchAll(/(\S+:(?:before|after)) (\d+)/g))
        deaths.set(point, (deaths.get(point) ?? 0) + Number(count));
    }
    const rare = [...deaths].filter(([point, count]) => point.startsWith(prefix) && count < least);
    const sums = [...deaths].map(([point, count]) => `${point} ${count}`).join(', ');
    process.stdout.write(
      [
        `seeds ${first} to ${first + processes - 1}; failed: ${failed.join(', ') || 'none'}`,
        `deaths in all: ${sums || 'none'}`,
        `too few at: ${rare.map(([point]) => point).join(', ') || 'none'}\n`,
      ].join('\n'),
    );
    return failed.length === 0 && rare.length === 0;
  };

const LONG_DEMO = join(tmpdir(), 'tickreel-long.dem');

const SOAKS: Readonly<Record<string, readonly [about: string, ...Step[]]>> = {
  model: [
    'random lives of a job, compared with the contract: the engine alone, then real objects',
    vitest('pure', ['test/model'], { MODEL_RUNS: '10000' }),
    seeds('test/durable-objects/objects.model.test.ts', {
      processes: 10,
      env: { OBJECT_RUNS: '30' },
      least: ['r2-complete', 20],
    }),
  ],
  service: [
    'one key at once, all receivers of webhooks',
    seeds('test/durable-objects/reliability.test.ts', {
      processes: 20,
      env: { RELIABILITY: 'full' },
    }),
  ],
  update: [
    'a night in which the game is updated',
    vitest('soaks', ['test/src/game-update.test.ts'], { UPDATE_JOBS: '1000' }),
  ],
  hostile: [
    'a lying host, malformed requests, ids of other accounts',
    seeds('test/src/lying-host.test.ts', { processes: 10, seed: 1, only: 'lies' }),
    vitest(
      'conformance',
      ['test/conformance/fuzz.test.ts', 'test/conformance/5-authentication.test.ts', '--no-file-parallelism'],
      { FUZZ_RUNS: '10000', CROSS_ACCOUNT_IDS: '200' },
    ),
  ],
  demos: [
    'crafted recordings, and ones changed at random; --help has options',
    program('test/hostile/hostile-cli.ts', 'demos'),
  ],
  archives: ['every hostile archive, with how long it takes', program('test/hostile/hostile-cli.ts', 'archives')],
  account: [
    'what one account could cost others, with what got through; an argument is another checkout',
    program('test/soak/account-cli.ts'),
  ],
  kill: [
    'the stack and its hosts die in every phase, under load; --help has options',
    program('test/soak/kill-cli.ts'),
  ],
  rolling: ['every host of a fleet restarts under load; --help has options', program('test/soak/rolling-cli.ts')],
  ingest: [
    'a demo of 400 MB in one request, with the memory it takes; an argument is its size in MB',
    program('test/soak/ingest-cli.ts'),
  ],
  uploads: [
    '200 demos of four clients, whose lines are cut',
    vitest('stack', ['test/packages/stack/ingest.test.ts'], { INGEST_DEMOS: '200' }),
  ],
  readme: [
    "a demo of 400 MB through the README's recipe, from curl to the post in Discord",
    program('test/demo-writer/cli.ts', LONG_DEMO, '--rounds', '50', '--heavy'),
    vitest('stack', ['test/packages/stack/readme.test.ts', '-t', 'post in the channel'], { README_DEMO: LONG_DEMO }),
  ],
  whole: [
    'a whole match of 250 MB through the service, with time, memory and tracks; --rounds N, --seed N',
    program('test/soak/whole-cli.ts'),
  ],
  relay: [
    'a demo of 400 MB through a line that is cut',
    vitest('stack', ['test/packages/stack/relay.test.ts'], { RELAY_MB: '400' }),
  ],
  conformance: [
    'every rule for hosts, on both of our hosts',
    vitest('stack', ['test/packages/stack/host-conformance.test.ts'], { CONFORMANCE: 'all' }),
  ],
  push: ['a push host dies in every phase', vitest('stack', ['test/packages/stack/push.test.ts'], { KILL_IN: 'all' })],
  setup: [
    'every step of setup and deploy',
    vitest('stack', ['test/packages/stack/setup.test.ts', 'test/packages/stack/deploy.test.ts'], { SETUP: 'all' }),
  ],
  recorder: [
    '500 takes by both recorders of the game',
    vitest('video', ['test/packages/render-host/capture/cs2/random-runs.test.ts'], {
      RECORDER_TAKES: '500',
      RECORDER_CLOCK: '5',
    }),
  ],
};

const [name = '', ...args] = process.argv.slice(2);
const soak = Object.hasOwn(SOAKS, name) ? SOAKS[name] : undefined;
if (soak === undefined) {
  const lines = Object.entries(SOAKS).map(([each, [about]]) => `  ${each.padEnd(12)} ${about}`);
  process.stderr.write(`npx node test/soak/cli.ts NAME [ARGUMENTS], where NAME is one of:\n${lines.join('\n')}\n`);
  process.exit(2);
}
const [, ...steps] = soak;
const isWell = steps.every((step, n) => step(n === steps.length - 1 ? args : []));
process.exit(isWell ? 0 : 1);
