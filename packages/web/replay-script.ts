import { useBrowserCanvas } from './replay/browser-canvas.ts';
import { startReplay } from './replay/start-replay.ts';

const screen = document.querySelector<HTMLElement>('[data-tracks]');
useBrowserCanvas();
if (screen) void startReplay(screen);
