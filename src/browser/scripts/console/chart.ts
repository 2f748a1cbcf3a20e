import type { JSX } from 'preact';
import type { Overview } from '#client/operator-shapes.ts';
import { h } from '../components.ts';

const WIDTH = 700;
const HEIGHT = 160;
const FOOT = 18;

/** Runs that made a clip, and above them those that failed, a bar a day. */
export function dayChart(days: Overview['days']): JSX.Element {
  const sums = days.map(({ day, done, failed }) => {
    return { day, done, failed: Object.values(failed).reduce((a, b) => a + b, 0) };
  });
  const most = Math.max(1, ...sums.map(({ done, failed }) => done + failed));
  const step = WIDTH / Math.max(1, sums.length);
  const heightOf = (count: number) => (count / most) * (HEIGHT - FOOT - 12);
  const bars = sums.map(({ day, done, failed }, i) => {
    const [x, width, base] = [i * step + step * 0.15, step * 0.7, HEIGHT - FOOT];
    const bar = (name: string, count: number, from: number) =>
      h('rect', { class: name, x, width, y: base - from - heightOf(count), height: heightOf(count) });
    const label = h('text', { x: x + width / 2, y: HEIGHT - 4, 'text-anchor': 'middle' }, day.slice(8));
    const title = h('title', {}, `${day}: ${done} done, ${failed} failed`);
    return h('g', {}, title, bar('done', done, 0), bar('failed', failed, heightOf(done)), label);
  });
  const [done, failed] = [sums.reduce((n, one) => n + one.done, 0), sums.reduce((n, one) => n + one.failed, 0)];
  const label = `${done} runs done and ${failed} failed in ${sums.length} days; at most ${most} a day`;
  return h('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'chart', role: 'img', 'aria-label': label }, bars);
}
