import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { describe, expect, it, vi } from 'vitest';
import { PLAY_BUTTON, thumbnailSize } from '#domain/clip/render-order.ts';
import type { Kill, Match } from '#render-host/match/match.ts';
import { findHero } from '#render-host/thumbnail/hero.ts';
import { renderThumbnail } from '#render-host/thumbnail/thumbnail.ts';
import { COVER } from '#scene/frames/clip-clock.ts';
import { playerAt } from '#scene/match/player-state.ts';
import { toScreen } from '#scene/paint/moment.ts';
import { coverView } from '#scene/visibility.ts';
import { buildKill, buildMatch, buildOptions, buildShot, type MatchPlan } from '../builders.ts';
import { changedPixels, paintedSource } from '../frame-checks.ts';

interface Box {
  readonly what: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const { width, height } = thumbnailSize();
/** The marker of the point-of-view player with their health around it, in pixels of a thumbnail. */
const MARKER = 22;
const reach = (PLAY_BUTTON * width) / 2;
const BUTTON: Box = {
  what: 'button',
  left: width / 2 - reach,
  right: width / 2 + reach,
  top: height / 2 - reach,
  bottom: height / 2 + reach,
};

/** Returns the texts and the rows of the killfeed that are painted on a thumbnail. */
async function paintedOn(paint: () => Promise<unknown>): Promise<Box[]> {
  const boxes: Box[] = [];
  const context: SKRSContext2D = Object.getPrototypeOf(createCanvas(1, 1).getContext('2d'));
  const { fillText, drawImage } = context;
  const isThumbnail = ({ canvas }: SKRSContext2D) => canvas.width === width && canvas.height === height;
  const texts = vi.spyOn(context, 'fillText').mockImplementation(function (this: SKRSContext2D, text, x, y) {
    const { width: wide, actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = this.measureText(text);
    if (isThumbnail(this)) boxes.push({ what: text, left: x, right: x + wide, top: y - up, bottom: y + down });
    fillText.call(this, text, x, y);
  });
  const rows = vi.spyOn(context, 'drawImage').mockImplementation(function (this: SKRSContext2D, ...args: unknown[]) {
    const [row, x, y] = args as [Canvas, number, number];
    if (isThumbnail(this) && args.length === 3)
      boxes.push({ what: 'row', left: x, right: x + row.width, top: y, bottom: y + row.height });
    Reflect.apply(drawImage, this, args);
  });
  await paint();
  texts.mockRestore();
  rows.mockRestore();
  return boxes;
}

const options = buildOptions({ onlyDeathnotices: false, damageTicker: true });
const KINDS: readonly Partial<Kill>[] = [
  {},
  { headshot: true, assister: 1, flashAssist: true },
  { noScope: true, weapon: 'awp', wallbang: true },
  { throughSmoke: true, weapon: 'm4a1_silencer_off', attackerBlind: true, headshot: true },
  { wallbang: true },
  { weapon: 'knife_butterfly' },
];
const NAMES = ['s1', 'Käthe Möwe', 'ÅÇĢjgqy', 'W'.repeat(40), 'Маяк', '明日香'];

/** A cover of one to six kills, or none, at any distance in any direction. */
function scene(seed: number) {
  const count = [1, 0, 2, 5, 6, 1][seed % 6] ?? 1;
  const kind = KINDS[Math.floor(seed / 2) % KINDS.length];
  const angle = seed * 2.4;
  const away = (seed * 397) % 3500;
  const stand: MatchPlan['stand'] = (player, tick) => {
    const far = player < 5 ? 0 : away;
    return { x: Math.cos(angle) * far + player * 30, y: Math.sin(angle) * far + tick / 4, yaw: tick };
  };
  const kills = Array.from({ length: count }, (_, i) =>
    buildKill({ ...kind, tick: 100 + i * 20, victim: 5 + (i % 5) }),
  );
  const players = Array.from({ length: 10 }, (_, i) => ({ name: NAMES[(seed + i) % NAMES.length] ?? '' }));
  const outfit = { armor: 0, helmet: false, kit: false, money: 0, weapon: null, items: [] };
  const match: Match = buildMatch({
    kills,
    players,
    stand,
    map: seed % 2 === 0 ? 'de_mirage' : `de_${'long'.repeat(8)}`,
    outfits: [{ tick: 0, player: 0, place: seed % 3 === 0 ? '' : 'UpperConnectorOfTheWarehouse', ...outfit }],
  });
  const shots = [buildShot({ kills })];
  const source = paintedSource(match, shots, options);
  return { match, shots, options, source, style: 'full' as const };
}

describe('a cover', () => {
  it('has no text and no row of the killfeed over another, the play button, the player or their victim', async () => {
    for (let seed = 0; seed < 36; seed++) {
      const input = scene(seed);
      const { match, shots } = input;
      const boxes = await paintedOn(() => renderThumbnail(input));
      const hero = findHero(match, shots, options.fps);
      const [shot] = shots;
      const cover = shot && coverView(match, shot, hero.tick, options);
      if (cover == null) return expect.unreachable();
      for (const player of [0, ...(hero.kill === null ? [] : [hero.kill.victim])]) {
        const state = playerAt(match, player, hero.kill === null || player === 0 ? hero.tick : hero.kill.tick - 1);
        if (state === null) return expect.unreachable();
        expect(cover.isShown(state)).toBe(true);
        const at = toScreen({ view: cover.view, options }, state);
        const x = ((at.x / options.width - COVER.x) / COVER.size) * width;
        const y = ((at.y / options.height - COVER.y) / COVER.size) * height;
        const marker = { left: x - MARKER, right: x + MARKER, top: y - MARKER, bottom: y + MARKER };
        expect(Math.min(marker.left, marker.top, width - marker.right, height - marker.bottom)).toBeGreaterThan(0);
        for (const box of [BUTTON, ...boxes]) expect(apart(box, { what: `player ${player}`, ...marker })).toBe(true);
      }
      expect(boxes.length).toBe(3 + Math.min(shot?.kills.length ?? 0, 5));
      for (const [i, a] of boxes.entries()) {
        expect(Math.min(a.left, a.top, width - a.right, height - a.bottom)).toBeGreaterThan(0);
        for (const b of [BUTTON, ...boxes.slice(i + 1)])
          if (!apart(a, b)) expect.fail(`${seed}: ${a.what} over ${b.what}`);
      }
    }
  });

  it('names the player once, and nobody else on the map', async () => {
    const named = async (name: string) => {
      const kills = [buildKill({ tick: 160, assister: 1 })];
      const players = Array.from({ length: 10 }, (_, i) => (i === 0 ? { name } : {}));
      const [match, shots] = [buildMatch({ players, kills }), [buildShot({ kills })]];
      const source = paintedSource(match, shots, options);
      const boxes = await paintedOn(() => renderThumbnail({ source, match, shots, options, style: 'full' }));
      expect(boxes.filter(({ what }) => what === name)).toHaveLength(1);
      return source.frame(10, 'cover');
    };
    expect(changedPixels(await named('Anna'), await named('Boris'), options)).toBe(0);
  });

  it('of a victim’s view names the killer, and has both in the place of the action', async () => {
    const kills = [buildKill({ tick: 160 })];
    const [match, shot] = [buildMatch({ kills }), buildShot({ pov: 5, subject: 0, kills })];
    const source = paintedSource(match, [shot], options);
    const boxes = await paintedOn(() => renderThumbnail({ source, match, shots: [shot], options, style: 'full' }));
    expect(boxes.map(({ what }) => what)).toEqual(expect.arrayContaining(['1 KILL', 'Player 0']));
    const own = coverView(match, { ...shot, pov: 0 }, 165, options);
    expect(coverView(match, shot, 165, options)?.view).toEqual(own?.view);
  });
});

function apart(a: Box, b: Box): boolean {
  return a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
}
