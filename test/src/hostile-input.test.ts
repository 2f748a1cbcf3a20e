import { runDurableObjectAlarm } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createClipMaker, createHost } from '../support/accounts.ts';
import { type ParsedPage, parsePage } from '../support/parsed-page.ts';
import { BASE_URL, bindings, readJob, roundRequest, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

/** Player names come from demos, and hosts report them unchanged. Each name with its escaped form. */
const NAMES: readonly (readonly [name: string, shown: string])[] = [
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ['</title><img src=x onerror=alert(1)>', '</title><img src=x onerror=alert(1)>'],
  ['"><svg onload=alert(1)>', '"><svg onload=alert(1)>'],
  ["' autofocus onfocus='alert(1)", "' autofocus onfocus='alert(1)"],
  ['</script><!--<script>', '</script><!--<script>'],
  [']]><x/>', ']]><x/>'],
  ['&lt;b&gt; &amp;amp; &#60;', '&lt;b&gt; &amp;amp; &#60;'],
  ['{{7*7}} `x`', '{{7*7}} `x`'],
  ['a" on de_nuke, round 9', 'a" on de_nuke, round 9'],
  ['line\nbreak\ttab\u0000null\u001b[31m', 'line break tab null [31m'],
  ['\u202egnp.exe\u202c', 'gnp.exe'],
  ['sep\u2028ara\u2029tor', 'sep ara tor'],
  ['half \ud83d of a pair', 'half of a pair'],
  ['no\uffffn\ufffechar', 'no n char'],
  ['Käthe 🎯 小明 مرحبا', 'Käthe 🎯 小明 مرحبا'],
  ['\\"\\u003c/script>', '\\"\\u003c/script>'],
];

const factsOf = (name: string) => ({ kills: 2, players: [name], map: 'de_nuke', round: null });

let maker: Awaited<ReturnType<typeof createClipMaker>>;
let plain: ParsedPage;

beforeAll(async () => {
  maker = await createClipMaker();
  plain = await parsePage(await send(`/clips/${await maker.make({ facts: factsOf('A') })}`));
});

describe('a player by the name of', () => {
  for (const [name, shown] of NAMES) {
    it(`${JSON.stringify(name)} is text everywhere`, async () => {
      const title = `2 kills by ${shown} on Nuke`;
      const id = await maker.make({ facts: factsOf(name) });

      const page = await parsePage(await send(`/clips/${id}`));
      expect(page.title).toBe(`${title} · Tickreel`);
      expect(page.h1).toBe(`2 kills by ${shown}`);
      expect(page.video?.['aria-label']).toBe(title);
      for (const tag of ['og:title', 'og:image:alt', 'twitter:title', 'twitter:image:alt']) {
        expect(page.meta.get(tag)).toBe(title);
      }
      expect(page.meta.get('og:description')).toContain(`${shown} on Nuke`);
      expect(page.jsonLd).toMatchObject({ name: title });
      // The page has the same elements as that of a harmless name.
      expect([...page.elements].filter((element) => !plain.elements.has(element))).toEqual([]);
      expect([...page.attributes].filter((attribute) => !plain.attributes.has(attribute))).toEqual([]);

      const embed = await parsePage(await send(`/clips/${id}/embed`));
      expect(embed.title).toBe(title);
      expect(embed.elements).not.toContain('img');

      const json = await (await send(`/oembed?url=${BASE_URL}/clips/${id}`)).json<Record<string, string>>();
      expect(json.title).toBe(title);
      const frame = await parsePage(new Response(json.html));
      expect([...frame.elements]).toEqual(['iframe']);
      expect([...frame.attributes].some((attribute) => attribute.startsWith('on'))).toBe(false);

      const xml = await (await send(`/oembed?url=${BASE_URL}/clips/${id}&format=xml`)).text();
      expect(xml.match(/<\/?[a-z_]+>/g)?.filter((tag) => tag.startsWith('</'))).toHaveLength(14);
      // The characters that XML 1.0 allows, and nothing else.
      expect(xml).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
      expect(xml).not.toMatch(/&(?!#\d+;)/);

      const file = await send(`/clips/${id}/video.mp4?download`, { method: 'HEAD' });
      expect(file.headers.get('Content-Disposition')).toMatch(
        /^attachment; filename="[\x20-\x21\x23-\x7e]*\.mp4"; filename\*=UTF-8''[\w.!#$&+^`|~%-]+\.mp4$/,
      );
    });
  }
});

let key: string;

beforeAll(async () => {
  key = (await createAccount()).metered;
});

describe('a request that makes the service call itself', () => {
  it('is refused where it names the service as its webhook', async () => {
    const request = roundRequest({ webhook_url: `${BASE_URL}/api/clips`, webhook_auth_header: `Bearer ${key}` });
    const response = await sendJson(key, 'POST', '/api/clips', request);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path: 'webhook_url' }] });
  });

  it('fails its job where it names the service as its demo', async () => {
    const jobId = await submit(key, { demo_url: `${BASE_URL}/clips/x/video.mp4` });
    expect(await readJob(key, jobId)).toMatchObject({ status: 'error', error_code: 'demo_url_rejected' });
  });

  it('gets 508 at every address if a webhook of the service made it: each webhook has a mark', async () => {
    const host = await createHost();
    const inbox = createInbox();
    const jobId = await submit(key, { webhook_url: inbox.url });
    await host.report(await host.claimJob(jobId), 'fail', { code: 'demo_404', detail: 'gone' });
    await runDurableObjectAlarm(bindings.RENDER_JOB.getByName(jobId));
    const [webhook] = await inbox.received();
    const hop = String(webhook?.headers['x-service-hop']);
    for (const path of ['/api/clips', '/api/jobs', '/', '/gateway/v1/claim', '/nowhere']) {
      const headers = { Authorization: `Bearer ${key}`, 'X-Service-Hop': hop };
      expect((await send(path, { method: 'POST', headers, body: JSON.stringify(roundRequest()) })).status).toBe(508);
    }
  });
});
