import { beforeAll, describe, expect, it } from 'vitest';
import { sweepFiles } from '../../src/sweep-files.ts';
import { findClip } from '../../storage/clip-index.ts';
import { createClipMaker } from '../support/clips.ts';
import { createHarsh } from '../support/harsh.ts';
import { THUMBNAIL } from '../support/host.ts';
import { bindings, send, submit } from '../support/service.ts';
import { standInJpeg } from '../support/stand-ins.ts';

const BOARD = standInJpeg(3000, 11);
const HOUR = 60 * 60 * 1000;
let maker: Awaited<ReturnType<typeof createClipMaker>>;

beforeAll(async () => {
  maker = await createClipMaker();
});

const load = async (id: string, file: string) => {
  const response = await send(`/clips/${id}${file}`);
  return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
};
const pageOf = async (id: string) => new TextDecoder().decode((await load(id, '')).body);
const keysOf = async (id: string) =>
  (await bindings.CLIPS.list({ prefix: `clips/${id}/` })).objects.map(({ key }) => key.split('/').at(-1));

describe('a storyboard', () => {
  it('is named by the pages of its clip and served, and is gone with the clip', async () => {
    const id = await maker.make({ storyboard: BOARD });
    expect(await load(id, '/storyboard.jpg')).toEqual({ status: 200, body: BOARD });
    for (const page of [await pageOf(id), new TextDecoder().decode((await load(id, '/embed')).body)]) {
      const named = page.match(/data-board="([^"]+)" data-columns="6" data-rows="4" data-interval="0.5"/)?.[1];
      expect(named).toMatch(`/clips/${id}/storyboard.jpg?v=`);
    }
    await maker.remove(id);
    expect((await load(id, '/storyboard.jpg')).status).toBe(410);
    await expect.poll(() => keysOf(id)).toEqual([]);
  });

  it('of a render before is not shown with one of a host that makes none', async () => {
    const id = await maker.make({ storyboard: BOARD });
    await maker.remake(id, {});
    await expect.poll(() => pageOf(id)).not.toContain('storyboard.jpg');
    expect((await load(id, '/storyboard.jpg')).status).toBe(404);
  });

  it('is a file of its clip to whoever looks for those of nobody, and costs no object a call', async () => {
    const harsh = createHarsh();
    // What tests before have left.
    await sweepFiles(harsh.service, Date.now() + 2 * HOUR);
    const id = await maker.make({ storyboard: BOARD });
    await expect.poll(() => findClip(harsh.service.database, id)).not.toBeNull();
    harsh.reset();
    await sweepFiles(harsh.service, Date.now() + 2 * HOUR);
    expect(await keysOf(id)).toEqual(['storyboard.jpg', 'thumbnail.jpg', 'video.mp4']);
    expect(harsh.calls.filter((call) => call.startsWith('RENDER_JOB'))).toEqual([]);
  });

  it('is held to what was announced of it', async () => {
    const grant = await maker.host.claimJob(await submit(maker.key));
    expect(grant.optional_files).toEqual(['storyboard']);
    await maker.host.heartbeat(grant);
    for (const file of ['video', 'thumbnail', 'storyboard'] as const) await maker.host.upload(grant, file, THUMBNAIL);
    const answers = await Promise.all(
      [{ bytes: 1_000_001 }, { columns: 0 }, { interval_seconds: 0 }, { sha256: 'a'.repeat(64) }].map(async (lie) => {
        const { bytes, sha256 } = { bytes: THUMBNAIL.byteLength, sha256: 'b'.repeat(64) };
        const storyboard = { bytes, sha256, columns: 6, rows: 4, interval_seconds: 0.5, ...lie };
        const file = { bytes, sha256 };
        const told = { title: 't', duration_seconds: 1, video: file, thumbnail: file, storyboard };
        return (await maker.host.report(grant, 'complete', told)).status;
      }),
    );
    expect(answers).toEqual([400, 400, 400, 409]);
    await maker.host.report(grant, 'release');
  });
});
