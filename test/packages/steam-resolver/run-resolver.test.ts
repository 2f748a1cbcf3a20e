import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { formatSecret } from '#domain/secret-key.ts';
import type { Resolve } from '../../../packages/steam-resolver/ask-steam.ts';
import { runResolver } from '../../../packages/steam-resolver/run-resolver.ts';

const TOKEN = formatSecret('resolver', new Uint8Array(64).fill(7)) ?? '';
const CODE = 'CSGO-GADqf-jjyJ8-cSP2r-smZRo-TO2xK';
const FOUND = { url: 'http://replay1.valve.net/730/3_4.dem.bz2' };
const GRANT = {
  job_id: 'd92b6e04-75fa-4c31-9e8d-0a3c1f7b5628',
  share_code: CODE,
  lease: { fence: 3, ttl_s: 60, heartbeat_s: 0.02 },
};

interface Call {
  readonly path: string;
  readonly body: Record<string, unknown>;
}
let server: Server | undefined;
afterEach(() => server?.closeAllConnections());

/** Runs a resolver against a gateway that grants one code and answers with these statuses by report. */
async function run(resolve: Resolve, statuses: Record<string, number> = {}): Promise<Call[]> {
  const calls: Call[] = [];
  const stop = new AbortController();
  server = createServer(async (request, response) => {
    const path = request.url?.split('/').at(-1) ?? '';
    expect(request.headers.authorization).toBe(`Bearer ${TOKEN}`);
    calls.push({ path, body: (await json(request)) as Call['body'] });
    const granted = calls.filter((call) => call.path === 'claim').length;
    if (path === 'claim' && granted === 1 && !statuses.claim) return response.end(JSON.stringify(GRANT));
    // It is stopped while it waits for the next code.
    if (path === 'claim' && !statuses.claim) return stop.abort();
    return response.writeHead(statuses[path] ?? 204).end();
  });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const serviceUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  await runResolver({ serviceUrl, token: TOKEN, pauseMs: 1 }, { resolve, log: () => {}, stop: stop.signal });
  return calls;
}

const reports = (calls: readonly Call[]) => calls.filter(({ path }) => path !== 'claim' && path !== 'heartbeat');
const finds: Resolve = async () => FOUND;

describe('a resolver', () => {
  it('confirms its lease, reports the replay and asks for the next code', async () => {
    const calls = await run(finds);
    expect(calls.slice(0, 3).map(({ path }) => path)).toEqual(['claim', 'heartbeat', 'resolved']);
    expect(reports(calls)).toEqual([{ path: 'resolved', body: { fence: 3, ...FOUND } }]);
  });

  it('keeps its lease while Steam is asked', async () => {
    let beats = 0;
    const enough = Promise.withResolvers<void>();
    const counted = (calls: Call[]) => calls.filter(({ path }) => path === 'heartbeat').length;
    const calls = await run(async () => {
      const timer = setInterval(() => ++beats > 5 && enough.resolve(), 20);
      await enough.promise;
      clearInterval(timer);
      return FOUND;
    });
    expect(counted(calls)).toBeGreaterThan(2);
  });

  it.each<[string, Resolve, Record<string, number>, object[]]>([
    ['fails an unknown code', async () => ({ code: 'share_code_unknown' }), {}, [{ path: 'fail' }]],
    [
      'fails a code whose address the service refuses',
      finds,
      { resolved: 400 },
      [{ path: 'resolved' }, { path: 'fail' }],
    ],
    [
      'returns a code if the service is in trouble',
      finds,
      { resolved: 503 },
      [{ path: 'resolved' }, { path: 'release' }],
    ],
    ['drops a code whose lease is lost', finds, { resolved: 409 }, [{ path: 'resolved' }]],
    ['goes on after an error', () => Promise.reject(new Error('broken')), {}, []],
  ])('%s', async (_, resolve, statuses, expected) => {
    expect(reports(await run(resolve, statuses))).toMatchObject(expected);
  });

  it('ends if the service refuses its token', async () => {
    await expect(run(finds, { claim: 401 })).rejects.toThrow('The service refuses this token');
  });
});

describe('the program', () => {
  const GOOD = { TICKREEL_URL: 'http://127.0.0.1:1', TICKREEL_RESOLVER_TOKEN: TOKEN };

  /** Starts it with a file of Steam's token. */
  async function start(content: string, mode: number, environment: Record<string, string>) {
    const folder = await mkdtemp(join(tmpdir(), 'resolver-'));
    try {
      const file = join(folder, 'token');
      await writeFile(file, content);
      await chmod(file, mode);
      const env = { PATH: process.env.PATH, STEAM_TOKEN_FILE: file, ...environment };
      const child = spawn(process.execPath, ['packages/steam-resolver/main.ts'], { env });
      const [output, status] = await Promise.all([text(child.stderr), new Promise((end) => child.once('exit', end))]);
      return { output, status };
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it.each<[string, RegExp, string, number, Record<string, string>]>([
    ['its address', /^TICKREEL_URL must be/, 'a.b.c', 0o600, { ...GOOD, TICKREEL_URL: '' }],
    [
      'a token of another kind',
      /^TICKREEL_RESOLVER_TOKEN must be/,
      'a.b.c',
      0o600,
      {
        ...GOOD,
        TICKREEL_RESOLVER_TOKEN: formatSecret('host', new Uint8Array(64)) ?? '',
      },
    ],
    ['no file', /^STEAM_TOKEN_FILE must name/, 'a.b.c', 0o600, { ...GOOD, STEAM_TOKEN_FILE: '/nowhere/token' }],
    ['a file that others read', /^Others can read .+: run chmod 600/, 'secret.b.c', 0o640, GOOD],
    ['a file with something else', /has no refresh token of Steam/, 'secret', 0o600, GOOD],
  ])('says at its start what is wrong: %s', async (_, message, content, mode, environment) => {
    const { output, status } = await start(content, mode, environment);
    expect(output).toMatch(message);
    expect(status).toBe(2);
    expect(output).not.toContain('secret');
    expect(output).not.toContain(TOKEN);
  });
});
