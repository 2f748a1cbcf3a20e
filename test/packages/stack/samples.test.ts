import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProgram } from '#client/cli/program.ts';
import { createTickreel } from '#client/index.ts';
import { callTexts } from '#src/docs/call-text.ts';
import { type AddressedOperation, type MediaType, operationsOf, tagsOf } from '#src/docs/openapi-document.ts';
import { quickstartTexts, RECEIVER } from '#src/docs/quickstart.ts';
import { listenOnLoopback } from '#stack/listen.ts';
import { freePort } from '#stack/service.ts';

/** Runs each sample of the reference that takes an API key against a service that answers like the document. */
const DOCUMENT = JSON.parse(readFileSync(new URL('../../../src/static/openapi.json', import.meta.url), 'utf8'));
const OPERATIONS = tagsOf(DOCUMENT)
  .flatMap((tag) => operationsOf(DOCUMENT, tag))
  .filter(({ operation }) => operation.security.length > 0);
const IDS = OPERATIONS.map(({ operation }) => operation.operationId).sort();
const ID = '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90';

/** Variables of the commands. */
const FILES = ['file', 'logo.png', 'match.dem.zst', 'batch.json'];

let server: Server;
let baseUrl: string;
let folder: string;
let called: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tickreel-samples-'));
  for (const file of FILES) writeFileSync(join(folder, file), 'bytes');
  const batch = OPERATIONS.find(({ operation }) => operation.operationId === 'submitBatch')?.operation.requestBody;
  writeFileSync(join(folder, 'batch.json'), JSON.stringify(exampleOf(Object.values(batch?.content ?? {})[0])));
  server = createServer(async (request, response) => {
    const [status, type, body] = answerTo(request, await bodyOf(request));
    response.writeHead(status, { 'Content-Type': type }).end(body);
  });
  baseUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`;
});
beforeEach(() => {
  called = [];
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** Answers with the example of the operation, or 400 if the request is not its example. */
function answerTo({ method, url = '', headers }: IncomingMessage, body: string): [number, string, string] {
  const { pathname } = new URL(url, baseUrl);
  const asked = OPERATIONS.find(
    (one) => one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/g, '[\\w-]+')}$`).test(pathname),
  );
  if (!asked || headers.authorization !== 'Bearer a-key') return [404, 'text/plain', `${method} ${url}`];
  const [type, sent] = Object.entries(asked.operation.requestBody?.content ?? {})[0] ?? [];
  const isAsShown = type !== 'application/json' || isExample(sent, body) || isOfAFile(asked);
  if (!isAsShown) return [400, 'text/plain', `${asked.operation.operationId} got ${body}`];
  // A client that follows all jobs continues until it is refused.
  if (asked.operation.operationId === 'watchEvents' && called.includes('watchEvents')) return [401, 'text/plain', ''];
  called.push(asked.operation.operationId);
  const [status, answer] = Object.entries(asked.operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const [answerType = 'text/plain', media] = Object.entries(answer?.content ?? {})[0] ?? [];
  return [Number(status), answerType, media?.example ?? JSON.stringify(withoutMore(exampleOf(media)))];
}

const exampleOf = (media: MediaType | undefined) => Object.values(media?.examples ?? {})[0]?.value;

/** Returns a list of one page. */
function withoutMore(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'next_cursor' in value
    ? { ...value, next_cursor: null }
    : value;
}

/** Only for the file of this test. */
const isOfAFile = ({ operation }: AddressedOperation) => operation.operationId === 'createUpload';

/** The quickstart sends less. */
function isExample(media: MediaType | undefined, body: string): boolean {
  const sent = JSON.parse(body);
  const example = Object(exampleOf(media));
  if (sent.demo_url === 'https://demos.example.com/match.dem.gz') return sent.round === 7;
  return JSON.stringify(Object.entries(sent).sort()) === JSON.stringify(Object.entries(example).sort());
}

function textsOf(language: 'curl' | 'ts' | 'py' | 'cli'): string[] {
  return OPERATIONS.map((one: AddressedOperation) => callTexts(one, baseUrl)[language]);
}

function run(program: string, args: readonly string[]): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH ?? '', KEY: 'a-key', ID, JOB_ID: ID },
  };
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: folder, env }, (error, out, err) =>
      error ? reject(new Error(err + out)) : resolve(out),
    );
  });
}

const shell = (script: string) => run('sh', ['-c', `set -e\ncurl() { command curl -fsS "$@"; }\n${script}`]);

/** Parses the commands like the shell, and runs the program. Returns its output. */
async function commandLine(script: string): Promise<string> {
  vi.stubEnv('TICKREEL_URL', baseUrl);
  vi.stubEnv('TICKREEL_API_KEY', 'a-key');
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const split = await shell(
    `curl() { command curl -fsS "$@" >/dev/null; }\ntickreel() { printf '%s\\0' "$@"; printf '\\1'; }\n${script}`,
  );
  for (const words of split.split('\u0001').slice(0, -1)) {
    const given = words
      .split('\0')
      .slice(0, -1)
      .map((word) => (FILES.includes(word) ? join(folder, word) : word));
    const carriedOut = createProgram().parseAsync(given, { from: 'user' });
    if (given[0] === 'listen') await expect(carriedOut).rejects.toMatchObject({ status: 401 });
    else await carriedOut;
  }
  // One job of a batch is refused.
  process.exitCode = undefined;
  return printed.mock.calls.map(([text]) => text).join('');
}

/** Wraps a sample in an async function with its variables. */
async function runTypeScript(texts: readonly string[]): Promise<void> {
  const program = texts.map((text) => `{\n${text}\n}`).join('\n');
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const tickreel = createTickreel({ baseUrl, apiKey: 'a-key', maxRetries: 0 });
  const quiet = { log: () => {} };
  await new AsyncFunction('tickreel', 'createTickreel', 'key', 'id', 'file', 'console', program)(
    ...[tickreel, createTickreel, 'a-key', ID, 'bytes', quiet],
  );
}

function python(texts: readonly string[]): Promise<string> {
  const given = `import json, urllib.request\nkey, id, file = "a-key", "${ID}", b"bytes"\n`;
  return run('python3', ['-c', given + texts.join('\n')]);
}

describe('the samples of the reference make the documented call', () => {
  it('in curl', async () => {
    await shell(textsOf('curl').join('\n'));
    expect(called.sort()).toEqual(IDS);
  });

  it('in TypeScript, with the client', async () => {
    await runTypeScript(textsOf('ts'));
    expect([...new Set(called)].sort()).toEqual(IDS);
  });

  it('in Python', async () => {
    await python(textsOf('py'));
    expect(called.sort()).toEqual(IDS);
  });

  it('on the command line', async () => {
    await commandLine(textsOf('cli').join('\n'));
    expect([...new Set(called)].sort()).toEqual(IDS);
  });

  it('and the quickstart comes to a clip in each language', async () => {
    const texts = quickstartTexts(baseUrl);
    expect(await shell(texts.curl)).toContain('"clip_id"');
    await runTypeScript([texts.ts.replace(/^import .*\n/, '')]);
    expect(await python([texts.py])).toContain('/clips/');
    expect(await commandLine(texts.cli)).toContain('/video.mp4');
  });

  it('and the receiver of the guide prints what is posted', async () => {
    const port = await freePort(0);
    const receiver = execFile('sh', ['-c', `exec ${RECEIVER.replace('9000', String(port))}`]);
    onTestFinished(() => void receiver.kill());
    let printed = '';
    receiver.stdout?.on('data', (chunk) => {
      printed += chunk;
    });
    const post = () => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"event":"job.completed"}' });
    await vi.waitFor(async () => expect((await post()).status).toBe(200), 10_000);
    await vi.waitFor(() => expect(printed).toBe('{"event":"job.completed"}'));
  });
});
