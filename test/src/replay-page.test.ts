import { describe, expect, it } from 'vitest';
import type { Demo } from '#protocol/demo/demos.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import { writeTracks } from '#tracks/file.ts';
import { buildMatch } from '../packages/render-host/builders.ts';
import { useScenario } from '../support/scenario.ts';
import { BASE_URL, send, sendJson } from '../support/service.ts';
import { announced } from '../support/test-host.ts';

const scene = useScenario();
const TRACKS = await writeTracks(buildMatch(), [1, 2, 3]);
let made = 0;

/** Inspects a demo with its replay. Returns the path of the replay's page. */
async function newReplay(): Promise<string> {
  const demo_url = `https://demos.example.com/paged-${++made}.dem`;
  const { id } = await (
    await sendJson(scene.account.metered, 'POST', '/api/demos', { demo_url, replay: true })
  ).json<Demo>();
  const grant = await scene.host.claim({ skills: ['inspect', 'tracks'] }, 20);
  if (grant?.job_id !== id) throw new Error('the inspection was not granted');
  await scene.host.begin(grant);
  await scene.host.upload(grant, 'tracks', TRACKS);
  await scene.host.report(grant, 'inspected', { demo: FOUND_DEMO, tracks: await announced(TRACKS) });
  const { replay_url } = await (await sendJson(scene.account.metered, 'GET', `/api/demos/${id}`)).json<Demo>();
  return (replay_url ?? '').replace(BASE_URL, '');
}
const textOf = async (path: string) => (await send(path)).text();

describe('the pages of a replay', () => {
  it('name their file and their script, and may load only what is here', async () => {
    const path = await newReplay();
    const response = await send(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'$/,
    );
    const page = await response.text();
    expect(page).toContain('<meta name="robots" content="noindex">');
    const [, tracks = ''] = /data-tracks="([^"]+)"/.exec(page) ?? [];
    expect(new Uint8Array(await (await send(tracks)).arrayBuffer())).toEqual(TRACKS);
    const [, script = ''] = /<script src="([^"]+)"/.exec(page) ?? [];
    const loaded = await send(script);
    expect([loaded.status, loaded.headers.get('Content-Type')]).toEqual([200, 'text/javascript']);
    expect((await loaded.text()).length).toBeGreaterThan(10_000);
    const font = await send('/player/text-latin.woff2');
    expect([font.headers.get('Content-Type'), (await font.arrayBuffer()).byteLength > 10_000]).toEqual([
      'font/woff2',
      true,
    ]);
    expect((await send('/player/openapi.json')).status).toBe(404);
  });

  it('may be framed as the account allows: the embed anywhere, or on its sites', { tags: ['long'] }, async () => {
    const framedBy = async (path: string) =>
      /frame-ancestors .*/.exec((await send(path)).headers.get('Content-Security-Policy') ?? '')?.[0];
    const path = await newReplay();
    expect(await framedBy(`${path}/embed`)).toBe('frame-ancestors *');
    await sendJson(scene.account.metered, 'PATCH', '/api/viewing', { embed_sites: ['example.com'] });
    const named = await newReplay();
    expect(await framedBy(`${named}/embed`)).toBe("frame-ancestors 'self' example.com");
    await sendJson(scene.account.metered, 'PATCH', '/api/viewing', { embed_sites: null });
  });

  it('are described by oEmbed with their moment', { tags: ['long'] }, async () => {
    const path = await newReplay();
    const url = `${BASE_URL}${path}?from=640&to=1280&player=2&utm=1`;
    const response = await send(`/oembed?${new URLSearchParams({ url })}`);
    expect(await response.json()).toMatchObject({
      title: 'Replay of a match',
      html: expect.stringContaining(`src="${BASE_URL}${path}/embed?from=640&#38;to=1280&#38;player=2"`),
    });
    expect(await textOf(path)).toContain(`/oembed?url=${encodeURIComponent(BASE_URL + path)}&#38;format=json`);
  });

  it('do not exist for a job without a replay', async () => {
    for (const page of ['', '/embed', '/tracks'])
      expect((await send(`/replays/${crypto.randomUUID()}${page}`)).status).toBe(404);
    expect(
      (await send(`/oembed?${new URLSearchParams({ url: `${BASE_URL}/replays/${crypto.randomUUID()}` })}`)).status,
    ).toBe(404);
  });
});
