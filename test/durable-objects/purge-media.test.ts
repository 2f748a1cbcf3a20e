import { describe, expect, it } from 'vitest';
import { purgeMedia } from '#durable-objects/render-job/purge-media.ts';
import { loadSettings } from '#platform/settings.ts';
import { bindings } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const SETTINGS = {
  baseUrl: 'https://tickreel.test',
  mediaBaseUrl: 'https://media.example.com',
  purge: { zoneId: '0123456789abcdef0123456789abcdef', token: 'a-token' },
};

/** Replaces Cloudflare's API by the receiver of the tests, which ignores the rest of the path. */
function createApi(answers?: string) {
  const inbox = createInbox(answers);
  return { ...inbox, url: `${inbox.url}&path=` };
}

describe('purging the caches', () => {
  it('sends the zone the prefix of the files and the clip’s address, with the token', async () => {
    const api = createApi();
    await purgeMedia(SETTINGS, 'clips/some-clip/3/', 'some-clip', api.url);
    const [request, ...more] = await api.received();
    expect(more).toEqual([]);
    expect(request?.headers.authorization).toBe('Bearer a-token');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      prefixes: ['tickreel.test/clips/some-clip', 'media.example.com/clips/some-clip/3'],
    });
  });

  it('sends only the clip’s address if there is no media host', async () => {
    const api = createApi();
    await purgeMedia({ ...SETTINGS, mediaBaseUrl: null }, 'clips/some-clip/3/', 'some-clip', api.url);
    const [request] = await api.received();
    expect(JSON.parse(request?.body ?? '')).toEqual({ prefixes: ['tickreel.test/clips/some-clip'] });
  });

  it('fails if the zone refuses, so that the deletion is repeated', async () => {
    const api = createApi('500,200');
    await expect(purgeMedia(SETTINGS, 'clips/some-clip/3/', 'some-clip', api.url)).rejects.toThrow('500');
    await purgeMedia(SETTINGS, 'clips/some-clip/3/', 'some-clip', api.url);
    expect(await api.received()).toHaveLength(2);
  });

  it('does nothing without a configured zone', async () => {
    const api = createApi();
    await purgeMedia({ ...SETTINGS, purge: null }, 'clips/some-clip/3/', 'some-clip', api.url);
    expect(await api.received()).toEqual([]);
  });
});

describe('settings for a media host', () => {
  const load = (more: Record<string, string>) => loadSettings({ ...bindings, ...more });
  const zone = { PURGE_ZONE_ID: SETTINGS.purge.zoneId, PURGE_TOKEN: 'a-token' };
  const media = { MEDIA_BASE_URL: 'https://media.example.com/' };

  it('are none, a host alone, a zone alone, or a host with a zone', () => {
    expect(load({})).toMatchObject({ mediaBaseUrl: null, purge: null });
    expect(load(media)).toMatchObject({ mediaBaseUrl: 'https://media.example.com', purge: null });
    expect(load({ ...media, ...zone })).toMatchObject(SETTINGS);
    expect(load(zone)).toMatchObject({ mediaBaseUrl: null, purge: SETTINGS.purge });
    for (const half of [
      { ...media, PURGE_TOKEN: 'a-token' },
      { ...media, PURGE_ZONE_ID: zone.PURGE_ZONE_ID },
    ]) {
      expect(() => load(half)).toThrow('belong together');
    }
  });

  it('refuse to show the newest clip of all accounts but on a local stack', () => {
    expect(load({ LANDING_CLIP_ID: 'latest' }).landingClip).toBe('latest');
    expect(() => load({ LANDING_CLIP_ID: 'latest', ENVIRONMENT: 'production' })).toThrow('latest');
    expect(load({}).landingClip).toBeNull();
  });
});
