import { connect } from 'node:net';

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
