import { describe, expect, it } from 'vitest';
import { purgeMedia } from '../../durable-objects/render-job/purge-media.ts';
import { loadSettings } from '../../platform/settings.ts';
import { bindings } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const SETTINGS = {
  mediaBaseUrl: 'https://media.example.com',
  purge: { zoneId: '0123456789abcdef0123456789abcdef', token: 'a-token' },
};

/** The receiver of the tests, standing for Cloudflare's API: it ignores what follows its inbox's name. */
function createApi(answers?: string) {
  const inbox = createInbox(answers);
  return { ...inbox, url: `${inbox.url}&path=` };
}

describe('purging the media host', () => {
  it('names both files of the prefix to the zone, with the token', async () => {
    const api = createApi();
    await purgeMedia(SETTINGS, 'clips/some-clip/3/', api.url);
    const [request, ...more] = await api.received();
    expect(more).toEqual([]);
    expect(request?.headers.authorization).toBe('Bearer a-token');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      files: [
        'https://media.example.com/clips/some-clip/3/video.mp4',
        'https://media.example.com/clips/some-clip/3/thumbnail.jpg',
      ],
    });
  });

  it('fails where the zone did not accept it, so that the deletion is carried out again', async () => {
    const api = createApi('500,200');
    await expect(purgeMedia(SETTINGS, 'clips/some-clip/3/', api.url)).rejects.toThrow('500');
    await purgeMedia(SETTINGS, 'clips/some-clip/3/', api.url);
    expect(await api.received()).toHaveLength(2);
  });

  it('asks nobody without a configured zone', async () => {
    const api = createApi();
    await purgeMedia({ ...SETTINGS, purge: null }, 'clips/some-clip/3/', api.url);
    expect(await api.received()).toEqual([]);
  });
});

describe('settings for a media host', () => {
  const load = (more: Record<string, string>) => loadSettings({ ...bindings, ...more });
  const zone = { PURGE_ZONE_ID: SETTINGS.purge.zoneId, PURGE_TOKEN: 'a-token' };
  const media = { MEDIA_BASE_URL: 'https://media.example.com/' };

  it('are none, a host alone, or a host with a zone', () => {
    expect(load({})).toMatchObject({ mediaBaseUrl: null, purge: null });
    expect(load(media)).toMatchObject({ mediaBaseUrl: 'https://media.example.com', purge: null });
    expect(load({ ...media, ...zone })).toMatchObject(SETTINGS);
    for (const half of [zone, { ...media, PURGE_TOKEN: 'a-token' }, { ...media, PURGE_ZONE_ID: zone.PURGE_ZONE_ID }]) {
      expect(() => load(half)).toThrow('belong together');
    }
  });

  it('refuse to show the newest clip of all accounts but on a local stack', () => {
    expect(load({ LANDING_CLIP_ID: 'latest' }).landingClip).toBe('latest');
    expect(() => load({ LANDING_CLIP_ID: 'latest', ENVIRONMENT: 'production' })).toThrow('latest');
    expect(load({}).landingClip).toBeNull();
  });
});
