import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '#protocol/lib/problem.ts';
import { createService } from '#service/lib/service.ts';
import { createRoutes } from '#src/routes.ts';
import gateway from '#src/static/openapi/gateway.json';
import operator from '#src/static/openapi/operator.json';
import document from '#src/static/openapi.json';
import { BASE_URL, bindings, send } from '../support/service.ts';

const DOCUMENTS = {
  '/openapi.json': document,
  '/openapi/gateway.json': gateway,
  '/openapi/operator.json': operator,
};

describe.each(Object.entries(DOCUMENTS))('GET %s', (path, committed) => {
  it('answers with the document of this service, for any site, with a cache lifetime', async () => {
    const response = await send(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    const servers = [{ ...committed.servers[0], url: BASE_URL }];
    expect(await response.json()).toEqual({ ...committed, servers });
  });

  it('answers 304 to a reader who has it, and HEAD without a body', async () => {
    const head = await send(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const etag = head.headers.get('ETag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    expect((await send(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await send(path, { headers: { 'If-None-Match': '"another"' } })).status).toBe(200);
  });
});

describe('the documents together', () => {
  it('describes every route of the Worker but that of MCP, and no other', () => {
    const service = createService(bindings);
    const served = createRoutes(service).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = Object.values(DOCUMENTS).flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
    expect([...described, 'POST /mcp'].sort()).toEqual(served.sort());
  });
});

describe('GET /docs', () => {
  it('answers with a page without a script and without requests to other origins', async () => {
    const response = await send('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
    const page = await response.text();
    expect(page).not.toContain('<script');
    expect(page.match(/\ssrc=\S*/g)).toEqual([' src="/sample-clip.jpg"']);
    expect(page).not.toMatch(/<link (?!rel="icon" href="data:)|@import|url\(/);
  });

  it('says what a clip shows, with a still; so does the front page', async () => {
    for (const path of ['/docs', '/']) {
      expect(await (await send(path)).text(), path).toMatch(
        /from above, drawn from the demo without the game; .*GPU host/,
      );
    }
    expect(await (await send('/')).text()).toContain('src="/sample-clip.jpg"');
    const still = await send('/sample-clip.jpg');
    expect(still.headers.get('Content-Type')).toBe('image/jpeg');
    expect([...new Uint8Array(await still.arrayBuffer()).slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  it('answers HEAD without a body', async () => {
    const response = await send('/docs', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});

describe('GET /docs/reference', () => {
  it('has an origin of its own, and its script is sent compressed', async () => {
    const response = await send('/docs/reference');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^sandbox allow-scripts allow-forms;/);
    const [, source] = (await response.text()).match(/<script src="([^"]+)"/) ?? [];
    const script = await send(source ?? '');
    expect([script.status, script.headers.get('Content-Encoding')]).toEqual([200, 'gzip']);
    await script.body?.cancel();
  });
});

describe('GET /docs/problems', () => {
  it('explains every kind of problem at the URL of its type', async () => {
    const page = await (await send('/docs/problems')).text();
    for (const kind of Object.keys(PROBLEMS)) expect(page).toContain(`<section id="${kind}">`);
  });

  it('is the page that the type of a problem links to', async () => {
    const refused = await send('/api/jobs');
    const { type } = await refused.json<{ type: string }>();
    const address = new URL(type, refused.url || BASE_URL);
    expect(address.hash).toBe('#unauthorized');
    expect((await send(address.pathname)).status).toBe(200);
  });
});

describe('GET /llms.txt', () => {
  it('is listed for language models, without broken links', async () => {
    const text = await (await send('/llms.txt')).text();
    expect(text).toMatch(/^# Tickreel\n\n> /);
    for (const [, path] of text.matchAll(/\]\(https:\/\/tickreel\.test(\/[^)#]*)/g)) {
      expect((await send(path ?? '')).status).toBe(200);
    }
  });
});
