import { contextOf, loadFonts, useBrowserCanvas } from '#web/replay/browser-canvas.ts';
import { createNotedScene, readInput } from './noted-scene.ts';

/** Runs in the page of `scene.test.ts`, and draws there what the test draws on a host. */
async function openScene(text: string) {
  const input = readInput(text);
  useBrowserCanvas();
  await loadFonts('/static', input.match.players.map(({ name }) => name).join(''));
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: input.options.width, height: input.options.height });
  const scene = createNotedScene(input, contextOf(canvas));
  return (...frame: Parameters<typeof scene.frame>) => {
    const { pixels, drawn } = scene.frame(...frame);
    const bytes = new Uint8Array(pixels.buffer) as Uint8Array & { toBase64(): string };
    return { drawn, pixels: bytes.toBase64() };
  };
}

export type OpenScene = typeof openScene;
Object.assign(window, { openScene });
