import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplayMedia } from '#src/browser/scripts/replay/replay-media.ts';

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
