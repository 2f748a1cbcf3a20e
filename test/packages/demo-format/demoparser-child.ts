import { createRequire } from 'node:module';

/**
 * Reads a demo with `@laihoe/demoparser2` and prints the result as JSON. A process of its own, because that native
 * parser can crash: `node demoparser-child.ts DEMO TICK...`
 */

interface Demoparser {
  parseHeader(path: string): unknown;
  parseEvent(path: string, name: string, playerFields: string[], otherFields: string[]): unknown;
  parseTicks(path: string, fields: string[], ticks: number[]): unknown;
}

const demoparser = createRequire(import.meta.url)('@laihoe/demoparser2') as Demoparser;
const [path = '', ...ticks] = process.argv.slice(2);
const found = {
  header: demoparser.parseHeader(path),
  deaths: demoparser.parseEvent(path, 'player_death', ['team_num'], ['total_rounds_played', 'is_warmup_period']),
  roundEnds: demoparser.parseEvent(path, 'round_end', [], ['total_rounds_played']),
  ticks: demoparser.parseTicks(
    path,
    ['X', 'Y', 'Z', 'yaw', 'pitch', 'health', 'armor_value', 'team_num', 'is_alive'],
    ticks.map(Number),
  ),
};
process.stdout.write(JSON.stringify(found));
