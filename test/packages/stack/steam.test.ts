import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { encodeMatch } from 'csgo-sharecode';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTickreel, type Tickreel } from '#client/index.ts';
import { createTickreelOperator } from '#client/operator.ts';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import type { Demo } from '#protocol/demos.ts';
import { createResolve } from '../../../packages/steam-resolver/ask-steam.ts';
import { runResolver } from '../../../packages/steam-resolver/run-resolver.ts';
import { REPLAY, replayUrl, startReplayHost } from '../../support/replay-host.ts';
import { startTestStack, type TestStack } from '../../support/test-stack.ts';
import { createFakeSteam } from '../steam-resolver/fake-steam.ts';

const SCRIPT = composeMatch({
  rounds: [{ startTick: 50, freezeEndTick: 100, endTick: 300, winner: 'T' }],
  kills: [5, 6, 7].map((victim, at) => ({ tick: 150 + at * 50, attacker: 0, victim })),
  lastTick: 640,
});

let stack: TestStack;
let client: Tickreel;
let replays: Awaited<ReturnType<typeof startReplayHost>>;

beforeAll(async () => {
  // STEAM_DEMO: a demo of Valve's servers.
  const demo = process.env.STEAM_DEMO ? readFileSync(process.env.STEAM_DEMO) : encodeDemo(SCRIPT);
  replays = await startReplayHost(execFileSync('bzip2', ['-c'], { input: demo, maxBuffer: 1e9 }));
  const variables = { STEAM_REPLAY_ORIGIN: replays.origin };
  stack = await startTestStack({ hosts: 1, timeScale: 0.001, leaseSeconds: 2, variables });
  client = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
});
afterAll(async () => {
  await stack?.remove();
  await replays?.close();
});

async function createToken(): Promise<string> {
  const operator = createTickreelOperator({ baseUrl: stack.baseUrl, adminToken: stack.credentials.admin_token });
  return (await operator.call('createHost', { body: { name: 'steam', resolver: true } })).token;
}

let matches = 1n << 61n;
const newMatch = () => ({ matchId: ++matches, reservationId: matches + 7n, tvPort: 40_000 });

/** Runs a resolver with the real client of Steam until the test ends. Returns the matches that it asked for. */
async function startResolver(answer: number) {
  const fake = createFakeSteam(({ matchid }) => [{ matchid, roundstatsall: [{ map: replayUrl(answer) }] }]);
  const stop = new AbortController();
  const world = { resolve: createResolve(fake.steam, () => {}), log: () => {}, stop: stop.signal };
  const ended = runResolver({ serviceUrl: stack.baseUrl, token: await createToken(), pauseMs: 1 }, world);
  fake.signIn();
  const end = async () => {
    stop.abort();
    await ended;
  };
  return { asked: fake.asked, end };
}

async function ask(shareCode: string): Promise<Demo> {
  const headers = { Authorization: `Bearer ${stack.credentials.metered_key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ source: { kind: 'steam', share_code: shareCode } });
  const response = await fetch(`${stack.baseUrl}/api/demos`, { method: 'POST', headers, body });
  expect(response.status).toBe(202);
  return (await response.json()) as Demo;
}
const stateOf = async ({ id }: Demo) => (await client.demos.get(id)).state;

it('a resolver that is killed loses nothing: another one brings the demo to its players and rounds', async () => {
  const code = encodeMatch(newMatch());
  const environment = { TICKREEL_URL: stack.baseUrl, TICKREEL_RESOLVER_TOKEN: await createToken() };
  const child = spawn(process.execPath, ['test/packages/stack/stuck-resolver-child.ts'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const demo = await ask(code);
  const [granted] = await once(child.stdout, 'data');
  expect(String(granted).trim()).toBe(code);
  child.kill('SIGKILL');

  const other = await startResolver(REPLAY.stored);
  onTestFinished(other.end);
  await expect.poll(() => stateOf(demo), { interval: 200 }).toBe('ready');
  const { match } = await client.demos.get(demo.id);
  expect(match?.players.length).toBeGreaterThan(1);
  expect(match?.rounds.length).toBeGreaterThan(0);
  const upload = await client.uploads.get(new URL(demo.demo_url).pathname.split('/').at(-1) ?? '');
  expect(upload).toMatchObject({ state: 'complete', source: 'steam', name: code });
});

it('two resolvers share the work: Steam is asked once for each code', async () => {
  const codes = Array.from({ length: 6 }, newMatch);
  const resolvers = await Promise.all([startResolver(REPLAY.gone), startResolver(REPLAY.gone)]);
  for (const { end } of resolvers) onTestFinished(end);
  const demos = await Promise.all(codes.map((match) => ask(encodeMatch(match))));
  await expect.poll(() => Promise.all(demos.map(stateOf)), { interval: 200 }).toEqual(demos.map(() => 'error'));
  expect((await client.demos.get(demos[0]?.id ?? '')).error_code).toBe('replay_expired');
  const asked = resolvers.flatMap((resolver) => resolver.asked.map(({ matchid }) => matchid));
  expect(asked.toSorted()).toEqual(codes.map(({ matchId }) => String(matchId)).toSorted());
});
