import { describe, expect, test } from 'vitest';
import { createEffectRecorder } from '#render-host/match/effect-recorder.ts';
import type { GameEvent } from '#render-host/match/game-events.ts';

const S = 64;
const LAST = 100 * S;
const AT = { x: 10, y: 20, z: 30 };
const PLANTED = { ...AT, state: 'ticking', fuseSeconds: 35 } as const;

function event(name: string, values: Readonly<Record<string, number>> = {}): GameEvent {
  const number = (field: string) => values[field] ?? 0;
  return { name, number, text: String, flag: Boolean, optional: number };
}

function record(fuse: number | null = null) {
  const recorder = createEffectRecorder(
    () => S,
    () => fuse,
    LAST,
  );
  const effects = () =>
    recorder.finish([]).map(({ kind, startTick, endTick, fuseSeconds, defusedBy }) => {
      const more = { ...(fuseSeconds === undefined ? {} : { fuseSeconds }) };
      return { kind, startTick, endTick, ...more, ...(defusedBy === undefined ? {} : { defusedBy }) };
    });
  /** The entity is there from one tick to another, as it is sampled. */
  const cloud = (from: number, to: number, entity = 7) => {
    for (let tick = from; tick <= to; tick += 4) recorder.cloud(tick, entity, AT);
  };
  return { ...recorder, effects, cloud };
}

const SMOKE = event('smokegrenade_detonate', { entityid: 7, ...AT });

describe('a smoke', () => {
  test('of an entity alone, as in a player’s own recording', () => {
    const { cloud, effects } = record();
    cloud(100, 100 + 22 * S);
    expect(effects()).toEqual([{ kind: 'smoke', startTick: 100, endTick: 100 + 20 * S }]);
  });

  test.each([
    ['the event first', 98],
    ['both at once', 100],
    ['the entity first', 101],
  ])('of an event and its entity is one: %s', (_name, at) => {
    const { cloud, handle, effects } = record();
    if (at <= 100) handle(at, SMOKE, null, null);
    cloud(100, 108);
    if (at > 100) handle(at, SMOKE, null, null);
    cloud(112, 100 + 19 * S);
    handle(100 + 18 * S, event('smokegrenade_expired', { entityid: 7 }), null, null);
    cloud(100 + 19 * S, 100 + 21 * S);
    expect(effects()).toEqual([{ kind: 'smoke', startTick: Math.min(at, 100), endTick: 100 + 18 * S }]);
  });

  test('that is seen anew while it lasts is the same one', () => {
    const { cloud, effects } = record();
    cloud(100, 200);
    cloud(600, 700);
    expect(effects()).toHaveLength(1);
  });

  test('of another entity with the same number is another one', () => {
    const { cloud, handle, effects } = record();
    cloud(100, 100 + 19 * S);
    cloud(100 + 50 * S, 100 + 60 * S);
    handle(100 + 80 * S, SMOKE, null, null);
    expect(effects().map(({ startTick }) => startTick)).toEqual([100, 100 + 50 * S, 100 + 80 * S]);
  });
});

test('a fire without events begins with its first flame', () => {
  const { burn, effects } = record();
  burn(96, 9, [null]);
  for (let tick = 100; tick < 300; tick += 4) burn(tick, 9, [AT, null]);
  expect(effects()).toEqual([{ kind: 'fire', startTick: 100, endTick: 100 + 7 * S }]);
});

describe('the bomb', () => {
  test('of its entity alone has its real fuse, and who defused it', () => {
    const { bomb, effects } = record();
    for (let tick = 100; tick < 500; tick++) bomb(tick, PLANTED, null);
    for (let tick = 500; tick < 600; tick++) bomb(tick, { ...PLANTED, state: 'defused' }, 3);
    bomb(600, null, null);
    expect(effects()).toEqual([{ kind: 'bomb', startTick: 100, endTick: 500, fuseSeconds: 35, defusedBy: 3 }]);
  });

  test('of events and its entity is one, which explodes once', () => {
    const { bomb, handle, effects } = record();
    handle(100, event('bomb_planted'), AT, 1);
    for (let tick = 100; tick < 500; tick++) bomb(tick, PLANTED, null);
    handle(500, event('bomb_exploded'), null, null);
    for (let tick = 500; tick < 520; tick++) bomb(tick, { ...PLANTED, state: 'exploded' }, null);
    bomb(520, null, null);
    expect(effects().map(({ kind, startTick, endTick }) => [kind, startTick, endTick])).toEqual([
      ['bomb', 100, 500],
      ['explosion', 500, 532],
    ]);
  });

  test('of the next round is another one, also if the first one was never settled', () => {
    const { bomb, effects } = record();
    for (let tick = 100; tick < 200; tick++) bomb(tick, PLANTED, null);
    bomb(200, null, null);
    for (let tick = 300; tick < 400; tick++) bomb(tick, PLANTED, null);
    expect(effects().map(({ startTick }) => startTick)).toEqual([100, 300]);
  });

  test('of events alone ticks as long as the server says', () => {
    const { handle, effects } = record(45);
    handle(100, event('bomb_planted'), AT, 1);
    expect(effects()).toEqual([{ kind: 'bomb', startTick: 100, endTick: 100 + 45 * S, fuseSeconds: 45 }]);
  });
});
