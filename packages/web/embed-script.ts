import { bindKeys, toggle } from './parts/keys.ts';
import { answerPlayerJs, findVideo } from './parts/player-js.ts';

const video = findVideo();
if (video) {
  const start = Number(video.dataset.start);
  const end = Number(video.dataset.end) || Infinity;
  const markPlaying = () => document.body.classList.toggle('playing', !video.paused);
  for (const change of ['play', 'pause'] as const) video.addEventListener(change, markPlaying);
  // The URL asks the browser to stop at the end, but not all browsers do, and none loops between start and end.
  video.addEventListener('timeupdate', () => {
    if (video.currentTime < end || video.seeking) return;
    if (video.loop) video.currentTime = start;
    else if (!video.paused) video.pause();
  });
  if (video.dataset.bare !== undefined) video.addEventListener('click', () => toggle(video));
  bindKeys(video, video);
  answerPlayerJs(video);
}
