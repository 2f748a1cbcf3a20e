import { describe, expect, it } from 'vitest';
import { killsLabel } from '#render-host/overlays/title-card.ts';
import { buildKill, buildShot } from '../builders.ts';

describe('labels of kills', () => {
  it('count over the whole clip', () => {
    const shots = [buildShot({ kills: [buildKill()] }), buildShot({ kills: [buildKill(), buildKill()] }), buildShot()];
    expect(shots.map((_, index) => killsLabel(shots, index))).toEqual(['KILL 1 OF 3', 'KILLS 2–3 OF 3', null]);
  });

  it('say how many there are where one shot has them all', () => {
    const kills = [buildKill(), buildKill(), buildKill()];
    expect(killsLabel([buildShot({ kills }), buildShot()], 0)).toBe('3 KILLS');
  });

  it('count a kill that is shown twice once', () => {
    const [first, second, third, fourth] = [1, 2, 3, 4].map((tick) => buildKill({ tick }));
    const labelsOf = (...kills: (typeof first)[][]) => {
      const shots = kills.map((shown) => buildShot({ kills: shown.filter((kill) => kill !== undefined) }));
      return shots.map((_, index) => killsLabel(shots, index));
    };
    expect(labelsOf([first], [], [first])).toEqual(['AK-47 KILL', null, 'AK-47 KILL']);
    expect(labelsOf([first, second], [second, third])).toEqual(['KILLS 1–2 OF 3', 'KILLS 2–3 OF 3']);
    expect(labelsOf([first], [second], [fourth], [first, fourth])).toEqual([
      ...['KILL 1 OF 3', 'KILL 2 OF 3', 'KILL 3 OF 3'],
      '2 OF 3 KILLS',
    ]);
    expect(labelsOf([first, second], [first, second])).toEqual(['2 KILLS', '2 KILLS']);
  });

  it('name the weapon where there is one kill only', () => {
    const kill = buildKill({ weapon: 'awp', headshot: true });
    expect(killsLabel([buildShot(), buildShot({ kills: [kill] })], 1)).toBe('AWP HEADSHOT');
  });
});
