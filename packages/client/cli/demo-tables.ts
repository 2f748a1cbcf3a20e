import { cleanLine } from '#domain/lib/text.ts';
import type { DemoMatch } from '../index.ts';
import { inColumns } from './output.ts';

/** What was found in a demo. The requests of its highlights may leave out the demo. */
type Found = Omit<DemoMatch, 'highlights'> & {
  readonly highlights: readonly Omit<DemoMatch['highlights'][number], 'request'>[];
};

/** Returns `de_nuke, patch 14065, 24 rounds, 45:12 at 64 ticks a second`, and properties of the recording. */
export function demoLine(demo: Found): string {
  const { map, game_patch, rounds, tick_rate, first_tick, last_tick, is_complete, recorded_by } = demo;
  const { damage, kills_left_out } = demo;
  const seconds = Math.round((last_tick - first_tick) / tick_rate);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const parts = [
    map,
    game_patch === null ? '' : `patch ${game_patch}`,
    `${rounds.length} ${rounds.length === 1 ? 'round' : 'rounds'}`,
    `${time} at ${tick_rate} ticks a second`,
    damage ? `damaged after tick ${damage.tick} (${damage.reason})` : is_complete ? '' : 'its end is missing',
    kills_left_out ? `${kills_left_out} kills left out` : '',
    recorded_by === null ? '' : `only ${recorded_by} can be shown`,
  ];
  return `  ${cleanLine(parts.filter(Boolean).join(', '))}`;
}

/** Returns a line for each player, most kills first, with the rounds of their kills. */
export function playerTable({ players }: Found): string {
  const mostKillsFirst = players.toSorted((a, b) => b.kills - a.kills);
  const rows = mostKillsFirst.map(({ steam64_id, name, team, kills, deaths, kills_by_round }) => {
    const rounds = Object.entries(kills_by_round).map(([round, count]) => (count > 1 ? `${round} (${count})` : round));
    return [steam64_id, name, team ?? '–', `${kills}`, `${deaths}`, rounds.join(', ') || '–'];
  });
  return table([['STEAM ID', 'PLAYER', 'SIDE', 'KILLS', 'DEATHS', 'IN ROUNDS'], ...rows]);
}

export function roundTable({ rounds }: Found): string {
  const rows = rounds.map(({ round, start_tick, end_tick, winner, reason, score }) => [
    `${round}`,
    `${start_tick}`,
    end_tick === null ? '–' : `${end_tick}`,
    winner ?? '–',
    reason?.replaceAll('_', ' ') ?? '–',
    score === null ? '–' : `CT ${score.CT} – ${score.T} T`,
  ]);
  return table([['ROUND', 'FROM TICK', 'DECIDED', 'WINNER', 'BY', 'SCORE'], ...rows]);
}

/** Returns a line for each part of the recording that is not of the match; an empty text without any. */
export function partTable({ parts = [], players }: Found): string {
  if (parts.length === 0) return '';
  const rows = parts.map(({ start_tick, end_tick, rounds, players: who }) => [
    ...[`${start_tick}–${end_tick}`, `${rounds}`, who.map((player) => players[player]?.name ?? '?').join(', ')],
  ]);
  return table([['NOT COUNTED: TICKS', 'ROUNDS', 'PLAYERS'], ...rows]);
}

const HIGHLIGHTS_AT_MOST = 15;

/** Returns the highlights, the best first, numbered; an empty text without any. */
export function highlightTable({ highlights, players }: Found, most = HIGHLIGHTS_AT_MOST): string {
  if (highlights.length === 0) return '';
  const rows = highlights.slice(0, most).map(({ player, round, start_tick, end_tick, kinds, score }, at) => {
    const counted = [...new Set(kinds)].map((kind) => {
      const count = kinds.filter((other) => other === kind).length;
      return count > 1 ? `${count} × ${kind.replaceAll('_', ' ')}` : kind.replaceAll('_', ' ');
    });
    const where = [players[player]?.name ?? '?', `${round}`, `${start_tick}–${end_tick}`];
    return [`${at + 1}`, `${score}`, ...where, counted.join(', ')];
  });
  return table([['BEST', 'SCORE', 'PLAYER', 'ROUND', 'TICKS', 'WHAT'], ...rows]);
}

function table(rows: readonly (readonly string[])[]): string {
  return inColumns(rows.map((row) => row.map(cleanLine))).replace(/^/gm, '  ');
}
