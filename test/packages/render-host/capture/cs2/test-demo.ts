import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { frame } from '#demo-writer/format/container.ts';
import { composeMatch, encodeDemo, type MatchOutline } from '#demo-writer/index.ts';
import type { Match, PlayerIndex } from '#render-host/match/match.ts';
import { readMatch } from '#render-host/match/read-match.ts';

export interface TestDemo {
  readonly path: string;
  readonly match: Match;
  /** Sits in another slot from tick 800 on. */
  readonly mover: PlayerIndex;
}

const CONSOLE_CMD = 9;
const PACKET = 7;
const PREAMBLE = 16;

/** Writes a match of 25 seconds in which all players walk, and only `kills` happen. Returns its file and its match. */
export async function writeTestDemo({
  command = '',
  brokenPacket = false,
  lastTick = 1600,
  kills = [] as NonNullable<MatchOutline['kills']>,
} = {}): Promise<TestDemo> {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-demo-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const script = composeMatch({
    rounds: [{ startTick: 10, freezeEndTick: 20 }],
    seats: [{ tick: 800, player: 4, slot: 20 }],
    ...{ lastTick, kills },
  });
  const bytes = encodeDemo(script);
  const text = Buffer.from(command);
  const extra = [
    ...(command === '' ? [] : [frame(CONSOLE_CMD, 0, Buffer.concat([Buffer.from([0x0a, text.length]), text]))]),
    // A packet whose only field claims more bytes than there are.
    ...(brokenPacket ? [frame(PACKET, 0, Uint8Array.of(0x1a, 0x7f, 0))] : []),
  ];
  const path = join(folder, 'match.dem');
  await writeFile(path, Buffer.concat([bytes.subarray(0, PREAMBLE), ...extra, bytes.subarray(PREAMBLE)]));
  const clean = join(folder, 'clean.dem');
  await writeFile(clean, bytes);
  const result = await readMatch(clean);
  if (!result.ok) throw new Error(result.detail);
  const mover = result.match.players.findIndex(({ seats }) => seats.length > 1);
  return { path, match: result.match, mover };
}
