import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { ASPECTS, sizeOf } from '#domain/clip/render-order.ts';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { planShots } from '#render-host/plan/plan-shots.ts';
import { unpackSample } from '#render-host/sample-demo.ts';
import type { Canvas } from '#scene/drawing/canvas.ts';
import { layoutOf } from '#scene/drawing/layout.ts';
import type { PanelBox } from '#scene/drawing/theme.ts';
import { paintKillfeedRow, ROW } from '#scene/overlays/killfeed.ts';
import { nameSprite } from '#scene/paint/panels.ts';
import { createScene } from '#scene/scene.ts';
import { PLAIN_KILLS } from '#test/support/plain-order.ts';
import { buildKill, buildMatch, buildOptions } from '../render-host/builders.ts';
import { haveRealDemos, realDemo, testFolder } from '../render-host/match/real-demos.ts';

useHostCanvas();

const FRAMES = 300;
/** Area of 1080×1920 that none of TikTok, Reels and Shorts covers. */
const FREE_OF_APPS = { x: 120, y: 288, width: 768, height: 960 };

/** Returns the small pictures that a context gets at their own size, with their places. */
function drawnOn(context: SKRSContext2D) {
  const drawn: PanelBox[] = [];
  const { drawImage } = context;
  context.drawImage = (...args: unknown[]) => {
    const [sprite, x, y] = args as [Canvas, number, number];
    const { width, height } = sprite;
    if (args.length === 3 && context.globalAlpha > 0) drawn.push({ x, y, width, height });
    Reflect.apply(drawImage, context, args);
  };
  return drawn;
}

async function matchOf(demo: string) {
  const path = demo === 'sample' ? `${await testFolder()}/sample.dem` : realDemo(demo);
  if (demo === 'sample') await unpackSample(path);
  const read = await readMatch(path);
  if (!read.ok) throw new Error(read.detail);
  const { match } = read;
  for (const { steamId: steam64Id } of match.players) {
    const selection = { ...PLAIN_KILLS, steam64Id, round: null, preKillPadding: 5, postKillPadding: 5 };
    const planned = planShots(match, selection);
    if (planned.ok) return { match, shots: planned.shots };
  }
  throw new Error('nobody has kills');
}

describe.each(haveRealDemos ? ['sample', '14090.dem'] : ['sample'])('a clip of %s', (demo) => {
  it.each(ASPECTS.slice(1))(
    'keeps names and killfeed where no app covers them at %s',
    { tags: ['long'] },
    async (aspect) => {
      const { match, shots } = await matchOf(demo);
      const size = sizeOf(1080, aspect);
      const safe =
        aspect === '9:16' ? FREE_OF_APPS : { x: 32, y: 32, width: size.width - 64, height: size.height - 64 };
      const canvas = createCanvas(size.width, size.height);
      const context = canvas.getContext('2d');
      const drawn = drawnOn(context);
      const names = [true, false].map((isPov) => nameSprite('Ferris', isPov, 1).height);
      const scene = createScene(match, shots, buildOptions({ ...size, xray: true, fps: 30 }));
      const seen: PanelBox[] = [];
      let out = 0;
      for (let i = 0; i < FRAMES; i++) {
        scene.paint(context, Math.floor((i * scene.frameCount) / FRAMES), 'full');
        const texts = drawn.splice(0).filter(({ height }) => [...names, ROW.height].includes(height));
        if (texts.some((box) => !isIn(box, safe))) out++;
        seen.push(...texts);
      }
      expect(out).toBe(0);
      for (const height of [...names, ROW.height]) {
        expect(seen.filter((box) => box.height === height).length).toBeGreaterThan(10);
      }
    },
  );
});

function isIn({ x, y, width, height }: PanelBox, area: PanelBox): boolean {
  const [right, lower] = [area.x + area.width, area.y + area.height];
  return x >= area.x && y >= area.y && x + width <= right && y + height <= lower;
}

it('a row of the killfeed is never wider than the safe area, whatever the names', () => {
  const name = 'W'.repeat(40);
  const match = buildMatch({ players: Array.from({ length: 10 }, () => ({ name, isBot: true })) });
  const kill = buildKill({ assister: 1, flashAssist: true, noScope: true, weapon: 'awp', wallbang: true });
  const { safe } = layoutOf(sizeOf(1080, '9:16'));
  expect(paintKillfeedRow(match, kill, true, 1).width).toBeGreaterThan(safe.width);
  expect(paintKillfeedRow(match, kill, true, 1, true, safe.width).width).toBeLessThanOrEqual(safe.width);
});
