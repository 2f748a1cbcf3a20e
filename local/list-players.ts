import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decompressDemo } from '../render-host/decompress/decompress-demo.ts';
import { listPlayers, type PlayerSummary } from '../render-host/match/describe-players.ts';
import { parseDemo } from '../render-host/match/parse-demo.ts';

/** Reads a demo, compressed or not, and says who plays in it. Throws an Error that says why it cannot be read. */
export async function readPlayers(demoFile: string, workDir: string): Promise<readonly PlayerSummary[]> {
  const { signal } = new AbortController();
  const path = join(workDir, 'listed');
  await copyFile(demoFile, path);
  const unpacked = await decompressDemo({ path, workDir, signal });
  if (!unpacked.ok) throw new Error(`${unpacked.code}: ${unpacked.detail}`);
  const parsed = await parseDemo({ demoPath: unpacked.demoPath, workDir, signal });
  if (!parsed.ok) throw new Error(`${parsed.code}: ${parsed.detail}`);
  return listPlayers(parsed.match);
}

/** A table for people: one line a player, most kills first, with the rounds they made them in. */
export function playerTable(players: readonly PlayerSummary[]): string {
  const rows = players.map(({ player, kills, killsByRound }) => {
    const rounds = [...killsByRound].map(([round, count]) => (count > 1 ? `${round} (${count})` : `${round}`));
    return [player.steamId, player.name, String(kills), rounds.join(', ') || '–'];
  });
  const table = [['STEAM ID', 'PLAYER', 'KILLS', 'IN ROUNDS'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => [...(row[column] ?? '')].length)));
  return table
    .map((row) => row.map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length))))
    .map((row) => `  ${row.join('  ').trimEnd()}`)
    .join('\n');
}
