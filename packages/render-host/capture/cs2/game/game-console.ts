import { connect } from 'node:net';

/** The game's console over TCP (`-netconport`): commands and output are lines. */
export interface GameConsole {
  send(command: string): void;
  /** Resolves when the connection has ended, by either side. */
  readonly ended: Promise<void>;
  close(): void;
}

/**
 * What a console with a password says to whoever has not said it; it says nothing else to him. One without a password
 * shuts out whoever says one, so it is said where it is asked for alone (Source 1's `netconsole.cpp`; CS2's
 * `engine2.dll` has its words).
 */
export function asksPassword(line: string): boolean {
  return /^This server is password protected for console access/.test(line);
}

/** A line longer than this is no console output; it is dropped rather than kept in memory. */
const MAX_LINE = 64 * 1024;

/**
 * Connects to the console on this machine. `onLine` gets each line without its end. Null when nothing listens.
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
    // Every error is followed by `close`.
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
