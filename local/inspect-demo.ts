import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decompressDemo } from '../render-host/decompress/decompress-demo.ts';
import { inspectMatch, type MatchInspection } from '../render-host/match/inspect-match.ts';
import { parseDemo } from '../render-host/match/parse-demo.ts';

/** Reads a demo, compressed or not, and says what is in it. Throws an Error that says why it cannot be read. */
export async function inspectDemo(demoFile: string, workDir: string): Promise<MatchInspection> {
  const { signal } = new AbortController();
  const path = join(workDir, 'listed');
  await copyFile(demoFile, path);
  const unpacked = await decompressDemo({ path, workDir, signal });
  if (!unpacked.ok) throw new Error(`${unpacked.code}: ${unpacked.detail}`);
  const parsed = await parseDemo({ demoPath: unpacked.demoPath, workDir, signal });
  if (!parsed.ok) throw new Error(`${parsed.code}: ${parsed.detail}`);
  return inspectMatch(parsed.match);
}

/** `de_nuke, patch 14065, 24 rounds, 45:12 at 64 ticks a second`, and what is peculiar about the recording. */
export function demoLine(demo: MatchInspection): string {
  const { map, gamePatch, rounds, tickRate, firstTick, lastTick, complete, recordedBy } = demo;
  const seconds = Math.round((lastTick - firstTick) / tickRate);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const parts = [
    map,
    gamePatch === null ? '' : `patch ${gamePatch}`,
    `${rounds.length} ${rounds.length === 1 ? 'round' : 'rounds'}`,
  ];
  const notes = [complete ? '' : 'its end is missing', recordedBy === null ? '' : `only ${recordedBy} can be shown`];
  const line = [...parts, `${time} at ${tickRate} ticks a second`, ...notes].filter(Boolean).join(', ');
  return `  ${line}`;
}

/** One line a player, most kills first, with the rounds they made them in. */
export function playerTable({ players }: MatchInspection): string {
  const mostKillsFirst = players.toSorted((a, b) => b.kills - a.kills);
  const rows = mostKillsFirst.map(({ steamId, name, team, kills, deaths, killsByRound }) => {
    const rounds = [...killsByRound].map(([round, count]) => (count > 1 ? `${round} (${count})` : `${round}`));
    return [steamId, name, team ?? '–', `${kills}`, `${deaths}`, rounds.join(', ') || '–'];
  });
  return table([['STEAM ID', 'PLAYER', 'SIDE', 'KILLS', 'DEATHS', 'IN ROUNDS'], ...rows]);
}

/** One line a round. */
export function roundTable({ rounds }: MatchInspection): string {
  const rows = rounds.map(({ number, startTick, endTick, winner, reason, score }) => [
    `${number}`,
    `${startTick}`,
    endTick === null ? '–' : `${endTick}`,
    winner ?? '–',
    reason?.replaceAll('_', ' ') ?? '–',
    score === null ? '–' : `CT ${score.CT} – ${score.T} T`,
  ]);
  return table([['ROUND', 'FROM TICK', 'DECIDED', 'WINNER', 'BY', 'SCORE'], ...rows]);
}

const HIGHLIGHTS_AT_MOST = 15;

/** The best first, numbered: what `--best` takes. Empty where there are none. */
export function highlightTable({ highlights, players }: MatchInspection): string {
  if (highlights.length === 0) return '';
  const rows = highlights
    .slice(0, HIGHLIGHTS_AT_MOST)
    .map(({ player, round, startTick, endTick, feats, score }, at) => {
      const kinds = [...new Set(feats.map(({ kind }) => kind))];
      const counted = kinds.map((kind) => {
        const count = feats.filter((feat) => feat.kind === kind).length;
        return count > 1 ? `${count} × ${kind.replaceAll('_', ' ')}` : kind.replaceAll('_', ' ');
      });
      return [
        `${at + 1}`,
        `${score}`,
        players[player]?.name ?? '?',
        `${round}`,
        `${startTick}–${endTick}`,
        counted.join(', '),
      ];
    });
  return table([['BEST', 'SCORE', 'PLAYER', 'ROUND', 'TICKS', 'WHAT'], ...rows]);
}

/** Columns as wide as their widest cell; the last one as it comes. */
function table(rows: readonly (readonly string[])[]): string {
  const columns = (rows[0]?.length ?? 1) - 1;
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => [...(row[at] ?? '')].length)),
  );
  return rows
    .map((row) => row.map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - [...cell].length))))
    .map((row) => `  ${row.join('  ').trimEnd()}`)
    .join('\n');
}
