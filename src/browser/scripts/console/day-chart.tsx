import type { JSX } from 'preact';
import type { Overview } from '#client/operator-shapes.ts';

const WIDTH = 700;
const HEIGHT = 160;
const FOOT = 18;

/** A bar for each day: the runs that made a clip, and above them the runs that failed. */
export function DayChart({ days }: Pick<Overview, 'days'>): JSX.Element {
  const sums = days.map(({ day, done, failed }) => {
    return { day, done, failed: Object.values(failed).reduce((a, b) => a + b, 0) };
  });
  const most = Math.max(1, ...sums.map(({ done, failed }) => done + failed));
  const step = WIDTH / Math.max(1, sums.length);
  const heightOf = (count: number) => (count / most) * (HEIGHT - FOOT - 12);
  const done = sums.reduce((n, one) => n + one.done, 0);
  const failed = sums.reduce((n, one) => n + one.failed, 0);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      class="chart"
      role="img"
      aria-label={`${done} runs done and ${failed} failed in ${sums.length} days; at most ${most} a day`}
    >
      {sums.map((one, i) => {
        const [x, width, top] = [(i + 0.15) * step, step * 0.7, HEIGHT - FOOT - heightOf(one.done)];
        return (
          <g key={one.day}>
            <title>{`${one.day}: ${one.done} done, ${one.failed} failed`}</title>
            <rect class="done" x={x} width={width} y={top} height={heightOf(one.done)} />
            <rect class="failed" x={x} width={width} y={top - heightOf(one.failed)} height={heightOf(one.failed)} />
            <text x={x + width / 2} y={HEIGHT - 4} text-anchor="middle">
              {one.day.slice(8)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
