import type { CaptureOptions } from '../../../frames/frame-source.ts';
import { faultIn } from './console-faults.ts';
import { listenForCrashDumps } from './crash-dumps.ts';
import type { Cs2Settings } from './cs2-settings.ts';
import { gameTrouble } from './failure.ts';
import { connectConsole, type GameConsole } from './game-console.ts';
import { type GameProcess, startGame } from './game-process.ts';
import { gameProgram, launchArgs } from './launch-args.ts';
import type { Marker, Markers } from './markers.ts';
import { rest, type Timers, WATCHDOGS, type Watchdog } from './timers.ts';

/** A game that runs, and the line to its console. */
export interface GameSession {
  send(command: string): void;
  /** Calls back at each marker until the function it returns is called. */
  onMarker(listener: (marker: Marker) => void): () => void;
  /**
   * True once a marker has been heard, also if that was before; false when the watchdog's time has passed with nothing
   * heard. Any other marker shows that the game lives, and starts the time anew. Rejects when the game ends, says that
   * it cannot play the demo, or the signal is aborted.
   */
  hear(marker: Marker, watchdog: Watchdog): Promise<boolean>;
  /** The first of what rejects `hear`, for other waits to race with. */
  readonly failed: Promise<never>;
  /** Ends the game: by a command where it still listens, and then for sure. Does nothing once it is ended. */
  close(): Promise<void>;
}

export interface SessionInput {
  readonly settings: Cs2Settings;
  readonly options: Pick<CaptureOptions, 'width' | 'height'>;
  readonly markers: Markers;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

const POLL_MS = 500;

/**
 * Starts the game and waits until its console answers.
 *
 * @throws {RecordingFailure} `cs2_unavailable` when it does not start or answer in time; the signal's reason when
 * aborted.
 */
export async function openSession(input: SessionInput): Promise<GameSession> {
  const { settings, markers, timers, signal } = input;
  await refuseStrayGame(settings.consolePort);
  const dumps = await listenForCrashDumps(gameProgram(settings));
  signal.throwIfAborted();
  const game = startGame(settings.launcher, launchArgs(settings, input.options), gameProgram(settings));
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const stop = (): void => failure.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const heard = new Set<string>();
  const listeners: ((marker: Marker) => void)[] = [];

  const onLine = (line: string): void => {
    const fault = faultIn(line);
    if (fault !== null) failure.reject(fault);
    const marker = markers.heard(line);
    if (marker === null) return;
    heard.add(markers.say(marker));
    for (const listener of [...listeners]) listener(marker);
  };
  let line: GameConsole | null = null;
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => (closed ??= end());
  const end = async (): Promise<void> => {
    signal.removeEventListener('abort', stop);
    failure.reject(new Error('the session is closed'));
    if (line !== null && !signal.aborted) {
      line.send('quit');
      const late = Promise.withResolvers<void>();
      const cancel = timers.set('quit', WATCHDOGS.quit, late.resolve);
      await Promise.race([line.ended, late.promise]).finally(cancel);
    }
    line?.close();
    await game.kill();
  };

  try {
    await whileStarting(input, game);
    line = await answeringConsole(input, game, onLine);
  } catch (error) {
    await close();
    throw error;
  }
  void line.ended.then(async () => {
    const dump = await dumps.fresh();
    failure.reject(gameTrouble(`the game ended while recording${dump === null ? '' : ` and left ${dump}`}`));
  });
  const { send } = line;
  return {
    send,
    onMarker(listener) {
      listeners.push(listener);
      return () => void listeners.splice(listeners.indexOf(listener), 1);
    },
    hear: (marker, watchdog) =>
      hear(markers.say(marker), watchdog, { timers, heard, listeners, failed: failure.promise }),
    failed: failure.promise,
    close,
  };
}

/** A game that a crashed host left behind would be mistaken for the one that is started now. */
async function refuseStrayGame(port: number): Promise<void> {
  const stray = await connectConsole(port, () => {});
  if (stray === null) return;
  stray.send('quit');
  stray.close();
  throw gameTrouble(`a game was still running on console port ${port}; it was told to quit`);
}

/** Polls until `attempt` gives something, under a watchdog and while the launch has not failed. */
async function until<T>(
  { timers, signal }: SessionInput,
  game: GameProcess,
  watchdog: Watchdog,
  attempt: () => Promise<T | null>,
): Promise<T | null> {
  let late = false;
  const cancel = timers.set(watchdog, WATCHDOGS[watchdog], () => {
    late = true;
  });
  try {
    while (!late) {
      const failure = game.launchFailure();
      if (failure !== null) throw gameTrouble(failure);
      const result = await attempt();
      if (result !== null) return result;
      await rest(timers, 'poll', POLL_MS, signal);
    }
    return null;
  } finally {
    cancel();
  }
}

async function whileStarting(input: SessionInput, game: GameProcess): Promise<void> {
  const started = await until(input, game, 'start', async () => ((await game.isRunning()) ? true : null));
  if (started === null) throw gameTrouble(`the game did not start within ${WATCHDOGS.start / 1000} s`);
}

/** A console that listens may not answer yet; one that says `ready` back does. */
async function answeringConsole(
  input: SessionInput,
  game: GameProcess,
  onLine: (line: string) => void,
): Promise<GameConsole> {
  const hello = 'tickreel-hello';
  let answered = false;
  let line: GameConsole | null = null;
  const listen = (text: string): void => {
    if (text.trimEnd().endsWith(hello) && !text.includes(`echo ${hello}`)) answered = true;
    onLine(text);
  };
  const result = await until(input, game, 'console', async () => {
    if (!(await game.isRunning())) throw gameTrouble('the game ended before its console answered');
    line ??= await connectConsole(input.settings.consolePort, listen);
    if (answered) return line;
    line?.send(`echo ${hello}`);
    return null;
  });
  if (result === null) {
    (line as GameConsole | null)?.close();
    throw gameTrouble(`the game's console did not answer within ${WATCHDOGS.console / 1000} s`);
  }
  return result;
}

interface Hearing {
  readonly timers: Timers;
  readonly heard: ReadonlySet<string>;
  readonly listeners: ((marker: Marker) => void)[];
  readonly failed: Promise<never>;
}

async function hear(
  wanted: string,
  watchdog: Watchdog,
  { timers, heard, listeners, failed }: Hearing,
): Promise<boolean> {
  if (heard.has(wanted)) return true;
  const outcome = Promise.withResolvers<boolean>();
  const arm = (): (() => void) => timers.set(watchdog, WATCHDOGS[watchdog], () => outcome.resolve(false));
  let disarm = arm();
  const listener = (): void => {
    disarm();
    if (heard.has(wanted)) outcome.resolve(true);
    else disarm = arm();
  };
  listeners.push(listener);
  try {
    return await Promise.race([outcome.promise, failed]);
  } finally {
    disarm();
    listeners.splice(listeners.indexOf(listener), 1);
  }
}
