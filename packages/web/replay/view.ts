import { FONT } from '#scene/drawing/fonts.ts';
import { liveShot } from '#scene/plan/shot.ts';
import { createScene, type Scene } from '#scene/scene.ts';
import type { TracksFile } from '#tracks/file.ts';
import { contextOf, loadFonts } from './browser-canvas.ts';
import { createChunkCache, type ReplayWindow, windowAt } from './chunk-cache.ts';
import { viewerOf } from './shown-player.ts';
import type { ReplayShot } from './timeline.ts';

/** The canvas of a replay. */
export interface ReplayView {
  /** Draws a tick of a shot. Returns whether it could: its ticks have to be loaded first. */
  draw(shot: ReplayShot, tick: number): boolean;
}

interface Prepared {
  readonly firstTick: number;
  readonly scene: Scene;
  readonly width: number;
  readonly height: number;
}

/** The most prepared windows: the shown one, the next one, and those before. */
const MOST_WINDOWS = 4;
/** The largest picture: that of a clip. */
const MOST_WIDTH = 1920;
const FONTS = Object.values(FONT).map((family) => `20px "${family}"`);
/** Milliseconds that the first picture waits for the fonts. */
const MOST_WAIT_MS = 800;
/** Pictures of a tick, for slow motion. */
const FRAMES_A_TICK = 8;

/**
 * Creates the view of a canvas. Calls `onChange` when more can be drawn, or the canvas has another size; `onError` if
 * the file cannot be read. The next draw tries again.
 */
export function createView(
  canvas: HTMLCanvasElement,
  file: TracksFile,
  onChange: () => void,
  onError: (error: unknown) => void,
): ReplayView {
  const context = contextOf(canvas);
  const load = createChunkCache(file);
  let width = widthOf(canvas);
  let isDrawn = false;
  /** By what they show, the last used one last; null while they are prepared. */
  const windows = new Map<string, Prepared | null>();
  const reset = () => {
    width = widthOf(canvas);
    windows.clear();
    onChange();
  };
  const fonts = loadFonts('/player', '').catch(() => {});
  const patience = new Promise((resolve) => setTimeout(resolve, MOST_WAIT_MS));
  const names = file.players.map(({ name }) => name).join('');
  /** Draws again with fonts that came later: all of them, or those of names beyond Western Europe. */
  const redraw = async () => {
    const known = document.fonts.size > 0 && FONTS.every((font) => document.fonts.check(font, names));
    await fonts;
    await Promise.all(FONTS.map((font) => document.fonts.load(font, names)));
    if (!known) reset();
  };
  new ResizeObserver(() => {
    if (widthOf(canvas) !== width) reset();
  }).observe(canvas);

  async function prepare({ shown, needed }: ReplayWindow, followed: number): Promise<Prepared> {
    const [match] = await Promise.all([load(needed), Promise.race([fonts, patience])]);
    const size = { width, height: Math.round((width * 9) / 16) };
    const options = {
      ...size,
      fps: file.tickRate * FRAMES_A_TICK,
      xray: true,
      onlyDeathnotices: false,
      ownKillfeed: false,
      damageTicker: false,
    };
    const shot = liveShot(match, needed, viewerOf(match, followed, shown));
    return { ...size, scene: createScene(match, [shot], options), firstTick: needed.startTick };
  }

  function find(shot: ReplayShot, tick: number): Prepared | null {
    const window = windowAt(shot, tick, file.tickRate);
    const key = `${shot.pov} ${window.needed.startTick} ${window.needed.endTick}`;
    const known = windows.get(key);
    if (known !== undefined) {
      windows.delete(key);
      windows.set(key, known);
      return known;
    }
    windows.set(key, null);
    for (const old of [...windows.keys()].slice(0, -MOST_WINDOWS)) windows.delete(old);
    prepare(window, shot.pov).then(
      (prepared) => {
        if (windows.has(key) && prepared.width === width) windows.set(key, prepared);
        else windows.delete(key);
        onChange();
      },
      (error: unknown) => {
        windows.delete(key);
        onError(error);
      },
    );
    return null;
  }

  return {
    draw(shot, tick) {
      const prepared = find(shot, tick);
      if (prepared === null) return false;
      if (canvas.width !== prepared.width) {
        canvas.width = prepared.width;
        canvas.height = prepared.height;
      }
      const frame = Math.round((tick - prepared.firstTick) * FRAMES_A_TICK);
      prepared.scene.paint(context, Math.min(Math.max(frame, 0), prepared.scene.frameCount - 1), 'live');
      if (!isDrawn) void redraw().catch(() => {});
      isDrawn = true;
      // Prepares the next window meanwhile.
      const { endTick } = windowAt(shot, tick, file.tickRate).shown;
      if (endTick < shot.endTick) find(shot, endTick);
      return true;
    },
  };
}

function widthOf(canvas: HTMLCanvasElement): number {
  const pixels = Math.min(canvas.clientWidth * devicePixelRatio, MOST_WIDTH);
  // A whole multiple of 16, so that the height is whole too.
  return Math.max(16, Math.round(pixels / 16) * 16);
}
