import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import { type GamePhase, gameFailure, listenForFaults, type RecordingFailure, withDialogs } from './console-faults.ts';
import { asksPassword, connectConsole, type GameConsole, type Marker, type Markers } from './game-console.ts';
import { endGames, type GameProcess, listenForCrashDumps, startGame } from './game-process.ts';
import { gameProgram, type HlaeSettings, launchArgs } from './launch-args.ts';
import { rest, type Timers, WATCHDOGS, type WatchdogName } from './timers.ts';

/** A running game with its console. */
export interface GameSession {
  send(command: string): void;
  /** Sets the phase, which decides which console lines are faults. */
  enter(phase: GamePhase): void;
  /** Calls `listener` at each marker until the returned function is called. */
  onMarker(listener: (marker: Marker) => void): () => void;
  /**
   * Resolves with the first of the wanted markers, also if it came before; with null if the watchdog expires without
   * any marker. Each other marker shows that the game is alive and restarts the time. Sends `nudge` now and then.
   * Rejects when the game ends or reports that it cannot play the demo.
   */
  waitFor(wanted: readonly Marker[], watchdog: WatchdogName, nudge?: string): Promise<Marker | null>;
  /** Whether a marker has come. */
  hasReceived(marker: Marker): boolean;
  /** Returns the failure of a game that hangs: its own last lines, or what the caller saw, with the waiting dialogs. */
  explain(observed: string): Promise<RecordingFailure>;
  /** The console asked for the password. A console that does not takes commands from anyone who reaches its port. */
  readonly isLocked: boolean;
  /** Rejects with the first error that rejects `waitFor`, so that other waits can race with it. */
  readonly failed: Promise<never>;
  /** False once the game has ended or failed. */
  isAlive(): boolean;
  /** Bytes; null if the system has no such number. */
  memory(): Promise<number | null>;
  /** Ends the game: by a command if it still listens, else by force. Does nothing once it has ended. */
  close(): Promise<void>;
}

export interface SessionInput {
  readonly settings: HlaeSettings;
  readonly options: Pick<CaptureOptions, 'width' | 'height'>;
  readonly markers: Markers;
  readonly timers: Timers;
  /** The password of its console. */
  readonly password: string;
  /** Aborts the start only. */
  readonly signal: AbortSignal;
  /** Added to the game's environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

const POLL_MS = 500;
const NUDGE_MS = 2000;

/**
 * Starts the game and waits until its console answers.
 *
 * @throws {RecordingFailure} `cs2_unavailable` if it does not start or answer in time; the signal's reason if aborted.
 */
export async function openSession(input: SessionInput): Promise<GameSession> {
  const { settings, markers, timers, signal } = input;
  await refuseStrayGame(input);
  const dumps = await listenForCrashDumps(gameProgram(settings));
  signal.throwIfAborted();
  const launch = launchArgs(settings, input.options, input.password);
  const game = startGame(settings.launcher, launch, gameProgram(settings), input.environment);
  const failure = Promise.withResolvers<never>();
  let alive = true;
  const fail = (error: unknown): void => {
    alive = false;
    failure.reject(error);
  };
  failure.promise.catch(() => {});
  const faults = listenForFaults();
  const received = new Map<string, Marker>();
  const listeners = new Set<(marker: Marker) => void>();

  const onLine = (line: string): void => {
    settings.observe?.('console', line);
    const fault = faults.faultIn(line);
    if (fault !== null) fail(fault);
    const marker = markers.parse(line);
    if (marker === null) return;
    received.set(markers.commandFor(marker), marker);
    for (const listener of [...listeners]) listener(marker);
  };
  let line: GameConsole | null = null;
  let isLocked = false;
  let closed: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    fail(new Error('the session is closed'));
    if (line !== null && !signal.aborted) await quit(line, timers);
    line?.close();
    await game.kill();
  };
  const close = (): Promise<void> => (closed ??= end());

  try {
    await whileStarting(input, game);
    ({ line, isLocked } = await answeringConsole(input, game, onLine));
  } catch (error) {
    await close();
    throw error;
  }
  void line.ended.then(async () => {
    if (!alive) return;
    alive = false;
    const dump = await dumps.fresh();
    fail(await faults.explain(`the game ended while recording${dump === null ? '' : ` and left ${dump}`}`, true));
  });
  const { send } = line;
  const find = (wanted: readonly Marker[]): Marker | null => {
    for (const marker of wanted) if (received.has(markers.commandFor(marker))) return marker;
    return null;
  };
  return {
    send,
    enter: faults.enter,
    explain: faults.explain,
    isLocked,
    onMarker(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    hasReceived: (marker) => received.has(markers.commandFor(marker)),
    async waitFor(wanted, watchdog, nudge) {
      const outcome = Promise.withResolvers<Marker | null>();
      const arm = (): (() => void) => timers.set(watchdog, WATCHDOGS[watchdog], () => outcome.resolve(null));
      const push = (): (() => void) =>
        timers.set('nudge', NUDGE_MS, () => {
          if (nudge !== undefined) send(nudge);
          unpush = push();
        });
      const listener = (): void => {
        disarm();
        const found = find(wanted);
        if (found !== null) outcome.resolve(found);
        else disarm = arm();
      };
      const found = find(wanted);
      if (found !== null) return found;
      let disarm = arm();
      let unpush = nudge === undefined ? (): void => {} : push();
      listeners.add(listener);
      try {
        return await Promise.race([outcome.promise, failure.promise]);
      } finally {
        disarm();
        unpush();
        listeners.delete(listener);
      }
    },
    failed: failure.promise,
    isAlive: () => alive,
    memory: game.memory,
    close,
  };
}

/** A game of a crashed host would be mistaken for the new one. */
async function refuseStrayGame({ settings, password, timers }: SessionInput): Promise<void> {
  const port = settings.consolePort;
  let isTold = false;
  const stray = await connectConsole(port, (line) => {
    if (isTold || !asksPassword(line)) return;
    isTold = true;
    stray?.send(`PASS ${password}\nquit`);
  });
  if (stray === null) return;
  const hasEnded = (await quit(stray, timers)) || (await endGames(gameProgram(settings)));
  stray.close();
  const end = hasEnded ? 'it was told to quit' : 'it does not quit: end it by hand';
  throw gameFailure(`a game was still running on console port ${port}; ${end}`);
}

/** Sends `quit`. Resolves with whether the game has ended in time. */
async function quit(line: GameConsole, timers: Timers): Promise<boolean> {
  line.send('quit');
  const late = Promise.withResolvers<boolean>();
  const cancel = timers.set('quit', WATCHDOGS.quit, () => late.resolve(false));
  return Promise.race([line.ended.then(() => true), late.promise]).finally(cancel);
}

/** Polls until `attempt` returns something. Fails when the watchdog expires or the launch fails. */
async function until<T>(
  { timers, signal }: SessionInput,
  game: GameProcess,
  watchdog: WatchdogName,
  attempt: () => Promise<T | null>,
): Promise<T | null> {
  let late = false;
  const cancel = timers.set(watchdog, WATCHDOGS[watchdog], () => {
    late = true;
  });
  try {
    while (!late) {
      const failure = game.launchFailure();
      if (failure !== null) throw gameFailure(failure);
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
  if (started === null)
    throw gameFailure(await withDialogs(`the game did not start within ${WATCHDOGS.start / 1000} s`));
}

/**
 * Connects to a console and waits until it echoes `ready`, because a console that accepts connections may not answer
 * yet.
 */
async function answeringConsole(
  input: SessionInput,
  game: GameProcess,
  onLine: (line: string) => void,
): Promise<{ readonly line: GameConsole; readonly isLocked: boolean }> {
  const hello = 'tickreel-hello';
  let answered = false;
  let isLocked = false;
  let line: GameConsole | null = null;
  const listen = (text: string): void => {
    if (text.trimEnd().endsWith(hello) && !text.includes(`echo ${hello}`)) answered = true;
    // After the answer, players may write the same line.
    if (!answered && asksPassword(text)) {
      isLocked = true;
      line?.send(`PASS ${input.password}`);
    }
    onLine(text);
  };
  const result = await until(input, game, 'console', async () => {
    if (!(await game.isRunning())) throw gameFailure('the game ended before its console answered');
    line ??= await connectConsole(input.settings.consolePort, listen);
    if (answered) return line;
    line?.send(`echo ${hello}`);
    return null;
  });
  if (result === null) {
    (line as GameConsole | null)?.close();
    throw gameFailure(await withDialogs(`the game's console did not answer within ${WATCHDOGS.console / 1000} s`));
  }
  return { line: result, isLocked };
}
