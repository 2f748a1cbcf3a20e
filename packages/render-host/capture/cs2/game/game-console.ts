import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

/** The game's console over TCP (`-netconport`). Commands and output are lines. */
export interface GameConsole {
  send(command: string): void;
  /** Resolves when the connection has ended, by either side. */
  readonly ended: Promise<void>;
  close(): void;
}

/**
 * Whether a line asks for the password. A console with a password prints nothing else before it gets it. A console
 * without one closes the connection of a client that sends one, so the password is sent only if asked for (Source 1's
 * `netconsole.cpp`; CS2's `engine2.dll` has the same messages).
 */
export function asksPassword(line: string): boolean {
  return /^This server is password protected for console access/.test(line);
}

/** A longer line is not console output and is dropped. */
const MAX_LINE = 64 * 1024;

/**
 * Connects to the console on this machine. Calls `onLine` with each line, without its end. Resolves with null if
 * nothing listens.
 */
export function connectConsole(port: number, onLine: (line: string) => void): Promise<GameConsole | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const ended = new Promise<void>((end) => socket.once('close', () => end()));
    let rest = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(-MAX_LINE);
      for (const line of lines) onLine(line.replace(/^\r|\r$/g, ''));
    });
    // `close` follows each error.
    socket.on('error', () => {});
    socket.once('close', () => resolve(null));
    socket.once('connect', () => {
      resolve({
        ended,
        send: (command) => socket.write(`${command}\n`),
        close: () => socket.destroy(),
      });
    });
  });
}

/**
 * Returns the password of the game's console. It is kept in the host's folder, readable for this user alone, so that
 * the host can end a game that a crashed host left behind.
 */
export async function consolePassword(folder: string): Promise<string> {
  const path = join(folder, 'console-password');
  await mkdir(folder, { recursive: true });
  const fresh = randomBytes(16).toString('hex');
  await writeFile(path, fresh, { flag: 'wx', mode: 0o600 }).catch(() => {});
  const kept = await readFile(path, 'utf8');
  // An empty file means that a host was killed while it wrote.
  if (/^[0-9a-f]{32}$/.test(kept)) return kept;
  await writeFile(path, fresh);
  return fresh;
}

const KINDS = ['ready', 'seeked', 'slipped', 'aimed', 'recording', 'recorded', 'clear'] as const;

/** A line that the game echoes to show how far a recording is. */
export type Marker =
  /**
   * Markers of one take, by its id: the demo plays, the seek has ended, playback continued although it was paused, the
   * camera is set, the recorder runs, it has stopped, the take has ended.
   */
  | { readonly kind: (typeof KINDS)[number]; readonly take: string }
  | { readonly kind: 'tick'; readonly take: string; readonly tick: number };

/**
 * Writes and recognizes markers. They contain letters of the session, because a console repeats old output. A line that
 * repeats the command (`echo …`) is not the echo.
 */
export interface Markers {
  /** Returns the console command that echoes a marker. */
  commandFor(marker: Marker): string;
  /** Returns the marker of a console line, or null. */
  parse(line: string): Marker | null;
}

/** `session` has lower-case letters and digits. */
export function createMarkers(session: string): Markers {
  const prefix = `tickreel.${session}.`;
  const pattern = new RegExp(`(?:^|\\s)tickreel\\.${session}\\.([a-z]+)(?:\\.([0-9a-z]+))?(?:\\.([0-9]+))?\\s*$`);
  return {
    commandFor(marker) {
      const words = [marker.kind, marker.take, ...(marker.kind === 'tick' ? [marker.tick] : [])];
      return `echo ${prefix}${words.join('.')}`;
    },
    parse(line) {
      const found = pattern.exec(line);
      if (found === null || line.includes(`echo ${prefix}`)) return null;
      const [, kind = '', take = '', tick = ''] = found;
      if (kind === 'tick') return { kind, take, tick: Number(tick) };
      const known = KINDS.find((one) => one === kind);
      return known === undefined ? null : { kind: known, take };
    },
  };
}
