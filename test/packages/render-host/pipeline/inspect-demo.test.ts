import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import { HostInspection } from '#protocol/demo/demos.ts';
import { writeOutline } from '#render-host/match/inspect-match.ts';
import { createInspectDemo, fetchMatch } from '#render-host/pipeline/fetch-match.ts';
import { createKeptDemos } from '#render-host/pipeline/kept-demos.ts';
import { silentRenderObserver } from '#render-host/pipeline/render-observer.ts';
import { loadChunks, matchOf, openTracks } from '#tracks/file.ts';
import { rar } from '../decompress/archives.ts';
import { serve } from '../download/serve.ts';
import { haveRealDemos, realDemo } from '../match/real-demos.ts';

const SCRIPT = composeMatch({
  rounds: [{ startTick: 50, freezeEndTick: 100, endTick: 300, winner: 'T' }],
  kills: [5, 6, 7].map((victim, at) => ({ tick: 150 + at * 50, attacker: 0, victim, noScope: at === 2 })),
  lastTick: 640,
});
const KEY = 'a'.repeat(32);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

async function createHost() {
  const kept = createKeptDemos(join(folder, 'kept'), 1e9, () => 0);
  const log = { warn: () => {} };
  const inspect = createInspectDemo({ limits: {}, observer: silentRenderObserver, kept, log });
  const requestOf = async (demoUrl: string) => ({
    demoUrl,
    demoKey: KEY,
    workDir: await mkdtemp(join(folder, 'job-')),
    acceptedDomains: ['*'],
    allowPrivateAddresses: true,
    signal: new AbortController().signal,
  });
  return { kept, inspect, requestOf };
}

describe('an inspection', () => {
  it('says what is in a demo, and leaves it for the clips that come of it', async () => {
    let downloads = 0;
    const url = await serve((_, response) => {
      downloads++;
      response.end(Buffer.from(encodeDemo(SCRIPT)));
    });
    const { kept, inspect, requestOf } = await createHost();
    const progress: number[] = [];
    const found = await inspect({ ...(await requestOf(url)), onProgress: (at) => progress.push(at.progress) });
    if (!found.ok) throw new Error(found.detail);
    expect(HostInspection.parse(found.demo)).toEqual(found.demo);
    const steam64_id = SCRIPT.players[0]?.steamId;
    expect(found.demo).toMatchObject({
      map: 'de_mirage',
      tick_rate: 64,
      is_complete: true,
      recorded_by: null,
      rounds: [{ round: 1, start_tick: 50, end_tick: 300, winner: 'T' }],
      kills: [{ tick: 150 }, { tick: 200 }, { tick: 250, no_scope: true, attacker: 0, victim: 7 }],
      highlights: [{ kind: '3k', player: 0, round: 1, score: 70, request: { steam64_id, round: 1 } }],
    });
    expect(found.demo.players[0]).toMatchObject({ steam64_id, kills: 3, kills_by_round: { 1: 3 } });
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBeLessThanOrEqual(1);

    const clip = await fetchMatch(await requestOf(url), {}, () => {}, silentRenderObserver, kept);
    expect([clip.ok, downloads]).toEqual([true, 1]);
  });

  it('writes tracks if they are wanted, with an outline only if the operator allows it', async () => {
    const url = await serve((_, response) => response.end(Buffer.from(encodeDemo(SCRIPT))));
    const outline = { map: 'de_mirage', source: 'nav 35', splits: [], areas: [[0, 0, 0, 64, 0, 0, 64, 64, 0]] };
    await writeFile(join(folder, 'de_mirage.outline.json'), writeOutline(outline));
    const { inspect, requestOf } = await createHost();
    const limits = { limits: {}, observer: silentRenderObserver, kept: null, log: { warn: () => {} } };
    for (const [inspects, found] of [
      [inspect, undefined],
      [createInspectDemo({ ...limits, outlineDir: folder }), outline],
      [createInspectDemo({ ...limits, outlineDir: join(folder, 'none') }), undefined],
    ] as const) {
      const tracksPath = join(folder, 'tracks.bin');
      expect(await inspects({ ...(await requestOf(url)), tracksPath, onProgress: () => {} })).toMatchObject({
        ok: true,
      });
      const bytes = new Uint8Array(await readFile(tracksPath));
      const file = await openTracks(async (start, length) => bytes.slice(start, start + length));
      expect(file.outline).toEqual(found);
      expect(file.walked.length).toBeGreaterThan(5);
      const match = matchOf(file, await loadChunks(file, { startTick: 0, endTick: 641 }));
      expect(match).toMatchObject({ map: 'de_mirage', kills: [{ tick: 150 }, { tick: 200 }, { tick: 250 }] });
      expect(match.players.map(({ name }) => name)).toEqual(SCRIPT.players.map(({ name }) => name));
    }
  });

  it('chooses the demo of an archive that the address names, and lists them all, also from what is kept', async () => {
    const asked: (string | undefined)[] = [];
    const archive = rar([
      { name: 'm1-nuke.dem', content: Buffer.from('PBDEMS2\0no demo') },
      { name: 'm2 mirage.dem', content: Buffer.from(encodeDemo(SCRIPT)) },
    ]);
    const url = await serve((request, response) => {
      asked.push(request.url);
      response.end(archive);
    });
    const { inspect, requestOf } = await createHost();
    const unnamed = await inspect({ ...(await requestOf(`${url}/match.rar`)), onProgress: () => {} });
    const demos = ['m1-nuke.dem', 'm2 mirage.dem'];
    expect(unnamed).toMatchObject({ ok: false, code: 'decompress_failed', facts: { demos } });
    for (let turn = 0; turn < 2; turn++) {
      const named = await requestOf(`${url}/match.rar?sig=1#m2%20mirage.dem`);
      const found = await inspect({ ...named, onProgress: () => {} });
      expect(found).toMatchObject({ ok: true, demo: { map: 'de_mirage', archive: demos } });
    }
    expect(asked).toEqual(['/match.rar', '/match.rar?sig=1']);
  });

  it('names the content type of a page that a link gives, not of an upload', async () => {
    const url = await serve((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    const { inspect, requestOf } = await createHost();
    const demoSource = { url, headers: {} };
    const facts = { found: 'html', bytes: 6 };
    const inspected = async (more: object) => inspect({ ...(await requestOf(url)), ...more, onProgress: () => {} });
    expect(await inspected({})).toHaveProperty('facts', { ...facts, received: 'text/html' });
    expect(await inspected({ demoSource })).toHaveProperty('facts', facts);
  });

  it('fails as a render would', async () => {
    const url = await serve((_, response) => response.writeHead(404).end());
    const { inspect, requestOf } = await createHost();
    expect(await inspect({ ...(await requestOf(url)), onProgress: () => {} })).toMatchObject({ code: 'demo_404' });
    const stopped = { ...(await requestOf(url)), signal: AbortSignal.abort(), onProgress: () => {} };
    expect(await inspect(stopped)).toMatchObject({ ok: false, code: 'cs2_unavailable' });
  });

  it.skipIf(!haveRealDemos).each([
    ['14090.dem', 'cs_italy', 2],
    ['14065.dem', 'de_nuke', 0],
    ['14160.dem', 'de_dust2', 0],
  ])('reads %s, which the game recorded', async (name, map, kills) => {
    const url = await serve((_, response) => void createReadStream(realDemo(name)).pipe(response));
    const { inspect, requestOf } = await createHost();
    const found = await inspect({ ...(await requestOf(url)), onProgress: () => {} });
    if (!found.ok) throw new Error(found.detail);
    expect(HostInspection.parse(found.demo)).toEqual(found.demo);
    expect(found.demo).toMatchObject({ map, tick_rate: 64 });
    expect(found.demo.players.reduce((sum, player) => sum + player.kills, 0)).toBe(kills);
  });
});
