/** How long a seek lasts before the storyboard is shown; in a shorter seek it would only flicker. */
const DELAY_MS = 150;

/**
 * Shows a small picture of the target while a video seeks: on a slow connection it is there long before the video. Not
 * before the video was played once, because then it shows its poster.
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
  let timer = 0;
  const hide = () => {
    clearTimeout(timer);
    timer = 0;
    board.hidden = true;
    board.popover = null;
  };
  const show = () => {
    // Over an element in full screen, a browser only shows popovers that opened later.
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
    // The last interval may be shorter than the others.
    const at = Math.max(0, Math.floor(Math.min(video.currentTime, video.duration - 0.1) / Number(interval)));
    const percent = (i: number, of: number) => `${(100 * i) / Math.max(of - 1, 1)}%`;
    board.style.background = `url("${url}") ${percent(at % across, across)} ${percent(Math.floor(at / across), down)} / ${across * 100}% ${down * 100}%`;
    timer ||= setTimeout(show, DELAY_MS);
  });
  for (const end of ['seeked', 'error', 'emptied']) video.addEventListener(end, hide);
  document.addEventListener('fullscreenchange', () => {
    if (!board.hidden) show();
  });
  // Loads the storyboard before the seek, when somebody points at the video.
  for (const event of ['pointermove', 'touchstart'] as const) stage.addEventListener(event, load, { passive: true });
}
