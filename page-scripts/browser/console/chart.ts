import type { Overview } from '../../../client/operator-shapes.ts';
import { svg } from './dom.ts';

const WIDTH = 700;
const HEIGHT = 160;
const FOOT = 18;

/** Runs that made a clip, and above them those that failed, a bar a day. */
export function dayChart(days: Overview['days']): SVGElement {
  const sums = days.map(({ day, done, failed }) => {
    return { day, done, failed: Object.values(failed).reduce((a, b) => a + b, 0) };
  });
  const most = Math.max(1, ...sums.map(({ done, failed }) => done + failed));
  const step = WIDTH / Math.max(1, sums.length);
  const heightOf = (count: number) => (count / most) * (HEIGHT - FOOT - 12);
  const bars = sums.map(({ day, done, failed }, i) => {
    const [x, width, base] = [i * step + step * 0.15, step * 0.7, HEIGHT - FOOT];
    const bar = (name: string, count: number, from: number) =>
      svg('rect', { class: name, x, width, y: base - from - heightOf(count), height: heightOf(count) });
    const label = svg('text', { x: x + width / 2, y: HEIGHT - 4, 'text-anchor': 'middle' }, day.slice(8));
    const title = svg('title', {}, `${day}: ${done} done, ${failed} failed`);
    return svg('g', {}, title, bar('done', done, 0), bar('failed', failed, heightOf(done)), label);
  });
  const [done, failed] = [sums.reduce((n, one) => n + one.done, 0), sums.reduce((n, one) => n + one.failed, 0)];
  const label = `${done} runs done and ${failed} failed in ${sums.length} days; at most ${most} a day`;
  return svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'chart', role: 'img', 'aria-label': label }, bars);
}
