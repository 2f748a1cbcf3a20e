import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSampleMatch, writeDemoFile } from '#demo-writer/index.ts';
import { writeMatchFile } from '#render-host/match/match-file.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { MACHINE, numbersOf, say } from './load.ts';

/**
 * Compares our whole reading of a match with demoparser2's reading of six fields at each tick, and of one event alone:
 * time and peak memory, each in a process of its own. demoparser2 takes 6 GB for 30 rounds.
 *
 *     npx node tools/bench/read.bench.ts [--rounds 30] [--most 0.4]
 */
interface Demoparser {
  parseTicks(path: string, fields: string[]): unknown[];
  parseEvent(path: string, name: string): unknown[];
}
const theirs = () => createRequire(import.meta.url)('@laihoe/demoparser2') as Demoparser;
const FIELDS = ['X', 'Y', 'Z', 'health', 'yaw', 'pitch'];

/** Each reads a demo, and returns the number of samples or kills. */
const READERS: Record<string, (path: string) => number | Promise<number>> = {
  whole: async (path) => {
    const result = await readMatch(path);
    if (!result.ok) throw new Error(result.detail);
    await writeMatchFile(`${path}.match`, result.match, Infinity);
    return result.match.tracks.flags.length;
  },
  parseTicks: (path) => theirs().parseTicks(path, FIELDS).length,
  parseEvent: (path) => theirs().parseEvent(path, 'player_death').length,
};

const [name = '', path = ''] = process.argv.slice(2);
const read = READERS[name];
if (read) {
  const begun = performance.now();
  const found = await read(path);
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  const MB = Math.round((process.resourceUsage().maxRSS * 1024) / 1e6);
  say(JSON.stringify({ seconds, MB, found }));
} else {
  const { rounds, most } = numbersOf({ rounds: 30, most: 0.4 });
  const folder = mkdtempSync(join(tmpdir(), 'tickreel-bench-'));
  const demo = join(folder, 'match.dem');
  // demoparser2 finds no players by ids over 65,000.
  const written = await writeDemoFile(createSampleMatch({ rounds }), demo, { isHeavy: true, wireId: (slot) => slot });
  say(`${MACHINE}; ${rounds} rounds, ${(written.sizeBytes / 1e6).toFixed(0)} MB`);
  const run = (reader: string) =>
    JSON.parse(execFileSync(process.execPath, [import.meta.filename, reader, demo], { encoding: 'utf8' }));
  const results = Object.fromEntries(Object.keys(READERS).map((reader) => [reader, run(reader)]));
  rmSync(folder, { recursive: true });
  console.table(results);
  const ratio = results.whole.seconds / results.parseTicks.seconds;
  say(`whole / parseTicks: ${ratio.toFixed(2)}, at most ${most}`);
  process.exitCode = ratio <= most ? 0 : 1;
}
