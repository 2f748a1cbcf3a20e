import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidatesOf, MOST_SHARDS, placeOf, shardOfHost } from '#domain/shards.ts';

const IDS = Array.from({ length: 8_000 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
const jobOf = (id: string, priority = false) => ({ id, accountId: `account of ${id.slice(-2)}`, priority });
const shards = fc.integer({ min: 1, max: MOST_SHARDS });
const counts = (places: readonly number[], of: number) =>
  Array.from({ length: of }, (_, shard) => places.filter((place) => place === shard).length);
const nothingKnown = () => null;

describe('the ring', () => {
  it('has one shard for everything where there is one', () => {
    for (const id of IDS.slice(0, 100)) {
      expect([shardOfHost(id, 1), ...candidatesOf(jobOf(id), 1), ...candidatesOf(jobOf(id, true), 1)]).toEqual([
        0, 0, 0,
      ]);
    }
  });

  it.each([2, 5, 16])('spreads hosts, accounts and jobs evenly over %s shards', (of) => {
    const even = IDS.length / of;
    for (const places of [
      IDS.map((id) => shardOfHost(id, of)),
      IDS.map((id) => candidatesOf({ id: '', accountId: id, priority: true }, of)[0] ?? -1),
      IDS.map((id) => candidatesOf(jobOf(id), of)[0] ?? -1),
      IDS.map((id) => candidatesOf(jobOf(id), of)[1] ?? -1),
    ]) {
      const found = counts(places, of);
      expect(Math.min(...found)).toBeGreaterThan(even * 0.85);
      expect(Math.max(...found)).toBeLessThan(even * 1.15);
    }
  });

  it('never changes: hosts and jobs find their shards again after a deploy', () => {
    expect([0, 1, 2, 3].map((n) => shardOfHost(IDS[n] ?? '', 16))).toEqual([6, 8, 8, 3]);
    expect(candidatesOf(jobOf(IDS[0] ?? ''), 16)).toEqual([13, 10]);
  });

  it('moves only the keys of the added or removed shard', () => {
    for (let of = 1; of < MOST_SHARDS; of++) {
      const some = IDS.slice(0, 2000);
      const moved = some.filter((id) => shardOfHost(id, of) !== shardOfHost(id, of + 1));
      expect(new Set(moved.map((id) => shardOfHost(id, of + 1)))).toEqual(new Set([of]));
      expect(moved.length).toBeLessThan((some.length / (of + 1)) * 1.25);
    }
  });

  it('gives a job two different shards, and all reserved jobs of an account one', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), fc.uuid(), shards, (id, other, accountId, of) => {
        const two = candidatesOf({ id, accountId, priority: false }, of);
        expect(new Set(two).size).toBe(Math.min(2, of));
        expect(two.every((shard) => shard < of)).toBe(true);
        const reserved = (job: string) => candidatesOf({ id: job, accountId, priority: true }, of);
        expect(reserved(id)).toHaveLength(1);
        expect(reserved(id)).toEqual(reserved(other));
      }),
    );
  });
});

describe('the place of a job', () => {
  it('is the shorter of its two shards, the first of them where neither is, or one of which nothing is known', () => {
    for (const id of IDS.slice(0, 100)) {
      const job = jobOf(id);
      const [first = -1, second = -1] = candidatesOf(job, 16);
      const lengths = (a: number | null, b: number | null) => (shard: number) => (shard === first ? a : b);
      expect(placeOf(job, 16, [], lengths(3, 2))).toBe(second);
      expect(placeOf(job, 16, [], lengths(2, 3))).toBe(first);
      expect(placeOf(job, 16, [], lengths(2, 2))).toBe(first);
      expect(placeOf(job, 16, [], lengths(2, null))).toBe(second);
      expect(placeOf(job, 16, [], nothingKnown)).toBe(first);
    }
  });

  it('stays as long as the ring lets it, whatever the lengths are', () => {
    fc.assert(
      fc.property(fc.uuid(), shards, fc.array(fc.nat({ max: MOST_SHARDS - 1 }), { maxLength: 3 }), (id, of, known) => {
        const job = jobOf(id);
        const candidates = candidatesOf(job, of);
        const may = known.filter((shard) => candidates.includes(shard));
        const place = placeOf(job, of, known, (shard) => (shard === may[0] ? 1000 : 0));
        if (may.length > 0) expect(place).toBe(may[0]);
        else expect(candidates).toContain(place);
      }),
    );
  });

  it('of an account never depends on lengths', () => {
    const job = jobOf(IDS[7] ?? '', true);
    expect(placeOf(job, 16, [], () => 1000)).toBe(placeOf(job, 16, [], nothingKnown));
  });

  it('fills 16 shards nearly alike, where the length of each is known', () => {
    const lengths = new Array<number>(16).fill(0);
    for (const id of IDS) {
      const place = placeOf(jobOf(id), 16, [], (shard) => lengths[shard] ?? null);
      lengths[place] = (lengths[place] ?? 0) + 1;
    }
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(8);
  });
});
