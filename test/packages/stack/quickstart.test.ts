import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createProgram } from '#client/cli/program.ts';
import { createTickreel } from '#client/index.ts';
import { quickstartTexts, RECEIVER } from '#src/docs/quickstart.ts';
import { listenOn } from '#stack/listen.ts';
import { freePort } from '#stack/service.ts';

/** Runs each sample of the quickstart against a service that answers with the examples of the document. */
const { paths } = JSON.parse(readFileSync(new URL('../../../src/static/openapi.json', import.meta.url), 'utf8'));
const JOB_ID = '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90';

let server: Server;
let baseUrl: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const [status, type, body] = answerTo(request);
    response.writeHead(status, { 'Content-Type': type }).end(body);
    request.resume();
  });
  baseUrl = `http://127.0.0.1:${await listenOn(server)}`;
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => void server.close());

function answerTo({ method = '', url = '', headers }: IncomingMessage): [number, string, string] {
  const { pathname } = new URL(url, baseUrl);
  const path = Object.keys(paths).find((one) => new RegExp(`^${one.replace(/\{\w+\}/g, '[\\w-]+')}$`).test(pathname));
  const operation = paths[path ?? '']?.[method.toLowerCase()];
  if (!operation || headers.authorization !== 'Bearer a-key') return [404, 'text/plain', `${method} ${url}`];
  const status = Object.keys(operation.responses).find((code) => code.startsWith('2')) ?? '';
  const { content } = operation.responses[status];
  const [type = ''] = Object.keys(content);
  const { example, examples = {} } = content[type];
  const [first] = Object.values<{ value: unknown }>(examples);
  return [Number(status), type, example ?? JSON.stringify(first?.value)];
}

function shell(script: string): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', KEY: 'a-key', JOB_ID };
  return new Promise((resolve, reject) => {
    execFile('sh', ['-ec', script], { env }, (error, out, err) =>
      error ? reject(new Error(err + out)) : resolve(out),
    );
  });
}

it('the quickstart comes to a clip with curl', async () => {
  const printed = await shell(`curl() { command curl -fsS "$@"; }\n${quickstartTexts(baseUrl).curl}`);
  expect(printed).toContain('"clip_id"');
});

it('the quickstart comes to a clip in TypeScript', async () => {
  const program = quickstartTexts(baseUrl).TypeScript.replace(/^import .*\n/, '');
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const log = vi.fn();
  await new AsyncFunction('createTickreel', 'key', 'console', program)(createTickreel, 'a-key', { log });
  expect(log).toHaveBeenLastCalledWith(expect.any(String), expect.stringMatching(/\/clips\//));
});

it('the quickstart comes to a clip on the command line', async () => {
  vi.stubEnv('TICKREEL_URL', baseUrl);
  vi.stubEnv('TICKREEL_API_KEY', 'a-key');
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const words = await shell(`tickreel() { printf '%s\\n' "$@"; }\n${quickstartTexts(baseUrl)['Command line']}`);
  await createProgram().parseAsync(words.trimEnd().split('\n'), { from: 'user' });
  expect(printed.mock.calls.map(([text]) => text).join('')).toContain('/video.mp4');
});

it('the receiver of the guide prints what is posted', async () => {
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
