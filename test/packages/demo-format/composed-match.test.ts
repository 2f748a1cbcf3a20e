import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { composeMatch, encodeDemo, truthOf, writeDemoFile } from '#demo-writer/index.ts';

describe('a composed match', () => {
  const match = composeMatch({
    map: 'workshop/3070284539/de_cache',
    warmupEndTick: 20,
    rounds: [{ startTick: 30, endTick: 300, winner: 'T' }],
    kills: [
      { tick: 10, attacker: 0, victim: 5 },
      { tick: 200, attacker: 0, victim: 5, assister: 1, weapon: 'awp', headshot: true, noScope: true },
      { tick: 210, attacker: 2, victim: 3, wallbang: true },
      { tick: 220, attacker: null, victim: 4 },
      { tick: 230, attacker: 6, victim: 6, weapon: 'hegrenade' },
      { tick: 310, attacker: 0, victim: 7, throughSmoke: true, attackerBlind: true },
    ],
  });

  it('has the kills and rounds it was given, the last kill after its round’s end', () => {
    const { kills, rounds } = truthOf(match);
    expect(kills.map(({ tick, attacker, victim, warmup }) => [tick, attacker, victim, warmup])).toEqual([
      [10, 0, 5, true],
      [200, 0, 5, false],
      [210, 2, 3, false],
      [220, null, 4, false],
      [230, 6, 6, false],
      [310, 0, 7, false],
    ]);
    expect(kills[1]).toMatchObject({ assister: 1, weapon: 'awp', headshot: true, noScope: true, wallbang: false });
    expect(kills[5]).toMatchObject({ throughSmoke: true, attackerBlind: true });
    expect(rounds).toEqual([
      { startTick: 30, freezeEndTick: 158, endTick: 300, officialEndTick: 620, winner: 'T', reason: 'terrorists_won' },
    ]);
  });

  it('can leave the end of a round out', () => {
    const open = truthOf(composeMatch({ rounds: [{ startTick: 1, freezeEndTick: null }], lastTick: 9 }));
    expect(open.lastTick).toBe(9);
    expect(open.rounds[0]).toMatchObject({ startTick: 1, freezeEndTick: null, endTick: null, officialEndTick: null });
  });

  it('refuses a player that is not there', () => {
    expect(() => truthOf(composeMatch({ kills: [{ tick: 5, attacker: 0, victim: 10 }] }))).toThrow(RangeError);
  });
});

describe('a demo file', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'demo-writer-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  it('is what the demo is in memory', async () => {
    const match = composeMatch({ lastTick: 200 });
    const path = join(directory, 'short.dem');
    // Another one writes the same at the same time, into a draft of its own.
    const [summary] = await Promise.all([writeDemoFile(match, path), writeDemoFile(match, path)]);
    const bytes = await readFile(path);
    expect(bytes.equals(encodeDemo(match))).toBe(true);
    expect(summary).toMatchObject({ sizeBytes: bytes.length, ticks: 200 });
  });

  it('begins with the magic and says where its last frames are', () => {
    const bytes = Buffer.from(encodeDemo(composeMatch({ lastTick: 3 })));
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('PBDEMS2\0');
    const fileInfo = 2;
    const spawnGroups = 15;
    expect(bytes[bytes.readUInt32LE(8)]).toBe(fileInfo);
    expect(bytes[bytes.readUInt32LE(12)]).toBe(spawnGroups);
  });
});
