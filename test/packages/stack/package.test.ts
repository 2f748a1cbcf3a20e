import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatSigningSecret, signedHeaders } from '#protocol/lib/signed-message.ts';
import { listenOn } from '#stack/listen.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { findChromium, launchChromium } from '../../browser/support/browser.ts';

const PACKED_BYTES = 64_000;
const CONSUMER = join(import.meta.dirname, 'package/consumer.mjs');
const EXAMPLES = join(PROJECT_ROOT, 'docs/examples/client');
const ID = '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90';
const EXPECTED = {
  heard: ['render', 'done'],
  clip: 'c-1',
  jobs: ['a', 'b'],
  missing: [true, 'not_found', 404, 'r-1'],
  forged: 'webhook_invalid',
  event: 'job.failed',
};

let folder: string;
let packed: { size: number; files: { path: string }[] };
let installed: string;
let server: Server;
let baseUrl: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tickreel-package-'));
  execFileSync(process.execPath, [join(PROJECT_ROOT, 'packages/client/build.ts')], { stdio: 'inherit' });
  const pack = ['pack', '--json', '--pack-destination', folder];
  [packed] = JSON.parse(
    execFileSync('npm', pack, { cwd: join(PROJECT_ROOT, 'packages/client/dist'), encoding: 'utf8' }),
  );
  const [archive = ''] = readdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: folder });
  installed = join(folder, 'node_modules/tickreel');
  copyFileSync(CONSUMER, join(folder, 'consumer.mjs'));
  for (const name of readdirSync(EXAMPLES).filter((file) => file.endsWith('.mjs')))
    copyFileSync(join(EXAMPLES, name), join(folder, name));
  server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
    const [type, status, body] = answerTo(`${request.method} ${pathname}${search}`);
    response.writeHead(status, { 'Content-Type': type, 'X-Request-Id': 'r-1' }).end(body);
  });
  baseUrl = `http://127.0.0.1:${await listenOn(server)}`;
}, 180_000);

afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Fakes of the service: content type, status and body; and the page for a browser. */
function answerTo(call: string): [string, number, string] {
  const json = (value: unknown, status = 200): [string, number, string] => [
    'application/json',
    status,
    JSON.stringify(value),
  ];
  const data = (status: string) =>
    `data: ${JSON.stringify({ status, progress: null, attempt: 1, error_code: null })}\n\n`;
  switch (call) {
    case 'POST /api/clips':
      return json({ job_id: ID }, 201);
    case `GET /api/jobs/${ID}/events`:
      return ['text/event-stream', 200, `:\n\n${data('render')}${data('done')}`];
    case `GET /api/jobs/${ID}?include=diagnosis`:
      return json({ id: ID, status: 'done', clip_id: 'c-1', error_code: null });
    case 'GET /api/clips/c-1':
      return json({ id: 'c-1', title: 'Ace' });
    case 'GET /clips/c-1/video.mp4':
      return ['video/mp4', 200, 'an MP4'];
    case 'GET /api/jobs':
      return json({ jobs: [{ id: 'a' }], next_cursor: 'more' });
    case 'GET /api/jobs?cursor=more':
      return json({ jobs: [{ id: 'b' }], next_cursor: null });
    case 'GET /':
      return ['text/html', 200, '<!doctype html><title>A page</title>'];
    case 'GET /tickreel.js':
      return ['text/javascript', 200, readFileSync(join(installed, 'index.js'), 'utf8')];
    case 'GET /consumer.mjs':
      return ['text/javascript', 200, readFileSync(CONSUMER, 'utf8')];
    default:
      return json({ type: '/docs/problems#not_found', title: 'Not found', detail: 'Nothing.', request_id: 'r-1' }, 404);
  }
}

const onPath = (name: string) => (process.env.PATH ?? '').split(delimiter).map((entry) => join(entry, name));

/** Returns a Node of a major version: that of the tests, or from the PATH. */
function findNode(major: number): string | null {
  const isIt = (path: string) => execFileSync(path, ['--version'], { encoding: 'utf8' }).startsWith(`v${major}.`);
  return [process.execPath, ...onPath('node')].find((path) => existsSync(path) && isIt(path)) ?? null;
}

function run(program: string, args: readonly string[], more: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: folder, ...more };
    execFile(program, args, { cwd: folder, env }, (error, out, err) =>
      error ? reject(new Error(`${err}${out}`)) : resolve(out),
    );
  });
}

describe('the package', () => {
  it('is small, and holds nothing but what it is for', () => {
    expect(packed.size).toBeLessThan(PACKED_BYTES);
    const kinds = new Set(packed.files.map(({ path }) => path.replace(/^types\/.*\.d\.ts$/, 'types')));
    expect([...kinds].sort()).toEqual([
      ...['LICENSE', 'README.md', 'cli.js', 'index.d.cts', 'index.js', 'no-files.js', 'package.json'],
      ...['save-body.js', 'types'],
    ]);
  });

  it('has the licence of what it contains, and names of functions for stack traces', () => {
    const read = (name: string) => readFileSync(join(installed, name), 'utf8');
    expect(read('LICENSE')).toMatch(/The Tickreel authors.+cli.js contains commander.+TJ Holowaychuk/s);
    expect(read('cli.js')).toContain('/* Contains commander: LICENSE. */');
    expect(read('index.js')).toContain('function createTransport(');
  });

  it('has no dependencies', () => {
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['tickreel']);
  });

  for (const major of [20, 24]) {
    const node = findNode(major);
    it.skipIf(node === null && !process.env.CI)(
      `works in Node ${major}, the library and the command line`,
      async () => {
        const program = `import * as tickreel from 'tickreel'; import { tryOut } from './consumer.mjs';
        console.log(JSON.stringify(await tryOut(tickreel, '${baseUrl}')));`;
        expect(JSON.parse(await run(node ?? '', ['--input-type=module', '-e', program]))).toEqual(EXPECTED);
        const required = `const tickreel = require('tickreel'); import('./consumer.mjs').then(async ({ tryOut }) =>
        console.log(JSON.stringify(await tryOut(tickreel, '${baseUrl}'))));`;
        expect(JSON.parse(await run(node ?? '', ['--input-type=commonjs', '-e', required]))).toEqual(EXPECTED);
        const saved = `const { clips } = require('tickreel').createTickreel({ baseUrl: '${baseUrl}', apiKey: 'k' });
        clips.downloadTo('c-1', 'clip-${major}.mp4');`;
        await run(node ?? '', ['--input-type=commonjs', '-e', saved]);
        expect(readFileSync(join(folder, `clip-${major}.mp4`), 'utf8')).toBe('an MP4');
        const cli = join(installed, 'cli.js');
        expect(await run(node ?? '', [cli, '--version'])).toBe('1.0.0\n');
        // The first version of Node that the package accepts lacks this function.
        const old = ['--import', 'data:text/javascript,delete URL.parse'];
        const list = await run(node ?? '', [...old, cli, 'jobs', 'list', '--url', baseUrl, '--api-key', 'k']);
        expect(JSON.parse(list)).toEqual({ jobs: [{ id: 'a' }], next_cursor: 'more' });
      },
    );
  }

  it('carries the examples: one that submits', async () => {
    const args = ['https://demos.example.com/a.dem', '76561198000000001', '7'];
    const out = await run(process.execPath, [join(folder, 'submit.mjs'), ...args], {
      TICKREEL_URL: baseUrl,
      TICKREEL_API_KEY: 'a-key',
    });
    expect(out).toBe(`Ace ${baseUrl}/clips/c-1\n`);
  });

  it('carries the examples: one that takes webhooks, once each, and none of others', async () => {
    const secret = formatSigningSecret(new Uint8Array(32).fill(7));
    const env = { PATH: process.env.PATH ?? '', PORT: '0', TICKREEL_WEBHOOK_SECRET: secret };
    const receiver = spawn(process.execPath, [join(folder, 'webhook-receiver.mjs')], { env });
    const lines = createInterface(receiver.stdout)[Symbol.asyncIterator]();
    const port = /listening on (\d+)/.exec(String((await lines.next()).value))?.[1];
    const body = JSON.stringify({ event: 'job.failed', job_id: 'j-1', error_code: 'demo_404' });
    const post = async (id: string, signedBody = body) => {
      const signature = await signedHeaders(secret, { id, body: signedBody, now: Date.now() });
      const headers = { ...signature, 'X-Service-Delivery-Id': id };
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
    };
    expect([await post('1'), await post('1'), await post('2', 'another body'), await post('3')]).toEqual([
      ...[204, 204, 400, 204],
    ]);
    expect([(await lines.next()).value, (await lines.next()).value]).toEqual(Array(2).fill('failed j-1 demo_404'));
    receiver.kill();
    const { TICKREEL_WEBHOOK_SECRET: _, ...unset } = env;
    const refused = spawn(process.execPath, [join(folder, 'webhook-receiver.mjs')], { env: unset });
    expect(await once(refused, 'exit')).toEqual([2, null]);
  });

  it('works in workerd', async () => {
    const worker = `import * as tickreel from './tickreel.js'; import { tryOut } from './consumer.mjs';
      export default { fetch: async () => Response.json(await tryOut(tickreel, '${baseUrl}')) };`;
    const runtime = new Miniflare({
      compatibilityDate: '2026-01-01',
      modules: [
        { type: 'ESModule', path: 'worker.mjs', contents: worker },
        { type: 'ESModule', path: 'tickreel.js', contents: readFileSync(join(installed, 'index.js'), 'utf8') },
        { type: 'ESModule', path: 'consumer.mjs', contents: readFileSync(CONSUMER, 'utf8') },
      ],
    });
    expect(await (await runtime.dispatchFetch('http://localhost/')).json()).toEqual(EXPECTED);
    await runtime.dispose();
  });

  it.skipIf(findChromium() === null && !process.env.CI)('works in Chromium', async () => {
    const browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(baseUrl);
    const seen = await page.evaluate(`(async () => {
      const { tryOut } = await import('/consumer.mjs');
      return tryOut(await import('/tickreel.js'), location.origin);
    })()`);
    await browser.close();
    expect(seen).toEqual(EXPECTED);
  });

  it('is bundled for a browser without modules of Node', async () => {
    const contents = `import { createTickreel } from 'tickreel'; createTickreel().clips.downloadTo('c', 'f');`;
    const stdin = { contents, resolveDir: folder };
    const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', platform: 'browser', write: false });
    expect(outputFiles[0]?.text).toContain('There are no files here');
    expect(outputFiles[0]?.text).not.toContain('node:');
  });

  it.each([
    ['Node', ['--module', 'nodenext', '--lib', 'es2022,dom']],
    ['Node, as CommonJS', ['--module', 'node16', '--moduleResolution', 'node16', '--lib', 'es2022,dom'], 'cts'],
    [
      'a bundler, with exact optional fields',
      [
        ...[
          '--module',
          'esnext',
          '--moduleResolution',
          'bundler',
          '--lib',
          'es2022,dom',
          '--exactOptionalPropertyTypes',
        ],
      ],
    ],
  ])('compiles with a strict consumer for %s', async (_, options, kind = 'ts') => {
    copyFileSync(join(import.meta.dirname, 'package/consumer.ts.txt'), join(folder, `consumer.${kind}`));
    const tsc = join(PROJECT_ROOT, 'node_modules/typescript/bin/tsc');
    const args = ['--strict', '--noEmit', '--target', 'es2022', '--types', '', ...options, `consumer.${kind}`];
    expect(await run(process.execPath, [tsc, ...args])).toBe('');
  });
});
