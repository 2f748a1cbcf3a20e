import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { reasonOf } from '#domain/reason.ts';
import type { Cs2Settings } from './cs2-settings.ts';
import { gameTrouble } from './failure.ts';

/** Whom the game shows, null for nobody, and when it said so: whole seconds since 1970, null where it did not. */
export type GameReportListener = (steamId: string | null, second: number | null) => void;

/** Receives what the game says of itself: Game State Integration, an HTTP POST for each change and each second. */
export interface GameState {
  /**
   * Calls back at each report until the function it returns is called. The game sends one after the other, so none that
   * is older comes behind one.
   */
  onReport(listener: GameReportListener): () => void;
  close(): Promise<void>;
}

/** The part of a report that is read. `player` is the one whose view is shown. */
const Report = z.object({
  auth: z.object({ token: z.string() }),
  provider: z.object({ timestamp: z.number().optional() }).optional(),
  player: z.object({ steamid: z.string().optional() }).optional(),
});

const MAX_REPORT_BYTES = 1024 * 1024;

/**
 * Listens on this machine and tells the game, by a file in its `cfg` folder, to report there. The file carries a secret
 * of this recording, and reports without it count for nothing. It has to be there before the game starts; `close`
 * removes it.
 *
 * @throws {RecordingFailure} `cs2_unavailable` when the port is taken or the folder cannot be written.
 */
export async function receiveGameState({
  gameDir,
  gameStatePort,
}: Pick<Cs2Settings, 'gameDir' | 'gameStatePort'>): Promise<GameState> {
  const token = randomBytes(16).toString('hex');
  const configPath = join(gameDir, 'game', 'csgo', 'cfg', 'gamestate_integration_tickreel.cfg');
  const listeners = new Set<GameReportListener>();
  const server = createServer((request, response) => {
    void readReport(request).then((report) => {
      const known = report?.auth.token === token;
      response.writeHead(known ? 200 : 403).end();
      if (known)
        for (const listener of listeners) listener(report.player?.steamid ?? null, report.provider?.timestamp ?? null);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'does another host record on this machine?' : error.message;
      reject(gameTrouble(`the game's reports cannot be received on port ${gameStatePort}: ${why}`));
    });
    server.listen(gameStatePort, '127.0.0.1', resolve);
  });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(configPath, { force: true });
  };
  try {
    await writeFile(configPath, gameStateConfig(gameStatePort, token));
  } catch (error) {
    await close();
    throw gameTrouble(`the game's folder cannot be written: ${reasonOf(error)}`);
  }
  const onReport: GameState['onReport'] = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { onReport, close };
}

/** Null for what is no report. */
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

/** Without a throttle every change of the camera is reported, however short; the heartbeat reports what stays. */
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
