import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import type { PanelBox } from '#scene/drawing/theme.ts';
import { createTitleCards, killsLabel } from '#scene/overlays/title-card.ts';
import { buildKill, buildMatch, buildShot } from '../../render-host/builders.ts';

useHostCanvas();

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

describe('title cards', () => {
  it('are as wide as their text, in a panel above that of the player', () => {
    const scale = 0.5;
    const widths = ['de_mirage', 'workshop_map_with_a_long_name', 'm'.repeat(300)].map((map) => {
      const canvas = createCanvas(960, 540);
      const cards = createTitleCards(buildMatch({ map }), [buildShot()], { height: 540, scale });
      let panel: PanelBox | null = null;
      cards.paint(canvas.getContext('2d'), 0, 1, 4, (box) => {
        panel = box;
        return 1;
      });
      const { x, y, width, height } = panel ?? expect.unreachable();
      const painted = canvas.data();
      for (let i = 3; i < painted.length; i += 4) {
        const at = { x: ((i - 3) / 4) % 960, y: Math.floor((i - 3) / 4 / 960) };
        const isInside = at.x >= x && at.x < x + width && at.y >= Math.round(y) && at.y < Math.round(y) + height;
        if (painted[i] !== 0) expect(isInside).toBe(true);
      }
      expect(y + height).toBeLessThan((1080 - 126) * scale);
      return width / scale;
    });
    expect(widths[0]).toBeLessThan(350);
    expect(widths[1]).toBeGreaterThan(400);
    expect(widths[2]).toBeLessThan(560);
  });
});
