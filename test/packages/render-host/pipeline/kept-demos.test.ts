import { appendFile, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import { createKeptDemos, type KeptDemos } from '#render-host/pipeline/kept-demos.ts';
import { createRenderClip, type RenderRequest } from '#render-host/pipeline/render-clip.ts';
import { silentRenderObserver } from '#render-host/pipeline/render-observer.ts';
import { NO_CARDS, PLAIN_KILLS } from '#test/support/plain-order.ts';
import { serve } from '../download/serve.ts';

const SCRIPT = composeMatch({
  rounds: [{ startTick: 10, endTick: 600, winner: 'T' }],
  kills: [{ tick: 400, attacker: 0, victim: 5 }],
  lastTick: 1200,
});
const DEMO = Buffer.from(encodeDemo(SCRIPT));
const MINE = 'a'.repeat(32);
const THEIRS = 'b'.repeat(32);
const HOUR_MS = 60 * 60_000;
const PLENTY = 1e9;

let folder: string;
let now: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kept-'));
  now = 0;
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const keeping = (maxBytes = PLENTY): KeptDemos => createKeptDemos(join(folder, 'kept'), maxBytes, () => now);

/** Creates a host that gets one demo, and a count of its work. */
async function createHost(kept: KeptDemos) {
  let downloads = 0;
  const url = await serve((_request, response) => {
    downloads++;
    response.end(DEMO);
  });
  const stages: string[] = [];
  let reused = 0;
  const captured: string[] = [];
  const accounts = new Set<string | null>();
  const renderClip = await createRenderClip({
    environment: process.env,
    log: { info: () => {}, warn: () => {} },
    kept,
    observer: {
      ...silentRenderObserver,
      stageEnded: (stage) => void stages.push(stage),
      demoReused: () => void reused++,
    },
    // A renderer that uses the demo, without a picture.
    capture: async ({ match, demoPath, workDir, account }) => {
      accounts.add(account ?? null);
      const demo = await open(demoPath);
      captured.push(`${match.players.length} players, ${(await demo.stat()).size} bytes`);
      await demo.close();
      return { ok: false, code: 'render_failed', detail: `not drawn in ${workDir.length > 0}` };
    },
  });
  const render = async (demoKey: string | undefined, more: Partial<RenderRequest> = {}) => {
    const workDir = await mkdtemp(join(folder, 'job-'));
    return renderClip({
      order: {
        demoUrl: `${url}/match.dem`,
        selection: {
          ...PLAIN_KILLS,
          steam64Id: SCRIPT.players[0]?.steamId ?? '',
          round: null,
          preKillPadding: 1,
          postKillPadding: 1,
        },
        fps: 5,
        resolution: 1080,
        xray: false,
        onlyDeathnotices: true,
        ownKillfeed: false,
        damageTicker: false,
        thumbnailStyle: 'none',
        watermarkImageId: null,
        ...NO_CARDS,
      },
      demoKey,
      workDir,
      acceptedDomains: ['*'],
      allowPrivateAddresses: true,
      signal: new AbortController().signal,
      onProgress: () => {},
      ...more,
    });
  };
  return { render, stages, captured, accounts, downloads: () => downloads, reused: () => reused };
}

describe('a second clip of a demo', () => {
  it('begins without a download and without a parse', async () => {
    const host = await createHost(keeping());
    const first = await host.render(MINE);
    expect(first).toMatchObject({ code: 'render_failed' });
    host.stages.length = 0;
    expect(await host.render(MINE)).toEqual(first);
    expect([host.downloads(), host.reused()]).toEqual([1, 1]);
    expect(host.stages).not.toContain('parse');
    expect(host.captured).toEqual([host.captured[0], host.captured[0]]);
    expect(host.captured[0]).toMatch(new RegExp(`[1-9]\\d* players, ${DEMO.length} bytes`));
    expect([...host.accounts]).toEqual([null]);
    await host.render(MINE, { account: THEIRS });
    expect([...host.accounts]).toEqual([null, THEIRS]);
    // A renderer deletes its demo at the end. The cache has its own.
    await host.render(MINE);
    expect(host.downloads()).toBe(1);
  });

  it.each([
    ['of another account', THEIRS],
    ['of a gateway that names none', undefined],
  ])('%s has nothing of it', async (_, key) => {
    const host = await createHost(keeping());
    await host.render(MINE);
    await host.render(key);
    expect([host.downloads(), host.reused()]).toEqual([2, 0]);
  });

  it.each(['match.dem', 'match.bin'])('downloads it again if the cached %s is damaged', async (name) => {
    const kept = keeping();
    const host = await createHost(kept);
    const first = await host.render(MINE);
    // The digest of the files is computed while the first clip renders. The second clip waits for it.
    await host.render(MINE);
    const [place = ''] = await readdir(join(folder, 'kept'));
    const file = await open(join(folder, 'kept', place, name), 'r+');
    await file.write(Buffer.from([0x99]), 0, 1, 1000);
    await file.close();
    expect(await host.render(MINE)).toEqual(first);
    expect([host.downloads(), host.reused()]).toEqual([2, 1]);
    expect(kept.keys()).toEqual([MINE]);
    await host.render(MINE);
    expect(host.reused()).toBe(2);
  });

  it('downloads it again after an hour', async () => {
    const kept = keeping();
    const host = await createHost(kept);
    await host.render(MINE);
    now = HOUR_MS - 1;
    expect(kept.keys()).toEqual([MINE]);
    now = HOUR_MS;
    expect(kept.keys()).toEqual([]);
    await host.render(MINE);
    expect(host.downloads()).toBe(2);
  });

  it('is refused where its address is not accepted any more', async () => {
    const host = await createHost(keeping());
    await host.render(MINE);
    const refused = await host.render(MINE, { acceptedDomains: ['demos.example.com'] });
    expect(refused).toMatchObject({ ok: false, code: 'demo_url_rejected' });
    expect(host.reused()).toBe(0);
  });

  it('finds nothing on a host that may keep nothing', async () => {
    const kept = keeping(0);
    const host = await createHost(kept);
    await host.render(MINE);
    await host.render(MINE);
    expect([host.downloads(), kept.keys()]).toEqual([2, []]);
    expect(await readdir(folder)).not.toContain('kept');
  });
});

describe('what is kept', () => {
  /** Files of ten bytes in all. */
  async function keep(kept: KeptDemos, key: string, bytes = 10): Promise<void> {
    const [demo, match] = [join(folder, 'demo'), join(folder, 'match')];
    await writeFile(demo, Buffer.alloc(bytes - 1));
    await writeFile(match, Buffer.alloc(1));
    await kept.keep(key, demo, match, ['a.dem']);
    await rm(demo);
  }

  it('goes, the oldest first, where there is no room for more', async () => {
    const kept = keeping(30);
    for (const key of ['one', 'two', 'three', 'four']) await keep(kept, key);
    expect(kept.keys()).toEqual(['four', 'three', 'two']);
    await keep(kept, 'five', 15);
    expect(kept.keys()).toEqual(['five', 'four']);
    expect(await readdir(join(folder, 'kept'))).toHaveLength(2);
  });

  it('stays where something comes that is too large for all of it', async () => {
    const kept = keeping(30);
    await keep(kept, 'one');
    await keep(kept, 'large', 31);
    expect(kept.keys()).toEqual(['one']);
  });

  it('evicts old entries for new ones', async () => {
    const kept = keeping(20);
    await keep(kept, 'one');
    await keep(kept, 'two');
    await keep(kept, 'one');
    expect(kept.keys()).toEqual(['one', 'two']);
  });

  it('goes when the disk is needed', async () => {
    const kept = keeping();
    await keep(kept, 'one');
    await keep(kept, 'two');
    await kept.clear();
    expect([kept.keys(), await readdir(join(folder, 'kept'))]).toEqual([[], []]);
  });

  it('is nothing where there is no file to keep', async () => {
    const kept = keeping();
    await appendFile(join(folder, 'match'), 'x');
    await kept.keep('one', join(folder, 'absent'), join(folder, 'match'), []);
    expect(kept.keys()).toEqual([]);
  });
});
