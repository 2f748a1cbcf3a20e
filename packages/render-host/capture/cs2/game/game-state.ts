import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { reasonOf } from '#domain/lib/text.ts';
import { gameFailure } from './console-faults.ts';
import type { Cs2Settings } from './launch-args.ts';

/** Gets the player whom the game shows, or null, and the second since 1970 of the report, or null if it has none. */
export type GameReportListener = (steamId: string | null, second: number | null) => void;

/** Receives the game's reports about itself: Game State Integration, an HTTP POST at each change and each second. */
export interface GameState {
  /**
   * Calls `listener` at each report until the returned function is called. The game sends one at a time, so reports
   * come in order.
   */
  onReport(listener: GameReportListener): () => void;
  /** Whether a report had a map: the game's menu has none, so a demo plays. */
  hasPlayed(): boolean;
  close(): Promise<void>;
}

/** The fields of a report that are read. `player` is the one whose view is shown. */
const Report = z.object({
  auth: z.object({ token: z.string() }),
  provider: z.object({ timestamp: z.number().optional() }).optional(),
  player: z.object({ steamid: z.string().optional() }).optional(),
  map: z.object({}).optional(),
});

const MAX_REPORT_BYTES = 1024 * 1024;

/**
 * Listens on this machine, and writes a file into the game's `cfg` folder that makes the game report here. The file has
 * a secret; reports without it are ignored. It has to exist before the game starts. `close` removes it.
 *
 * @throws {RecordingFailure} `cs2_unavailable` if the port is taken or the folder cannot be written.
 */
export async function receiveGameState({
  gameDir,
  gameStatePort,
  observe,
}: Pick<Cs2Settings, 'gameDir' | 'gameStatePort' | 'observe'>): Promise<GameState> {
  const token = randomBytes(16).toString('hex');
  const configPath = join(gameDir, 'game', 'csgo', 'cfg', 'gamestate_integration_tickreel.cfg');
  const listeners = new Set<GameReportListener>();
  let hasPlayed = false;
  const server = createServer((request, response) => {
    void readReport(request).then((report) => {
      const known = report?.auth.token === token;
      response.writeHead(known ? 200 : 403).end();
      hasPlayed ||= known && report?.map !== undefined;
      if (!known) return;
      const [steamId, second] = [report.player?.steamid ?? null, report.provider?.timestamp ?? null];
      observe?.('report', `${steamId} at ${second}`);
      for (const listener of listeners) listener(steamId, second);
    });
  });
  await once(server.listen(gameStatePort, '127.0.0.1'), 'listening').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EADDRINUSE' ? 'does another host record on this machine?' : error.message;
    throw gameFailure(`the game's reports cannot be received on port ${gameStatePort}: ${why}`);
  });
  const close = async (): Promise<void> => {
    // First: once the port is free, the file may be another host's.
    await rm(configPath, { force: true });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  try {
    await writeFile(configPath, gameStateConfig(gameStatePort, token));
  } catch (error) {
    await close();
    throw gameFailure(`the game's folder cannot be written: ${reasonOf(error)}`);
  }
  const onReport: GameState['onReport'] = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { onReport, hasPlayed: () => hasPlayed, close };
}

/** Returns null for a body that is not a report. */
async function readReport(request: IncomingMessage): Promise<z.infer<typeof Report> | null> {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_REPORT_BYTES) return null;
      chunks.push(chunk);
    }
    return Report.safeParse(JSON.parse(Buffer.concat(chunks).toString())).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Without a throttle the game reports each change of the camera, however short. The heartbeat repeats the current
 * state.
 */
function gameStateConfig(port: number, token: string): string {
  const lines = [
    '"tickreel"',
    '{',
    `  "uri" "http://127.0.0.1:${port}/"`,
    '  "timeout" "2.0"',
    '  "buffer" "0.0"',
    '  "throttle" "0.0"',
    '  "heartbeat" "1.0"',
    `  "auth" { "token" "${token}" }`,
    '  "data" { "provider" "1" "player_id" "1" "map" "1" }',
    '}',
  ];
  return `${lines.join('\n')}\n`;
}
