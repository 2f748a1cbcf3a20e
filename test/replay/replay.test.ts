import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { windowAt } from '#web/replay/chunk-cache.ts';
import { ReplayMedia } from '#web/replay/replay-media.ts';
import { createTimeline, momentOf, shotsIn, WHOLE } from '#web/replay/timeline.ts';

describe('a moment', () => {
  const moment = (query: string) => momentOf(Object.fromEntries(new URLSearchParams(query)));

  it('reads ticks and a player, and ignores all else', () => {
    expect(moment('from=640&to=1280&player=3&t=5')).toEqual({ from: 640, to: 1280, player: 3 });
    expect(moment('from=-1&to=1e9&player=x')).toEqual(WHOLE);
    expect(moment('from=900&to=900')).toEqual({ from: 900, to: null, player: null });
    expect(momentOf({ from: 64, to: null, player: 0 })).toEqual({ from: 64, to: null, player: 0 });
  });

  const SHOTS = [
    { startTick: 100, endTick: 200, pov: 1, speeds: [] },
    { startTick: 400, endTick: 500, pov: 2, speeds: [] },
  ];

  it('cuts the shots to the moment, seen by its player', () => {
    expect(shotsIn(SHOTS, { from: 150, to: 450, player: null }, 10)).toEqual([
      { ...SHOTS[0], startTick: 150 },
      { ...SHOTS[1], endTick: 450 },
    ]);
    expect(shotsIn(SHOTS, { from: 120, to: 180, player: 7 }, 10)).toEqual([
      { startTick: 120, endTick: 180, pov: 7, speeds: [] },
    ]);
  });

  it('shows all of its shots for a moment that none has, and ignores a player that it does not have', () => {
    expect(shotsIn(SHOTS, { from: 250, to: 300, player: 10 }, 10)).toEqual(SHOTS);
  });

  it('has each tick of a shot in one window, whose needed ticks are around it and in the shot', () => {
    const span = fc.record({ startTick: fc.nat(100_000), length: fc.integer({ min: 1, max: 200_000 }) });
    fc.assert(
      fc.property(span, fc.double({ min: 0, max: 1, noNaN: true }), ({ startTick, length }, part) => {
        const shot = { startTick, endTick: startTick + length };
        const { shown, needed } = windowAt(shot, startTick + part * length, 64);
        expect(shown.startTick).toBeLessThanOrEqual(startTick + part * length);
        expect(shown.endTick).toBeGreaterThanOrEqual(startTick + part * length);
        expect(shown.endTick - shown.startTick).toBeLessThanOrEqual(640);
        expect(shown.endTick).toBeGreaterThan(shown.startTick);
        expect(needed.startTick).toBe(Math.max(startTick, shown.startTick - 384));
        expect(needed.endTick).toBe(Math.min(shot.endTick, shown.endTick + 192));
        // The next window begins where this one ends.
        if (shown.endTick < shot.endTick) expect(windowAt(shot, shown.endTick, 64).shown.startTick).toBe(shown.endTick);
      }),
    );
  });
});

describe('a timeline', () => {
  const shot = fc
    .record({
      gap: fc.integer({ min: 0, max: 500 }),
      ticks: fc.integer({ min: 2, max: 2000 }),
      speeds: fc.array(
        fc.record({ part: fc.double({ min: 0, max: 1, noNaN: true }), speed: fc.constantFrom(0.25, 0.5, 1, 2) }),
        {
          maxLength: 3,
        },
      ),
    })
    .map(({ gap, ticks, speeds }) => ({ gap, ticks, speeds: speeds.sort((a, b) => a.part - b.part) }));

  /** Shots one after the other. */
  const shotsOf = (parts: readonly (typeof shot extends fc.Arbitrary<infer One> ? One : never)[]) => {
    let tick = 0;
    return parts.map(({ gap, ticks, speeds }) => {
      const startTick = tick + gap;
      tick = startTick + ticks;
      return {
        startTick,
        endTick: tick,
        speeds: speeds.map(({ part, speed }) => ({ tick: startTick + Math.round(part * ticks), speed })),
      };
    });
  };

  it('finds the second of each tick that it shows, and the tick of each second', () => {
    fc.assert(
      fc.property(
        fc.array(shot, { minLength: 1, maxLength: 5 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (parts, part) => {
          const shots = shotsOf(parts);
          const timeline = createTimeline(shots, 64);
          const second = timeline.seconds * part;
          const place = timeline.at(second);
          const { startTick = 0, endTick = 0 } = shots[place.shot] ?? {};
          expect(place.tick).toBeGreaterThanOrEqual(startTick);
          expect(place.tick).toBeLessThanOrEqual(endTick);
          expect(timeline.secondOf(place.tick)).toBeCloseTo(second, 6);
        },
      ),
    );
  });

  it('shows the nearest tick of its shots for one that it does not show', () => {
    const timeline = createTimeline(
      [
        { startTick: 640, endTick: 1280, speeds: [] },
        { startTick: 6400, endTick: 7040, speeds: [{ tick: 6400, speed: 0.5 }] },
      ],
      64,
    );
    expect(timeline.seconds).toBe(30);
    expect([0, 640, 960, 1300, 6000, 6720, 9000].map(timeline.secondOf)).toEqual([0, 0, 5, 10, 10, 20, 30]);
    expect(timeline.at(-1)).toEqual({ shot: 0, tick: 640 });
    expect(timeline.at(99)).toEqual({ shot: 1, tick: 7040 });
  });
});

/** A replay whose frames come when the test says so. `loaded`: the seconds that can be drawn. */
function createReplay(duration = 10) {
  let pending: ((now: number) => void)[] = [];
  const state = { now: 0, loaded: Infinity, drawn: [] as number[], events: [] as string[] };
  const media = new ReplayMedia({
    duration,
    draw(second) {
      if (second > state.loaded) return false;
      state.drawn.push(second);
      return true;
    },
    requestFrame: (callback) => pending.push(callback),
  });
  for (const name of ['play', 'pause', 'ended', 'seeking', 'seeked', 'timeupdate'])
    media.addEventListener(name, () => state.events.push(name));
  /** Lets time pass in steps of a screen's pictures. */
  const pass = (seconds: number, step = 0.02) => {
    for (let left = seconds; left > 1e-9; left -= step) {
      state.now += step * 1000;
      const due = pending;
      pending = [];
      for (const callback of due) callback(state.now);
    }
  };
  return { media, state, pass, requested: () => pending.length };
}

describe('a replay', () => {
  it('plays at its speed, and asks for no frame while it is paused', async () => {
    const { media, state, pass, requested } = createReplay();
    await media.play();
    pass(2.02);
    expect(media.currentTime).toBeCloseTo(2);
    media.playbackRate = 2;
    pass(1);
    expect(media.currentTime).toBeCloseTo(4);
    media.pause();
    pass(1);
    expect(media.currentTime).toBeCloseTo(4);
    expect([requested(), state.events.filter((name) => name !== 'timeupdate')]).toEqual([0, ['play', 'pause']]);
    expect(state.events.filter((name) => name === 'timeupdate').length).toBeGreaterThan(15);
  });

  it('ends, and begins again when it is played once more; loops if it should', async () => {
    const { media, state, pass } = createReplay(1);
    await media.play();
    pass(1.5);
    expect([media.paused, media.currentTime, state.events.at(-1)]).toEqual([true, 1, 'ended']);
    media.loop = true;
    await media.play();
    pass(1.52);
    expect(media.paused).toBe(false);
    expect(media.currentTime).toBeGreaterThan(0.4);
    expect(media.currentTime).toBeLessThan(0.6);
  });

  it('waits for what is loading, and continues where it was', async () => {
    const { media, state, pass, requested } = createReplay();
    state.loaded = 1;
    await media.play();
    pass(3);
    expect(media.currentTime).toBeCloseTo(1, 1);
    expect([media.paused, requested()]).toEqual([false, 0]);
    media.currentTime = 5;
    pass(1);
    expect(state.events).not.toContain('seeked');
    state.loaded = 9;
    media.refresh();
    pass(0.1);
    expect(state.events).toContain('seeked');
    expect(media.currentTime).toBeGreaterThanOrEqual(5);
    expect(media.currentTime).toBeLessThan(5.4);
  });

  it('does not jump after a time without frames', async () => {
    const { media, pass } = createReplay();
    await media.play();
    pass(0.1);
    pass(4, 4);
    expect(media.currentTime).toBeLessThan(0.4);
  });

  it('stays within its length, and in step with its events, whatever is done with it', () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constantFrom('play', 'pause') }),
      fc.record({ kind: fc.constant('seek'), to: fc.double({ min: -5, max: 15, noNaN: true }) }),
      fc.record({ kind: fc.constant('speed'), to: fc.constantFrom(0.25, 1, 4) }),
      fc.record({ kind: fc.constant('loop'), to: fc.boolean() }),
      fc.record({ kind: fc.constant('load'), to: fc.integer({ min: 0, max: 10 }) }),
      fc.record({ kind: fc.constant('pass'), to: fc.double({ min: 0, max: 4, noNaN: true }) }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        const { media, state, pass } = createReplay(8);
        for (const { kind, ...rest } of acts) {
          const to = 'to' in rest ? Number(rest.to) : 0;
          if (kind === 'play') void media.play();
          else if (kind === 'pause') media.pause();
          else if (kind === 'seek') media.currentTime = to;
          else if (kind === 'speed') media.playbackRate = to;
          else if (kind === 'loop') media.loop = to === 1;
          else if (kind === 'load') {
            state.loaded = to;
            media.refresh();
          } else pass(to);
          expect(media.currentTime).toBeGreaterThanOrEqual(0);
          expect(media.currentTime).toBeLessThanOrEqual(8);
        }
        expect(state.drawn.every((second) => second >= 0 && second <= 8)).toBe(true);
        const turns = state.events.filter((name) => name === 'play' || name === 'pause');
        expect(turns.every((name, at) => name === (at % 2 === 0 ? 'play' : 'pause'))).toBe(true);
        expect(turns.length % 2 === 1).toBe(!media.paused);
      }),
    );
  });
});
