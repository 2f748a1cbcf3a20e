import type { JSX } from 'preact';
import type { DemoMatch } from '#client/index.ts';
import { type ClipChoice, highlightId } from './shapes.ts';

interface Props {
  readonly match: DemoMatch;
  readonly chosen: ReadonlyMap<string, ClipChoice>;
  /** Toggles the highlight with this index. */
  onToggle(index: number): void;
}

const WIDTH = 1000;
const MIN_WIDTH = 8;

/** Draws the rounds, kills and highlights of a match from left to right. The list beside it has the same as text. */
export function Timeline({ match, chosen, onToggle }: Props): JSX.Element {
  const { first_tick: first, last_tick: last, rounds, kills, highlights, players } = match;
  const x = (tick: number) => ((tick - first) / Math.max(1, last - first)) * WIDTH;
  return (
    <svg class="timeline" viewBox={`0 0 ${WIDTH} 64`} preserveAspectRatio="none" aria-hidden="true">
      {rounds.map(({ round, start_tick, end_tick, winner }, index) => {
        const end = end_tick ?? rounds[index + 1]?.start_tick ?? last;
        return (
          <rect
            key={round}
            class={`round ${winner ?? ''}`}
            x={x(start_tick)}
            y="30"
            width={Math.max(1, x(end) - x(start_tick))}
            height="34"
          />
        );
      })}
      {kills.map(({ tick, attacker }, index) => (
        <line key={index} class={`kill ${players[attacker]?.team ?? ''}`} x1={x(tick)} x2={x(tick)} y1="36" y2="58" />
      ))}
      {highlights.map(({ start_tick, end_tick, kind }, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the same box can be ticked in the list
        <rect
          key={highlightId(index)}
          class={chosen.has(highlightId(index)) ? 'moment chosen' : 'moment'}
          x={x(start_tick)}
          y="2"
          width={Math.max(MIN_WIDTH, x(end_tick) - x(start_tick))}
          height="22"
          rx="3"
          onClick={() => onToggle(index)}
        >
          <title>{kind.replaceAll('_', ' ')}</title>
        </rect>
      ))}
    </svg>
  );
}
