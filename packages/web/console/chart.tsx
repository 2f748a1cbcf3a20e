import type { JSX } from 'preact';
import { Table } from '../parts/components.tsx';
import { amount } from '../parts/format.ts';

/** What the values are: the sizes of the units of the scale, the largest first. */
const UNITS = {
  count: { '': 1 },
  seconds: { ' h': 3600, ' min': 60, ' s': 1 },
  bytes: { ' TB': 1e12, ' GB': 1e9, ' MB': 1e6, ' kB': 1e3, ' B': 1 },
};

export interface ChartSeries<Day> {
  readonly name: string;
  readonly tone: 'good' | 'bad' | 'blue' | 'accent';
  of(day: Day): number;
}

interface ChartProps<Day> {
  /** What the chart shows: "Runs by day". */
  readonly label: string;
  readonly unit: keyof typeof UNITS;
  /** Oldest first. `day`: as `2026-01-31` (UTC). */
  readonly days: readonly Day[];
  /** Stacked, the first at the bottom. */
  readonly series: readonly ChartSeries<Day>[];
}

/** Pixels of the plot. Below it are the days, on its left the scale. */
const HEIGHT = 180;
/** At most as many days are named, a third of them in a narrow window. */
const NAMED = 8;

/** Returns stacked bars by day with a scale and a legend, and the same values as a table. */
export function DayChart<Day extends { readonly day: string }>(props: ChartProps<Day>): JSX.Element {
  const { label, unit, days, series } = props;
  const most = Math.max(0, ...days.map((day) => series.reduce((sum, { of }) => sum + of(day), 0)));
  const [name, factor] = Object.entries(UNITS[unit]).find(([, size]) => size <= most) ?? ['', 1];
  const ticks = ticksUpTo(most / factor);
  const top = (ticks.at(-1) ?? 1) * factor;
  const y = (value: number) => HEIGHT * (1 - value / top);
  const step = 100 / Math.max(1, days.length);
  const every = Math.ceil(days.length / NAMED);
  const textOf = (value: number) => `${amount(Math.round((value / factor) * 100) / 100)}${name}`;
  return (
    <figure class="chart">
      <figcaption class="legend">
        {series.map((one) => (
          <span key={one.name} class={one.tone}>
            <i />
            {one.name}
          </span>
        ))}
      </figcaption>
      <svg height={HEIGHT} role="img" aria-label={`${label}: at most ${textOf(most)} a day. The table has all values.`}>
        {ticks.map((tick) => (
          <g key={tick} class="tick">
            <line x1="0" x2="100%" y1={y(tick * factor)} y2={y(tick * factor)} />
            <text x={-8} y={y(tick * factor) + 4} text-anchor="end">
              {`${amount(tick)}${name}`}
            </text>
          </g>
        ))}
        {days.map((day, i) => {
          const before = days.length - 1 - i;
          let below = 0;
          return (
            <g key={day.day} class="day">
              <title>
                {[dayName(day.day), ...series.map((one) => `${one.name}: ${textOf(one.of(day))}`)].join('\n')}
              </title>
              <rect class="whole" x={`${i * step}%`} width={`${step}%`} height={HEIGHT} />
              {series.map((one) => {
                const value = one.of(day);
                below += value;
                const [x, width, height] = [`${(i + 0.15) * step}%`, `${step * 0.7}%`, HEIGHT - y(value)];
                return <rect key={one.name} class={one.tone} x={x} width={width} y={y(below)} height={height} />;
              })}
              {before % every === 0 && (
                <text
                  class={(before / every) % 3 === 0 ? '' : 'minor'}
                  x={`${(i + 0.5) * step}%`}
                  y={HEIGHT + 18}
                  text-anchor="middle"
                >
                  {dayName(day.day)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <details>
        <summary>Values</summary>
        <Table
          label={label}
          rows={days.toReversed()}
          columns={{
            Day: ({ day }) => day,
            ...Object.fromEntries(series.map((one) => [one.name, (day: Day) => textOf(one.of(day))])),
          }}
        />
      </details>
    </figure>
  );
}

/** Formats a day: `23 Nov`. */
function dayName(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

/** Returns the values of a scale from 0 to the first one that is not below `most`: at most six, in round steps. */
function ticksUpTo(most: number): number[] {
  const least = Math.max(1, most / 5);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((one) => one * power >= least) ?? 10);
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, i) => i * step);
}
