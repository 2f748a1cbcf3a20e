import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoLine, highlightTable, partTable, playerTable, roundTable } from '#client/cli/demo-tables.ts';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import type { HostInspection } from '#protocol/demo/demos.ts';
import { inspectDemo } from '#stack/demo.ts';

const SCRIPT = composeMatch({
  rounds: [{ startTick: 50, freezeEndTick: 100, endTick: 300, winner: 'T' }],
  scores: [{ tick: 10, T: 3, CT: 2 }],
  kills: [5, 6, 7].map((victim, at) => ({ tick: 150 + at * 50, attacker: 0, victim, noScope: at === 2 })),
  lastTick: 640,
});

describe('the output of npm run demo', () => {
  let folder: string;
  let found: HostInspection;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inspect-'));
    const demo = join(folder, 'match.dem.gz');
    await writeFile(demo, gzipSync(encodeDemo(SCRIPT, { endMark: false, recordedBy: 0 })));
    found = await inspectDemo(demo, folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('names the recording and what is peculiar about it', () => {
    expect(demoLine(found)).toBe(
      '  de_mirage, patch 14160, 1 round, 0:10 at 64 ticks a second, its end is missing, only 76561199990417263 can be shown',
    );
  });

  it('says where a recording is damaged, and by what', async () => {
    const demo = Buffer.from(encodeDemo(SCRIPT));
    demo.subarray(-2000).fill(0);
    await writeFile(join(folder, 'damaged.dem'), demo);
    const damaged = await inspectDemo(join(folder, 'damaged.dem'), folder);
    const { last_tick } = damaged;
    expect(last_tick).toBeGreaterThan(600);
    expect(damaged).toMatchObject({ is_complete: false, damage: { tick: last_tick }, kills: found.kills });
    expect(demoLine(damaged)).toContain(`, damaged after tick ${last_tick} (${damaged.damage?.reason})`);
  });

  it('lists its rounds by the scoreboard', () => {
    expect(roundTable(found).split('\n')).toEqual([
      '  ROUND  FROM TICK  DECIDED  WINNER  BY              SCORE',
      '  6      50         300      T       terrorists won  CT 2 – 4 T',
    ]);
  });

  it('lists parts of the demo that are not the match, with their ticks and players', async () => {
    const again = [700, 1000].map((startTick) => ({ startTick, endTick: startTick + 200 }));
    const players = SCRIPT.players.slice(0, 2);
    const restarted = {
      players,
      rounds: [{ startTick: 50, endTick: 300 }, ...again],
      scores: [{ tick: 690, T: 0, CT: 0 }],
    };
    await writeFile(join(folder, 'restarted.dem'), encodeDemo(composeMatch(restarted)));
    const inspection = await inspectDemo(join(folder, 'restarted.dem'), folder);
    expect(inspection.parts).toEqual([{ start_tick: 50, end_tick: 700, rounds: 1, players: [0, 1] }]);
    expect(partTable(inspection).split('\n')).toEqual([
      '  NOT COUNTED: TICKS  ROUNDS  PLAYERS',
      `  50–700              1       ${players.map(({ name }) => name).join(', ')}`,
    ]);
    expect(partTable(found)).toBe('');
  });

  it('lists its players, most kills first', () => {
    const [, first] = playerTable(found).split('\n');
    expect(first?.split(/ {2,}/)).toEqual(['', '76561199990417263', 'Juniper', 'T', '3', '0', '6 (3)']);
  });

  it('lists the best moments, numbered; nothing where there are none', () => {
    expect(highlightTable(found).split('\n')).toEqual([
      '  BEST  SCORE  PLAYER   ROUND  TICKS    WHAT',
      '  1     70     Juniper  6      150–250  3k, opening double, no scope',
    ]);
    expect(highlightTable({ ...found, highlights: [] })).toBe('');
  });
});

it('a demo that cannot be read is an error that says why', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  try {
    await writeFile(join(folder, 'a.dem'), 'HL2DEMO\0........');
    await expect(inspectDemo(join(folder, 'a.dem'), folder)).rejects.toThrow('demo_incompatible');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
