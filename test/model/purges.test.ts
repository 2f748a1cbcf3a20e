import { describe, expect, it } from 'vitest';
import { Purges } from '#durable-objects/purge-queue/purges.ts';
import type { Purge } from '#rpc/bindings.ts';
import { createQueueStorage } from '../support/queue-storage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** With a media host each purge has two of the hundred addresses of a request. */
const MOST = 50;

/**
 * A zone on the Free plan: five requests a minute after a burst of 25
 * (developers.cloudflare.com/cache/how-to/purge-cache, 2026-07-29). It also punishes a request before `Retry-After`.
 */
function createZone() {
  let tokens = 25;
  let filledAt = 0;
  let barredUntil = 0;
  const zone = {
    purged: [] as { readonly prefix: string; readonly at: number }[],
    requests: 0,
    refused: 0,
    early: 0,
    answer(prefixes: readonly string[], now: number) {
      zone.requests++;
      if (now < barredUntil) zone.early++;
      tokens = Math.min(25, tokens + ((now - filledAt) * 5) / MINUTE);
      filledAt = now;
      if (tokens < 1) {
        zone.refused++;
        const waitMs = Math.ceil(((1 - tokens) * MINUTE) / 5 / 1000) * 1000;
        barredUntil = now + waitMs;
        return { why: 'status 429', waitMs };
      }
      tokens--;
      for (const prefix of prefixes) zone.purged.push({ prefix, at: now });
      return null;
    },
  };
  return zone;
}

/** A queue under a virtual clock. Its object is evicted before each alarm, as after ten idle seconds. */
function createWorld() {
  const zone = createZone();
  const tables = createQueueStorage();
  let now = 0;
  let alarm: number | null = null;
  let alarms = 0;
  const storage = {
    ...tables,
    getAlarm: async () => alarm,
    async setAlarm(at: number | Date) {
      alarm = Number(at);
    },
    async deleteAlarm() {
      alarm = null;
    },
  };
  const load = () =>
    new Purges({
      storage,
      log: () => {},
      most: MOST,
      now: () => now,
      send: async (prefixes) => zone.answer(prefixes, now),
    });
  let purges = load();
  return {
    zone,
    tables,
    alarms: () => alarms,
    waiting: () => purges.waiting(),
    add: (reason: Purge['reason'], prefix: string) => purges.add({ reason, prefix }),
    /** Fires each alarm on time until a moment. */
    async until(moment: number): Promise<void> {
      while (alarm !== null && alarm <= moment) {
        now = Math.max(now, alarm);
        alarm = null;
        alarms++;
        purges = load();
        await purges.wake();
      }
      now = moment;
    },
  };
}

describe('purges on a Free zone', () => {
  it('drain at 100,000 deletions a day, each within 16 seconds', { tags: ['long'] }, async () => {
    const { zone, add, until, waiting } = createWorld();
    for (let i = 0; i < 100_000; i++) {
      await until((i * DAY) / 100_000);
      await add('deletion', `clips/${i}/1/`);
    }
    await until(DAY + MINUTE);
    expect(await waiting()).toBe(0);
    const waits = zone.purged.map(({ prefix, at }) => at - (Number(prefix.split('/')[1]) * DAY) / 100_000);
    expect(zone.purged).toHaveLength(100_000);
    expect(waits.reduce((longest, wait) => Math.max(longest, wait))).toBeLessThanOrEqual(16_000);
    expect(zone.refused).toBe(0);
    // Of 7,200 that the zone allows.
    expect(zone.requests).toBeLessThan(6000);
  });

  it('of a client that deletes all at once do not delay a take-down or an erasure, and no request is sent before it may be', async () => {
    const { zone, add, until, waiting } = createWorld();
    for (let i = 0; i < 20_000; i++) await add(i % 2 ? 'deletion' : 'overwrite', `clips/${i}/1/`);
    await until(9 * MINUTE);
    expect(zone.refused).toBeGreaterThan(0);
    const sent = zone.purged.length;
    await add('overwrite', 'clips/late/1/');
    await add('deletion', 'clips/later/1/');
    await add('erasure', 'clips/last/');
    await add('take-down', 'clips/down/');
    await until(2 * HOUR);
    expect(zone.early).toBe(0);
    const order = zone.purged.map(({ prefix }) => prefix);
    expect(order.slice(sent, sent + 2)).toEqual(['clips/down/', 'clips/last/']);
    // Deletions before overwrites, and the oldest first. What caches have dropped by themselves is not purged.
    expect(order.slice(0, sent).every((prefix) => Number(prefix.split('/')[1]) % 2 === 1)).toBe(true);
    expect(order.slice(-2)).toEqual(['clips/later/1/', 'clips/late/1/']);
    const sentAt = new Map(zone.purged.map(({ prefix, at }) => [prefix, at]));
    expect(sentAt.get('clips/late/1/')).toBeLessThanOrEqual(11 * MINUTE);
    expect(order.length).toBeLessThan(10_000);
    expect(await waiting()).toBe(0);
  });

  it('wait as rows alone: a million of them have one alarm, and each alarm sends one request', {
    tags: ['long'],
  }, async () => {
    const { zone, tables, alarms, add, until, waiting } = createWorld();
    tables.sql.exec(`INSERT INTO purges
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999998)
      SELECT 3, 0, 'clips/' || i || '/1/' FROM n`);
    await add('overwrite', 'clips/new/1/');
    expect(await waiting()).toBe(10_000);
    await until(2 * HOUR);
    // Five a minute, for the ten minutes in which they help.
    expect(zone.purged.length).toBeGreaterThan(5 * 10 * MOST);
    expect(await waiting()).toBe(0);
    expect(zone.early).toBe(0);
    // The last alarm finds none.
    expect(alarms()).toBe(zone.requests + 1);
  });
});
