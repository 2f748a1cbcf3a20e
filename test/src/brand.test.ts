import { createExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Demo } from '#protocol/demo/demos.ts';
import { discordMessage } from '#protocol/job/discord.ts';
import { methodOf } from '#protocol/lib/routes.ts';
import type { Operation } from '#service/lib/operation.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import * as OPERATIONS from '#src/operations.ts';
import { createApp } from '#src/worker.ts';
import { createAccount } from '../support/accounts.ts';
import { freezeClock } from '../support/clock.ts';
import { parsePage } from '../support/parsed-page.ts';
import { fireAlarm, ringEvicted } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, readJob, sendJson, submit } from '../support/service.ts';

/** An address that has no name in it. */
const BASE_URL = 'https://clips.example';
const OWN = { name: 'Their Tag', url: 'https://own.example/', logo: null, colour: '#1f7a4d' };
const ACME = { BRAND_NAME: 'Acme', BRAND_URL: 'https://acme.example/', BRAND_COLOUR: '#c2185b' };
const NONE = { name: null, url: null, logo: null, colour: null };

/** Public operations for developers and operators, which may have the product's name. */
const OF_DEVELOPERS = [
  ...['openApi', 'gatewayOpenApi', 'operatorOpenApi', 'docs', 'reference', 'referenceScript', 'llms'],
  ...['problemDocs', 'errorDocs', 'consolePage'],
];
/** Names of the client in the studio's script, which nobody is shown. */
const OF_THE_CLIENT = /TickreelError|TICKREEL_(URL|API_KEY|WEBHOOK_SECRET)/g;

const patch = (id: string, brand: object) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { brand });
const open = (variables: Record<string, string>, more: Partial<Bindings> = {}) => {
  const app = createApp(createService({ ...bindings, BASE_URL, ...variables, ...more } as Bindings));
  const headers = { Accept: 'text/html,*/*' };
  return (path: string, method = 'GET') =>
    app(new Request(BASE_URL + path, { method, headers }), createExecutionContext());
};

/** Makes a replay and a clip, with files of our encoder. The account gets its brand then. Makes and deletes another. */
async function createOwner(brand: object = {}) {
  const { id } = await createAccount();
  const made = await sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${id}/keys`, { kind: 'test' });
  const { key } = await made.json<{ key: string }>();
  const asked = { demo_url: 'https://demo.test/ok.dem', replay: true };
  const inspect = async () => (await sendJson(key, 'POST', '/api/demos', asked)).json<Demo>();
  const play = async (jobId: string) => {
    await fireAlarm(jobId);
    await ringEvicted(jobId, Date.now() + 1000);
    return String((await readJob(key, jobId)).clip_id);
  };
  const render = async () => play(await submit(key, { demo_url: asked.demo_url }));
  await play((await inspect()).id);
  const demo = (await inspect()).replay_url?.split('/').pop() ?? '';
  const clip = await render();
  expect((await patch(id, brand)).status).toBe(200);
  const gone = await render();
  await sendJson(key, 'DELETE', `/api/clips/${gone}`);
  return { id, clip, gone, demo };
}
type Owner = Awaited<ReturnType<typeof createOwner>>;

const UNKNOWN = '/clips/00000000-0000-4000-8000-000000000000';
/** What viewers get, by operation. `:clip` and `:gone` are clips of an owner, `:demo` is a replay without a clip. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  landing: ['/'],
  sampleStill: ['/sample-clip.jpg'],
  clipPage: ['/clips/:clip', '/clips/:gone', '/clips/:demo', UNKNOWN, '/clips/no/such'],
  clipEmbed: ['/clips/:clip/embed', '/clips/:gone/embed'],
  clipVideo: ['/clips/:clip/video.mp4', '/clips/:clip/video.mp4?download', '/clips/:gone/video.mp4'],
  clipThumbnail: ['/clips/:clip/thumbnail.jpg?download'],
  clipStoryboard: ['/clips/:clip/storyboard.jpg'],
  replayPage: ['/replays/:demo', '/replays/:gone'],
  replayEmbed: ['/replays/:demo/embed', '/replays/:gone/embed'],
  replayTracks: ['/replays/:demo/tracks'],
  playerFile: ['/player/replay.js', '/player/text-latin.woff2', '/player/none'],
  countView: ['/clips/:clip/views'],
  shownViews: ['/clips/:clip/views'],
  moreClips: ['/clips/:clip/more'],
  oembed: ['', '&format=xml'].map((format) => `/oembed?url=${BASE_URL}/clips/:clip${format}`),
  studio: ['/studio'],
  robots: ['/robots.txt'],
  health: ['/healthz'],
};
/** Where the name of a clip's brand is, and where the deployment's is always. */
const OF_CLIPS = Object.values(ADDRESSES)
  .flat()
  .filter((path) => /^.(clips|replays).:\w+$|^.clips.:clip.embed$|:gone|^.oembed/.test(path));
const OF_ALL = ['/', UNKNOWN, '/clips/no/such', '/studio'];

/** Returns all that a service sends to viewers, by address: status, headers and bytes. */
async function crawl(variables: Record<string, string>, owner: Owner): Promise<ReadonlyMap<string, string>> {
  const ask = open(variables);
  const sent = new Map<string, string>();
  for (const [id, paths] of Object.entries(ADDRESSES)) {
    const { route } = (OPERATIONS as Record<string, Operation>)[id] as Operation;
    for (const path of paths) {
      const address = path.replace(/:(clip|gone|demo)/, (_, name: 'clip' | 'gone' | 'demo') => owner[name]);
      const response = await ask(address, methodOf(route));
      expect(response.status, path).toBeLessThan(500);
      const body = new TextDecoder('latin1').decode(await response.arrayBuffer());
      const all = `${response.status}\n${[...response.headers].join('\n')}\n${body}`;
      sent.set(path, (sent.get(path) ?? '') + all.replace(OF_THE_CLIENT, ''));
    }
  }
  const facts = { kills: 2, players: ['Ann'], map: 'de_nuke', round: 1 };
  const posted = { id: owner.clip, title: 'A clip', facts, durationSeconds: 5, videoKey: '', videoBytes: 9 };
  return sent.set('Discord', discordMessage([posted], BASE_URL));
}

/** Returns the addresses with a text, in order. */
const having = (sent: ReadonlyMap<string, string>, text: RegExp) =>
  [...sent].flatMap(([address, all]) => (text.test(all) ? [address] : [])).sort();

describe('the brand', () => {
  let plain: Owner;
  let own: Owner;
  const republish = async () => {
    for (let run = 0; run < 3; run++) {
      vi.setSystemTime(Date.now() + 2 * 60_000);
      await runUpkeep(createService(bindings), Date.now());
    }
  };

  beforeAll(async () => {
    freezeClock();
    plain = await createOwner();
    own = await createOwner(OWN);
    await republish();
  });

  it('is looked for in each public operation that is not for developers', () => {
    const known = [...Object.keys(ADDRESSES), ...OF_DEVELOPERS];
    const all = Object.entries<Operation>(OPERATIONS).flatMap(([id, { scope }]) => (scope === 'public' ? [id] : []));
    expect(known.sort()).toEqual(all.sort());
  });

  it('is the product’s by default, wherever a brand’s name can be', async () => {
    const sent = await crawl({}, plain);
    expect(having(sent, /tickreel/i)).toEqual([...OF_CLIPS, ...OF_ALL].sort());
    const [video, cover] = ['video.mp4', 'thumbnail.jpg'].map((file) => sent.get(`/clips/:clip/${file}?download`));
    expect([video, cover]).toEqual([expect.stringMatching(/filename=.*ftyp.*moov/s), expect.stringMatching(/JFIF/)]);
  });

  it('is the deployment’s, and no other name is shown', async () => {
    const sent = await crawl(ACME, plain);
    expect(having(sent, /tickreel/i)).toEqual([]);
    expect(having(sent, /Acme/)).toEqual([...OF_CLIPS, ...OF_ALL].sort());
    expect(sent.get('/clips/:gone')).toContain('<a href="https://acme.example/">What is Acme?</a>');
    expect(sent.get('/clips/:clip')).toMatch(/theme-color" content="#c2185b".*--brand:#c2185b/s);
    expect(sent.get('/clips/:clip')).toContain("fill='%23c2185b'".replaceAll("'", '&#39;'));
    expect(sent.get(ADDRESSES.oembed?.[0] ?? '')).toContain(
      `"provider_name":"Acme","provider_url":"${ACME.BRAND_URL}"`,
    );
    expect(having(sent, /Their Tag|#1f7a4d/)).toEqual([]);
  });

  it('is absent without a name', async () => {
    const sent = await crawl({ BRAND_NAME: '' }, plain);
    const left = /tickreel|\W<\/title|site_name|provider_name|class="brand"|<meta [^>]*content=""/i;
    expect(having(sent, left)).toEqual([]);
    expect(having(sent, /What is this service\?/)).toEqual(
      [...OF_CLIPS.filter((path) => /:gone(?!.embed)|clips.:demo/.test(path)), ...OF_ALL.slice(1, 3)].sort(),
    );
  });

  it('is an account’s own on its clips, old ones too, and nowhere else', async () => {
    const sent = await crawl(ACME, own);
    expect(having(sent, /tickreel/i)).toEqual([]);
    expect(having(sent, /Their Tag/)).toEqual(OF_CLIPS.toSorted());
    expect(having(sent, /Acme/)).toEqual(OF_ALL.toSorted());
    expect(having(sent, /#c2185b/)).toEqual(OF_ALL.toSorted());
  });

  it('is replaced as a whole, also for test keys, and can be removed', async () => {
    const read = async (answer: Response) => (await answer.json<{ brand: object }>()).brand;
    const shown = { ...NONE, name: '' };
    expect(await read(await patch(own.id, { name: '' }))).toEqual(shown);
    expect(await read(await sendJson(ADMIN_TOKEN, 'GET', `/admin/accounts/${own.id}`))).toEqual(shown);
    await republish();
    expect(having(await crawl({ BRAND_NAME: 'Acme' }, own), /Acme|Their Tag/)).toEqual(
      [...OF_ALL, ...OF_CLIPS.filter((path) => path.includes(':gone'))].sort(),
    );
    expect(await read(await patch(own.id, {}))).toEqual(NONE);
    await republish();
    const { title } = await parsePage(await open({ BRAND_NAME: 'Acme' })(`/clips/${own.clip}`));
    expect(title).toMatch(/ · Acme$/);
  });

  it('is refused with the reason', async () => {
    const wrong = { name: 'Acme', colour: '#777777', logo: 'https://elsewhere.example/logo.svg' };
    const errors = [/must be the path/, /it has 4\.47/].map((it) => ({ message: expect.stringMatching(it) }));
    expect(await (await patch(plain.id, wrong)).json()).toMatchObject({ status: 400, errors });
    const nameless = [{ path: 'brand.name', message: 'is required with the other fields of a brand' }];
    for (const brand of [{ url: 'https://acme.example/' }, { name: null, colour: '#1f4fbf' }]) {
      expect(await (await patch(plain.id, brand)).json()).toMatchObject({ status: 400, errors: nameless });
    }
  });

  it('has a logo instead of the icon and the name, which the service serves', async () => {
    const STATIC = { fetch: async () => new Response('<svg/>') } as unknown as Fetcher;
    const ask = open({ BRAND_NAME: '', BRAND_LOGO: '/player/logo.svg' }, { STATIC });
    const { links } = await parsePage(await ask(`/clips/${plain.clip}`));
    expect(links.find(({ rel }) => rel === 'icon')?.href).toBe('/player/logo.svg');
    expect(await (await ask(`/clips/${plain.clip}`)).text()).toContain('<img src="/player/logo.svg" alt="Home">');
    const logo = await ask('/player/logo.svg');
    expect([logo.status, logo.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
    expect((await ask('/player/studio.svg')).status).toBe(404);
    expect((await open({})('/player/logo-missing.svg')).status).toBe(404);
  });
});
