/** A seek that takes no longer than this needs no stand-in: it would only flicker. */
const PATIENCE_MS = 150;

/**
 * While a video is on its way to where somebody seeks, shows a small picture of that place: on a poor line it is there
 * long before the video is. Until the video was played, its poster is what is to be seen.
 */
export function showStoryboard(video: HTMLVideoElement, stage: HTMLElement, isPlayed: () => boolean): void {
  const board = document.querySelector<HTMLElement>('[data-board]');
  if (!board) return;
  const { board: url = '', columns, rows, interval } = board.dataset;
  const [across, down] = [Number(columns), Number(rows)];
  const image = new Image();
  const load = () => {
    if (isPlayed()) image.src ||= url;
  };
  let patience = 0;
  const hide = () => {
    clearTimeout(patience);
    patience = 0;
    board.hidden = true;
    board.popover = null;
  };
  const show = () => {
    // A browser shows nothing over what is in full screen but what came to the top after it.
    const isCovered = document.fullscreenElement === video && 'popover' in board;
    board.popover = null;
    board.hidden = false;
    if (!isCovered) return;
    board.popover = 'manual';
    board.showPopover();
  };
  video.addEventListener('seeking', () => {
    if (!isPlayed()) return;
    load();
    // The last picture may be of less than a whole interval.
    const at = Math.max(0, Math.floor(Math.min(video.currentTime, video.duration - 0.1) / Number(interval)));
    const share = (i: number, of: number) => `${(100 * i) / Math.max(of - 1, 1)}%`;
    board.style.background = `url("${url}") ${share(at % across, across)} ${share(Math.floor(at / across), down)} / ${across * 100}% ${down * 100}%`;
    patience ||= setTimeout(show, PATIENCE_MS);
  });
  for (const end of ['seeked', 'error', 'emptied']) video.addEventListener(end, hide);
  document.addEventListener('fullscreenchange', () => {
    if (!board.hidden) show();
  });
  // Whoever is about to seek, moves to the bar first.
  for (const reach of ['pointermove', 'touchstart'] as const) stage.addEventListener(reach, load, { passive: true });
}
