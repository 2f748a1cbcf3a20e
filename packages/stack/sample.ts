import { join } from 'node:path';
import { createSampleMatch, truthOf, writeDemoFile } from '#demo-writer/index.ts';

export interface SampleDemo {
  readonly path: string;
  /** The player and the round with the most kills. */
  readonly player: string;
  readonly round: number;
}

/** Writes the sample demo into a folder and chooses the best clip of it. */
export async function writeSample(folder: string): Promise<SampleDemo> {
  const match = createSampleMatch();
  const path = join(folder, 'sample.dem');
  await writeDemoFile(match, path);
  const { kills, rounds } = truthOf(match);
  const tallies = rounds.flatMap(({ startTick, officialEndTick }, i) =>
    match.players.map(({ steamId, userId }) => ({
      player: steamId,
      round: i + 1,
      kills: kills.filter(
        ({ attacker, tick }) => attacker === userId && tick >= startTick && tick < (officialEndTick ?? Infinity),
      ).length,
    })),
  );
  const [best] = tallies.sort((a, b) => b.kills - a.kills);
  if (!best) throw new Error('the sample match has no rounds');
  return { path, player: best.player, round: best.round };
}
