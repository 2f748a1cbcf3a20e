import { describe, expect, it } from 'vitest';
import { API_ROUTES } from '#client/shapes.ts';
import { PROBLEMS } from '#protocol/problem.ts';
import { createService } from '#service/service.ts';
import document from '#src/openapi.json';
import { createRoutes } from '#src/routes.ts';
import { BASE_URL, bindings, send } from '../support/service.ts';

/** Bytes of the compressed page with its style, which a browser loads before it shows anything. */
const MOST_BYTES = 40_000;

async function compressedSize(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

describe('GET /openapi.json', () => {
  it('answers with the document, for any site, with a cache lifetime', async () => {
    const response = await send('/openapi.json');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(await response.json()).toEqual(document);
  });

  it('describes every route of the Worker, and no other', () => {
    const service = createService(bindings);
    const served = createRoutes(service).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      // The router answers HEAD for each GET.
      Object.keys(item)
        .filter((method) => method !== 'head')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(served.sort());
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
    expect(page).not.toMatch(/\ssrc=|<link (?!rel="icon" href="data:)|@import|url\(/);
    expect(await compressedSize(page)).toBeLessThan(MOST_BYTES);
  });

  it('has every operation by its id on one of three pages, without broken links', async () => {
    const operations = Object.values(document.paths).flatMap((item) =>
      Object.entries(item).flatMap(([method, { operationId }]) => (method === 'head' ? [] : [operationId])),
    );
    const found: (string | undefined)[] = [];
    for (const path of ['/docs', '/docs/gateway', '/docs/operator']) {
      const page = await (await send(path)).text();
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
      expect(ids).toEqual(expect.arrayContaining([...new Set(links)]));
      found.push(...ids);
    }
    expect(found).toEqual(expect.arrayContaining(operations));
  });

  it('has samples with the URL of this service', async () => {
    const page = await (await send('/docs')).text();
    expect(page).toContain(`${BASE_URL}/api/clips`);
  });

  it('answers HEAD without a body', async () => {
    const response = await send('/docs', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});

describe('GET /docs/problems', () => {
  it('explains every kind of problem at the URL of its type', async () => {
    const page = await (await send('/docs/problems')).text();
    for (const kind of Object.keys(PROBLEMS)) expect(page).toContain(`<section class="kind" id="${kind}">`);
  });

  it('is the page that the type of a problem links to', async () => {
    const refused = await send('/api/jobs');
    const { type } = await refused.json<{ type: string }>();
    const address = new URL(type, refused.url || BASE_URL);
    expect(address.hash).toBe('#unauthorized');
    expect((await send(address.pathname)).status).toBe(200);
  });
});

describe('GET /docs/search', () => {
  const search = async (words: string) => (await send(`/docs/search?q=${encodeURIComponent(words)}`)).text();

  it('finds operations, fields, kinds of problem and error codes by words, matches in titles first', async () => {
    expect(await search('pre_kill_padding')).toContain('<a href="/docs#submitClip">pre_kill_padding</a>');
    expect(await search('Run JOB again')).toMatch(/<ul class="found"><li><a href="\/docs#resubmitJob">/);
    expect(await search('redirect webhook')).toContain('href="/docs#webhooks"');
    expect(await search('demo_404')).toContain('href="/docs/errors/demo_404"');
    expect(await search('too many requests')).toContain('href="/docs/problems#rate_limited"');
    expect(await search('heartbeat')).toContain('href="/docs/gateway#heartbeat"');
  });

  it('shows that nothing matches, and escapes the query', async () => {
    const page = await search('<script>"nothing"');
    expect(page).not.toContain('<script');
    expect(page).toContain('Nothing has all of these words');
  });
});

describe('the reference as text', () => {
  it('has every operation of a client as Markdown, without HTML', async () => {
    const response = await send('/docs.md');
    expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8');
    const text = await response.text();
    for (const line of Object.values(API_ROUTES)) expect(text).toContain(`\`${line.replace(/:(\w+)/g, '{$1}')}\``);
    // A table has a head, and neighbours in a cell are separated.
    for (const [table] of text.matchAll(/(?:^\|.*\n)+/gm)) expect(table).toMatch(/^.*\n(\| --- )+\|\n./);
    expect(text).toMatch(/^\| `event` string \| Which outcome\. \(one of `"job\.completed"`, `"job\.failed"`\) \|$/m);
    // The fields of an object or a list are below it.
    expect(text).toMatch(/^- `match` \(object or null, required\): .*\n {2}- `map` /m);
    expect(text).toMatch(/^- `timeline` \(array of objects\): .*\n {2}- `steam64_id` \(string, required\): /m);
    expect(text.replace(/```[\s\S]*?```|`[^`\n]*`/g, '')).not.toMatch(/<\w|&#\d|undefined/);
  });

  it('is listed for language models, without broken links', async () => {
    const text = await (await send('/llms.txt')).text();
    expect(text).toMatch(/^# Tickreel\n\n> /);
    for (const [, path] of text.matchAll(/\]\(https:\/\/tickreel\.test(\/[^)#]*)/g)) {
      expect((await send(path ?? '')).status).toBe(200);
    }
  });
});
