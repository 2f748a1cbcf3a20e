import type { JSX } from 'preact';
import type { DemoMatch } from '#client/index.ts';
import { type ClipChoice, cellId, clockOf, killText } from './clip-choice.ts';

interface Props {
  readonly match: DemoMatch;
  readonly moments: ReadonlyMap<string, ClipChoice>;
  readonly chosen: ReadonlySet<string>;
  onToggle(id: string): void;
}

/** Pixels of all rounds together, unless some are too short for a finger. */
const WIDTH = 700;
const MIN_WIDTH = 44;

/**
 * Shows the kills of a match: a row for each player, a column as wide as its time for each round. The kills of a player
 * in a round can become a clip.
 */
export function Timeline({ match, moments, chosen, onToggle }: Props): JSX.Element {
  const { players, rounds, last_tick: last } = match;
  const spans = rounds.map(({ start_tick: start }, index) => ({
    start,
    ticks: Math.max(1, (rounds[index + 1]?.start_tick ?? last) - start),
  }));
  const all = spans.reduce((sum, { ticks }) => sum + ticks, 0);
  const shown = players.map((player, index) => ({ player, index })).filter(({ player }) => player.kills > 0);
  shown.sort((a, b) => b.player.kills - a.player.kills);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what scrolls
    <section class="rounds" aria-label="Timeline" tabIndex={0}>
      <table>
        <caption>
          Timeline <small>Kills by player, round and time</small>
        </caption>
        <thead>
          <tr>
            <th scope="col">Player</th>
            <th scope="col">
              <abbr title="Kills and deaths">K / D</abbr>
            </th>
            {rounds.map(({ round, start_tick, winner }, index) => (
              <th
                key={round}
                scope="col"
                class={winner ?? ''}
                title={winner === null ? '' : `${winner} won`}
                style={{ minWidth: `${Math.max(MIN_WIDTH, ((spans[index]?.ticks ?? 0) / all) * WIDTH)}px` }}
              >
                {round} <time>{clockOf(match, start_tick)}</time>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ player, index }) => (
            <tr key={index}>
              <th scope="row">
                <bdi title={player.name}>{player.name}</bdi>
              </th>
              <td>
                {player.kills} / {player.deaths}
              </td>
              {rounds.map(({ round }, column) => {
                const moment = moments.get(cellId(index, round));
                if (!moment) return <td key={round} />;
                const { start = 0, ticks = 1 } = spans[column] ?? {};
                return (
                  <td key={round}>
                    <button
                      type="button"
                      aria-pressed={chosen.has(moment.id)}
                      aria-label={moment.label}
                      title={moment.kills.map((kill) => killText(match, kill)).join('\n')}
                      onClick={() => onToggle(moment.id)}
                    >
                      {moment.kills.length}
                      {moment.kills.map(({ tick }) => (
                        <i key={tick} style={{ left: `${((tick - start) / ticks) * 100}%` }} />
                      ))}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
