import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import type { Kill } from '#render-host/match/match.ts';
import { createKillfeed, paintKillfeedRow, ROW } from '#scene/overlays/killfeed.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { buildKill, buildMatch, buildShot } from '../../render-host/builders.ts';

useHostCanvas();

const SIZE = { width: 1920, height: 1080 };
const STEP = ROW.height + ROW.gap;

/** Returns the number of rows in the feed's picture, by its lowest line. */
function rowsAt(kills: readonly Kill[], shots: readonly Shot[], own: boolean, shotIndex: number, tick: number): number {
  const canvas = createCanvas(SIZE.width, SIZE.height);
  createKillfeed(buildMatch({ ticks: 1200, kills }), shots, { own, ...SIZE })(canvas.getContext('2d'), shotIndex, tick);
  const pixels = canvas.data();
  let lowest = -1;
  for (let i = 3; i < pixels.length; i += 4) if ((pixels[i] ?? 0) > 0) lowest = Math.floor(i / 4 / SIZE.width);
  return lowest < 0 ? 0 : Math.round((lowest - 32 + ROW.gap) / STEP);
}

const own = [100, 200, 300].map((tick) => buildKill({ tick }));
const other = buildKill({ tick: 150, attacker: 1, victim: 6 });
const kills = [own[0], other, own[1], own[2]].filter((kill) => kill !== undefined);
const shots = [
  buildShot({ startTick: 64, endTick: 280, kills: own.slice(0, 2) }),
  buildShot({ startTick: 280, endTick: 900, kills: own.slice(2) }),
];

describe('the game’s killfeed', () => {
  it('has everybody’s kills of the shot, as they happen, for six seconds each', () => {
    const at = (shotIndex: number, tick: number) => rowsAt(kills, shots, false, shotIndex, tick);
    expect([at(0, 99), at(0, 110), at(0, 160), at(0, 210)]).toEqual([0, 1, 2, 3]);
    expect([at(1, 299), at(1, 310), at(1, 300 + 6 * 64 - 40), at(1, 300 + 6 * 64)]).toEqual([0, 1, 1, 0]);
  });

  it.each([0.5, 2])('counts seconds of the clip where the speed is %d', (speed) => {
    const shot = buildShot({ endTick: 1200, speeds: [{ tick: 0, speed }] });
    const rowsAfter = (seconds: number) => rowsAt(own.slice(0, 1), [shot], false, 0, 100 + seconds * 64 * speed);
    expect([rowsAfter(-0.1), rowsAfter(0.1), rowsAfter(5.9), rowsAfter(6.1)]).toEqual([0, 1, 1, 0]);
  });

  it('lets the oldest go beyond seven rows', () => {
    const many = Array.from({ length: 12 }, (_, i) => buildKill({ tick: 100 + i }));
    expect(rowsAt(many, [buildShot({ kills: many })], false, 0, 140)).toBe(7);
  });
});

describe('our own killfeed', () => {
  it('has the player’s kills alone, and keeps those of earlier shots', () => {
    const at = (shotIndex: number, tick: number) => rowsAt(kills, shots, true, shotIndex, tick);
    expect([at(0, 99), at(0, 110), at(0, 160), at(0, 210)]).toEqual([0, 1, 1, 2]);
    expect([at(1, 285), at(1, 310), at(1, 899)]).toEqual([2, 3, 3]);
  });
});

describe('our own killfeed of a clip that follows two players', () => {
  const [first, second] = own;
  const theirs = buildKill({ tick: 160, attacker: 6, victim: 1 });
  const both = [first, second].filter((kill) => kill !== undefined);
  const cut = [
    buildShot({ startTick: 64, endTick: 280, kills: both }),
    buildShot({ pov: 6, startTick: 64, endTick: 280, kills: [theirs] }),
    buildShot({ startTick: 64, endTick: 280, kills: both }),
  ];

  it('has each kill once, and only the kills of the followed player', () => {
    const at = (shotIndex: number, tick: number) => rowsAt([...both, theirs], cut, true, shotIndex, tick);
    expect([at(0, 90), at(0, 110), at(0, 279)]).toEqual([0, 1, 2]);
    expect([at(1, 110), at(1, 170)]).toEqual([0, 1]);
    expect([at(2, 90), at(2, 279)]).toEqual([2, 2]);
  });
});

describe('the killfeed of a victim’s view', () => {
  const [kill = buildKill()] = own;
  const killers = buildShot({ startTick: 64, endTick: 280, kills: [kill] });
  const victims = { ...killers, pov: kill.victim };

  it('has the killer’s kills, each once in a clip', () => {
    const at = (shotIndex: number, tick: number) => rowsAt([kill, other], [killers, victims], true, shotIndex, tick);
    expect([at(0, 90), at(0, 110), at(1, 90), at(1, 170)]).toEqual([0, 1, 1, 1]);
    expect(rowsAt([kill, other], [victims], true, 0, 170)).toBe(1);
  });

  it('marks the killer’s kills', () => {
    const picture = (shot: Shot): Buffer => {
      const canvas = createCanvas(SIZE.width, SIZE.height);
      createKillfeed(buildMatch({ kills: [kill] }), [shot], { own: false, ...SIZE })(canvas.getContext('2d'), 0, 130);
      return canvas.data();
    };
    expect(picture(victims).equals(picture(killers))).toBe(true);
    expect(picture({ ...victims, subject: kill.victim }).equals(picture(killers))).toBe(false);
  });
});

describe('a row of the killfeed', () => {
  const assisted = buildKill({ assister: 1 });
  const rowOf = (kill: Kill, bots: readonly number[] = []): Canvas => {
    const players = Array.from({ length: 10 }, (_, player) => ({ isBot: bots.includes(player) }));
    return paintKillfeedRow(buildMatch({ players }), kill, false, 1) as Canvas;
  };
  const plain = rowOf(assisted);
  /** Pixels that a sign takes along the row. */
  const SIGN = 32;

  it.each([
    ['an assist by flash', rowOf({ ...assisted, flashAssist: true })],
    ['a killer who is a bot', rowOf(assisted, [0])],
    ['an assister who is a bot', rowOf(assisted, [1])],
    ['a victim who is a bot', rowOf(assisted, [5])],
  ])('has a sign of its own for %s, and all else as it was', (_, marked) => {
    expect(marked.width).toBe(plain.width + SIGN);
    const columnsAlike = (x: number, shift: number): boolean => {
      const column = (row: Canvas, at: number) => row.getContext('2d').getImageData(at, 0, 1, row.height);
      return Buffer.from(column(marked, x + shift).data).equals(Buffer.from(column(plain, x).data));
    };
    const columns = Array.from({ length: plain.width }, (__, x) => x);
    // Within the corners, where the box is as bright as anywhere.
    const sign = columns.findIndex((x) => x >= 8 && !columnsAlike(x, 0));
    expect(columns.filter((x) => x >= sign && x < plain.width - 8 && !columnsAlike(x, SIGN))).toEqual([]);
    const drawn = marked.getContext('2d').getImageData(sign, 0, SIGN, marked.height).data;
    expect(drawn.filter((value, i) => i % 4 === 1 && value > 200).length).toBeGreaterThan(60);
  });
});
