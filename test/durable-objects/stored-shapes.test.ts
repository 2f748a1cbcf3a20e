import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { entryOf } from '#domain/more-clips.ts';
import type { PublicRecord } from '#domain/public-record.ts';
import { clipListKey } from '#domain/storage-keys.ts';
import { createPushHostRows } from '#durable-objects/dispatcher/push-hosts.ts';
import { createPushHostStore, type StoredPushHost } from '#durable-objects/push-host/stored-push-host.ts';
import { DeliveryStore, type LoggedDelivery } from '#durable-objects/render-job/delivery-store.ts';
import { createJobStore } from '#durable-objects/render-job/job-store.ts';
import type { StoredRequest } from '#durable-objects/render-job/stored-request.ts';
import type { RegisteredPushHost } from '#rpc/dispatcher.ts';
import { writeLists } from '#storage/clip-lists.ts';
import { parseRecord } from '#storage/public-record.ts';
import { jobs } from '../core/domain/builders.ts';
import { bindings } from '../support/service.ts';

/** The type with every field required: a new field does not compile until it has a value below. */
type Whole<T> = T extends readonly (infer One)[]
  ? readonly Whole<One>[]
  : T extends object
    ? { readonly [Name in keyof T]-?: Whole<Exclude<T[Name], undefined>> }
    : T;

/** Runs a test on the storage of an unused object. */
const onStorage = (test: (storage: DurableObjectStorage) => void) =>
  runInDurableObject(bindings.DISPATCHER.getByName(crypto.randomUUID()), (_, { storage }) => test(storage));

const file = (key: string) => ({ key, bytes: 1, sha256: 'ab' });
const policy = { revision: 3, labels: ['eu'], hold: 'paused', holdUntil: 4 } as const;
const files = {
  video: file('video'),
  thumbnail: file('thumbnail'),
  storyboard: { ...file('storyboard'), columns: 5, rows: 2, intervalSeconds: 1.5 },
};
const shown = {
  ...{
    title: 'title',
    facts: { kills: 2, players: ['a'], killers: ['a'], map: 'de_nuke', round: 3 },
    resolution: 1080,
    fps: 30,
  },
  ...{ durationSeconds: 7.5, ...files, createdAt: 8, renderedAt: 9 },
};

const REGISTERED: Whole<RegisteredPushHost> = {
  hostId: 'host',
  slots: 2,
  capability: {
    ...{ maxResolution: 1440, maxFps: 120, renderer: 'cs2', gameBuild: '14000' },
    ...{ labels: ['eu'], skills: ['inspect', 'uploads'] },
  },
  policy,
};

const PUSHED: Whole<StoredPushHost> = {
  id: 'host',
  push: {
    url: 'https://host.example.com/jobs',
    slots: 2,
    capabilities: { renderer: 'cs2', max_resolution: 1440, max_fps: 120, game_build: '14000', skills: ['inspect'] },
  },
  tokenSha256: 'ab',
  policy,
  circuit: { failures: 1, restUntil: 5 },
};

const common = {
  kind: 'clip' as const,
  demo_url: 'https://demos.example.com/1.dem',
  resolution: 1440 as const,
  extras: '{"a":1}',
};
const REQUESTS: StoredRequest[] = [
  { ...common, steam64_id: '76561198000000001', round: 3, fps: 60, hud_killfeed: true, idempotency_key: 'key' },
  { ...common, steam64_id: '', forgotten: { at: 1, fingerprint: 'ab' } },
  { ...common, timeline: [{ steam64_id: '76561198000000001', start_tick: 1, end_tick: 70 }], thumbnail_style: 'none' },
  { kind: 'inspection', demo_url: common.demo_url },
];

describe('a stored value is read with every field', () => {
  it('of a registered push host', () =>
    onStorage((storage) => {
      const hosts = createPushHostRows(storage.sql);
      hosts.save(REGISTERED);
      expect(hosts.load()).toEqual([REGISTERED]);
    }));

  it('of the object that sends jobs to a push host', () =>
    onStorage((storage) => {
      const store = createPushHostStore(storage);
      store.save(PUSHED);
      expect(store.load()).toEqual(PUSHED);
    }));

  it.each(REQUESTS)('of a request %#', (request) =>
    onStorage((storage) => {
      const store = createJobStore(storage);
      const stored = { job: jobs.retrying(), request, outbox: [] };
      store.create(stored);
      expect(store.load()).toEqual(stored);
    }),
  );

  it('of a delivery', () =>
    onStorage(({ sql }) => {
      const delivery: Whole<LoggedDelivery> = {
        ...{ id: 'id', run: 2, status: 'queued', attempts: 1, nextAt: 4, createdAt: 5 },
        log: [{ at: 6, status: 500, error: 'error' }],
      };
      const store = new DeliveryStore(sql);
      store.announce(delivery, { event: 'event', url: 'url', body: 'body' });
      store.update(delivery);
      expect(store.find('id')).toEqual(delivery);
      expect(store.outcome(2)).toEqual({ event: 'event', url: 'url', body: 'body' });
    }));

  it('of a public record', async () => {
    const clip = { ...shown, embedSites: ['https://a.example.com'], showsViews: true, lists: ['list'] };
    const record: Whole<PublicRecord> = { version: 3, state: 'ready', clip };
    expect(parseRecord(JSON.stringify(record))).toEqual(record);
    for (const id of ['one', 'two']) await writeLists(bindings.CLIPS, ['list'], id, record);
    const list = await (await bindings.CLIPS.get(clipListKey('list')))?.json();
    expect(list).toEqual(expect.arrayContaining(['one', 'two'].map((id) => entryOf(id, record, 'list'))));
  });
});
