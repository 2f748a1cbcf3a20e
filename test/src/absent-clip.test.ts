import { beforeAll, describe, expect, it } from 'vitest';
import { clipIdOf } from '../support/clip-ids.ts';
import { createClipMaker } from '../support/clips.ts';
import { send, submit } from '../support/service.ts';

let maker: Awaited<ReturnType<typeof createClipMaker>>;

beforeAll(async () => {
  maker = await createClipMaker();
});

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('what is not there', () => {
  it.each(['x/y', 'x/embed/z', 'x/video.mp4', 'x/thumbnail.jpg', '', `${crypto.randomUUID()}/video`, '%20/%ff'])(
    'a browser at /clips/%s, where there never was anything, gets the page for it',
    async (path) => {
      const response = await send(`/clips/${path}`, { headers: { Accept: BROWSER } });
      expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(await response.text()).toContain('No such clip');
      expect((await send(`/clips/${path}`, { method: 'POST', headers: { Accept: BROWSER } })).status).not.toBe(200);
    },
  );

  it('a browser at a file of a clip that is deleted, or in the making, is told so', async () => {
    const deleted = await maker.make();
    await maker.remove(deleted);
    const rendering = await clipIdOf(await submit(maker.key));
    for (const file of ['video.mp4', 'thumbnail.jpg']) {
      const gone = await send(`/clips/${deleted}/${file}`, { headers: { Accept: BROWSER } });
      expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining('This clip was deleted')]);
      const soon = await send(`/clips/${rendering}/${file}`, { headers: { Accept: BROWSER } });
      expect([soon.status, await soon.text()]).toEqual([404, expect.stringContaining('still rendering')]);
    }
  });

  it.each([
    ['x', 'application/json'],
    ['x', 'application/problem+json, text/html;q=0.5'],
    ['x/embed', 'application/json'],
    ['x/y', 'application/json'],
    ['x/y', '*/*'],
    ['x/video.mp4', 'video/mp4,*/*'],
    ['x/video.mp4', 'text/html;q=0'],
  ])('who asks for /clips/%s with Accept: %s gets a problem', async (path, accept) => {
    const response = await send(`/clips/${path}`, { headers: { Accept: accept } });
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'application/problem+json']);
  });

  it('a program that asks for JSON is told of a deleted clip by a problem, too', async () => {
    const id = await maker.make();
    await maker.remove(id);
    const response = await send(`/clips/${id}`, { headers: { Accept: 'application/json' } });
    expect([response.status, await response.json()]).toMatchObject([410, { type: '/docs/problems#gone' }]);
  });
});
