import type { JSX } from 'preact';
import type { DemoMatch } from '#client/index.ts';
import type { ClipChoice } from './shapes.ts';

interface Props {
  readonly demoUrl: string;
  readonly match: DemoMatch;
  readonly chosen: ReadonlyMap<string, ClipChoice>;
  onToggle(moment: ClipChoice): void;
}

/** Shows the kills by player and round. Each cell can become a clip. */
export function RoundTable({ demoUrl, match, chosen, onToggle }: Props): JSX.Element {
  const { players, rounds } = match;
  const shown = players.map((player, index) => ({ player, index })).filter(({ player }) => player.kills > 0);
  shown.sort((a, b) => b.player.kills - a.player.kills);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what scrolls
    <section class="rounds" aria-label="Kills by player and round" tabIndex={0}>
      <table>
        <caption>Kills by player and round</caption>
        <thead>
          <tr>
            <th scope="col">Player</th>
            <th scope="col">
              <abbr title="Kills and deaths">K / D</abbr>
            </th>
            {rounds.map(({ round, winner }) => (
              <th key={round} scope="col" class={winner ?? ''} title={winner === null ? '' : `${winner} won`}>
                {round}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ player, index }) => (
            <tr key={index} class={player.team ?? ''}>
              <th scope="row">
                <bdi>{player.name}</bdi>
              </th>
              <td>
                {player.kills} / {player.deaths}
              </td>
              {rounds.map(({ round }) => {
                const kills = player.kills_by_round[round] ?? 0;
                if (kills === 0) return <td key={round} />;
                const id = `player-${index}-round-${round}`;
                const label = `${kills} ${kills === 1 ? 'kill' : 'kills'} by ${player.name}, round ${round}`;
                const request = { demo_url: demoUrl, steam64_id: player.steam64_id, round };
                return (
                  <td key={round}>
                    <button
                      type="button"
                      class={`k${Math.min(kills, 5)}`}
                      aria-pressed={chosen.has(id)}
                      aria-label={label}
                      onClick={() => onToggle({ id, label, request })}
                    >
                      {kills}
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
