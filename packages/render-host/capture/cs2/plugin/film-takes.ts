import { copyFile, link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FreeBytes } from '../../../machine/work-dir.ts';
import type { CaptureRequest } from '../../capture.ts';
import { type GamePhase, gameFailure, listenForFaults, RecordingFailure, withDialogs } from '../game/console-faults.ts';
import { type GameProcess, startGame } from '../game/game-process.ts';
import { type GameReportListener, type GameState, receiveGameState } from '../game/game-state.ts';
import { linuxLaunchArgs, type PluginSettings, writeOwnConfig } from '../game/launch-args.ts';
import { rest, type Timers, WATCHDOGS, type WatchdogName } from '../game/timers.ts';
import { checkReserve } from '../recording/footage-files.ts';
import { filmFrames } from '../recording/plan-recording.ts';
import type { DemoToPlay } from '../recording/record-shots.ts';
import type { FilmedTake, TakeOutcome } from './filmed-take.ts';
import {
  installPlugin,
  PLUGIN_PORT,
  type PluginEvent,
  pluginFolders,
  readPluginLine,
  tailFile,
  uninstallPlugin,
} from './install-plugin.ts';
import { type ActionSequence, FIRST_FILM_TICK, FRAMES_AROUND, planActions } from './plan-actions.ts';

export interface FilmContext {
  readonly settings: PluginSettings;
  readonly timers: Timers;
  readonly free: FreeBytes;
  /** A folder that only this host uses. */
  readonly folder: string;
  readonly request: CaptureRequest;
  readonly demo: DemoToPlay;
}

const POLL_MS = 200;
/** The plugin logs each action before it reports that it has loaded: about ten actions a millisecond. */
const MS_PER_ACTION = 1;
/** The slowest playback and filming that an attempt waits for, in frames a second. */
const SLOWEST_FPS = 2;

/** Returns the longest time of one start of the game, in milliseconds. A game may otherwise repeat itself for ever. */
function longestAttempt(takes: readonly FilmedTake[], sequences: number, tickRate: number): number {
  const films = filmFrames(
    takes.map(({ recorded }) => recorded),
    tickRate,
  );
  const frames = films + takes.length * FRAMES_AROUND;
  return WATCHDOGS.attempt + sequences * WATCHDOGS.seek + (frames / SLOWEST_FPS) * 1000;
}

/**
 * Starts the game, lets it film the takes one after the other, and waits until it has ended. Resolves with the outcome
 * of each. Afterwards the game has ended and its folder is as it was before.
 *
 * @throws {RecordingFailure} if the game does not reach the last take; the signal's reason if aborted.
 */
export async function filmTakes(context: FilmContext, takes: readonly FilmedTake[]): Promise<TakeOutcome[]> {
  const { settings, folder, demo, request } = context;
  const { match, options } = request;
  await mkdir(folder, { recursive: true });
  const demoPath = join(folder, `${demo.demoId.slice(0, 16)}.dem`);
  const actionsPath = `${demoPath}.json`;
  // The Steam Linux Runtime shows the game only some folders of the machine.
  const shared = { PRESSURE_VESSEL_FILESYSTEMS_RW: folder };
  const ownConfig = await writeOwnConfig(join(folder, 'config'), settings, options);
  const gameState = await receiveGameState(settings);
  let game: GameProcess | null = null;
  const stop = (): void => {
    for (const take of takes) take.stop();
  };
  request.signal.addEventListener('abort', stop, { once: true });
  try {
    await rm(demoPath, { force: true });
    await link(demo.demoPath, demoPath).catch(() => copyFile(demo.demoPath, demoPath));
    const sequences = planActions(takes, { options, match });
    await writeFile(actionsPath, JSON.stringify(sequences));
    const environment = { ...ownConfig, ...shared, CSDM_WS_PORT: `${PLUGIN_PORT}` };
    await installPlugin(settings);
    request.signal.throwIfAborted();
    const args = linuxLaunchArgs(settings, options, demoPath);
    game = startGame(settings.launcher, args, 'cs2', environment);
    await watch(context, takes, game, gameState, sequences);
    await game.kill();
    return await Promise.all(takes.map((take) => take.finish()));
  } finally {
    request.signal.removeEventListener('abort', stop);
    await game?.kill();
    stop();
    await uninstallPlugin(settings);
    for (const path of [demoPath, actionsPath]) await rm(path, { force: true });
    // Last: while its port is taken, no other host uses this game's folder.
    await gameState.close();
  }
}

async function watch(
  { settings, timers, free, request }: FilmContext,
  takes: readonly FilmedTake[],
  game: GameProcess,
  gameState: GameState,
  sequences: readonly ActionSequence[],
): Promise<void> {
  const { log, consoleLogs, films } = pluginFolders(settings);
  const readLog = tailFile(log);
  const readConsoles = consoleLogs.map(tailFile);
  const faults = listenForFaults();
  const reports = rememberReports(gameState, timers);
  const state = {
    at: 0,
    reached: -1,
    hasLoaded: false,
    isHooked: false,
    hasQuit: false,
    isGone: false,
    isOff: false,
    phase: 'setup' as GamePhase,
  };
  // An encoder that hangs must not delay the end. What was filmed before the game's last line is complete.
  const watchdog = createWatchdog(timers, () => {
    if (state.isGone || !state.hasQuit) for (const take of takes) take.stop();
  });
  const arm = (): void => {
    const { isGone, hasQuit, phase, at } = state;
    const isFilming = takes[at]?.isFilming() === true;
    const next = phase !== 'playing' ? 'playback' : isFilming ? 'tick' : 'seek';
    watchdog.arm(isGone ? 'tick' : hasQuit ? 'quit' : next);
  };
  const enter = (phase: GamePhase): void => {
    if (phase === state.phase) return;
    state.phase = phase;
    faults.enter(phase);
    arm();
  };
  /** Only what has not happened before is progress: the plugin logs on while the game hangs or repeats itself. */
  const advance = (tick: number | null): void => {
    if (tick !== null && tick <= state.reached) return;
    state.reached = tick ?? state.reached;
    arm();
  };
  const handle = ({ kind, tick, command }: PluginEvent, isFilmingSince: boolean): void => {
    const take = takes[state.at];
    if (kind === 'no-actions') throw gameFailure('the plugin did not find its action file');
    if (kind === 'too-old') throw new RecordingFailure('cs2_unavailable', TOO_OLD, 'unfit');
    if (kind === 'loaded') {
      state.hasLoaded = true;
      enter('loading');
    }
    if (kind === 'hooked') state.isHooked = true;
    if (kind === 'paused') take?.paused(reports, isFilmingSince);
    if (kind === 'next') {
      // At an earlier tick, the game only seeks back to the start.
      if (tick !== null && tick >= FIRST_FILM_TICK) state.at++;
      state.reached = -1;
      arm();
    }
    if (kind !== 'ran') return;
    // Once a command runs, the game has loaded the demo.
    enter('playing');
    if (command === 'quit') state.hasQuit = true;
    take?.ran(command);
    advance(tick);
  };
  const listen = async (): Promise<void> => {
    reports.forget();
    // The console first: the log decides the phase that it is judged by, and the log must not be the older of the two.
    const said = (await Promise.all(readConsoles.map((read) => read()))).flat();
    const lines = await readLog();
    for (const line of said) settings.observe?.('console', line);
    for (const line of lines) settings.observe?.('plugin', line);
    const events = lines.flatMap((line) => readPluginLine(line) ?? []);
    const begun = events.findLastIndex((event) => event.kind === 'ran' && event.command.startsWith('startmovie'));
    for (const [index, event] of events.entries()) handle(event, index < begun);
    for (const line of said) {
      const fault = faults.faultIn(line);
      if (fault !== null) throw fault;
    }
  };
  /** A loop of its own, so that a slow encoder does not delay reading the log. */
  const encode = async (): Promise<void> => {
    for (;;) {
      const { isGone } = state;
      let pictures = 0;
      for (const [index, take] of takes.entries()) {
        pictures += await take.advance(index < state.at || state.hasQuit || isGone);
      }
      if (pictures > 0) await checkReserve(free, films);
      if (state.isOff) return;
      if (pictures > 0) arm();
      else if (isGone || watchdog.hasExpired()) return;
      await rest(timers, 'poll', POLL_MS, request.signal);
    }
  };

  watchdog.arm('start', WATCHDOGS.start + sequences.flatMap(({ actions }) => actions).length * MS_PER_ACTION);
  const bound = createWatchdog(timers, () => {});
  const longest = longestAttempt(takes, sequences.length, request.match.tickRate);
  bound.arm('attempt', longest);
  const encoded = encode();
  const failed = encoded.then(() => new Promise<never>(() => {}));
  failed.catch(() => {});
  try {
    while (await game.isRunning()) {
      await Promise.race([listen(), failed]);
      if (watchdog.hasExpired()) {
        if (state.hasQuit) break;
        if (state.hasLoaded && !state.isHooked && gameState.hasPlayed()) {
          throw new RecordingFailure('cs2_unavailable', NO_HOOK, 'unfit');
        }
        const why = state.phase === 'playing' ? 'playback does not advance' : 'the game did not play the demo';
        throw await faults.explain(state.hasLoaded ? why : `the plugin did not load in time; ${REBUILD}`);
      }
      if (bound.hasExpired()) throw gameFailure(`the game did not end within ${Math.round(longest / 60_000)} minutes`);
      await Promise.race([rest(timers, 'poll', POLL_MS, request.signal), failed]);
    }
    await listen();
    state.isGone = true;
    arm();
    await encoded;
  } catch (error) {
    state.isOff = true;
    for (const take of takes) take.stop();
    await encoded.catch(() => {});
    throw error;
  } finally {
    watchdog.disarm();
    bound.disarm();
    reports.end();
  }
  if (state.hasQuit) return;
  if (state.hasLoaded) throw await faults.explain('the game ended while recording', true);
  const why = game.launchFailure() ?? 'the game ended before the plugin loaded';
  throw gameFailure(await withDialogs(`${why}; ${REBUILD}`));
}

/**
 * Keeps the game's reports for listeners. A listener also gets the reports since the log was last read, because they
 * came after what the log says or are of a second before `since`. Without any, `last` is the latest report.
 */
function rememberReports(gameState: GameState, timers: Timers) {
  let recent: Parameters<GameReportListener>[] = [];
  let last: string | null = null;
  let since = -Infinity;
  const end = gameState.onReport((...report) => {
    recent.push(report);
    [last] = report;
  });
  return {
    end,
    forget(): void {
      recent = [];
      since = Math.floor(timers.now() / 1000);
    },
    last: () => last,
    since: () => since,
    onReport(listener: GameReportListener): () => void {
      for (const report of recent) listener(...report);
      return gameState.onReport(listener);
    },
  };
}

/** The plugin is built against the game's libraries. */
const REBUILD = 'after an update of the game its plugin has to be rebuilt';
const TOO_OLD = 'the plugin is older than March 2026: build a newer one';
/** cs-demo-manager issue 1458: the demo plays to its end without one command. */
const NO_HOOK = `the plugin loaded, but does not see the demo that plays: it does not fit this build; ${REBUILD}`;

function createWatchdog(timers: Timers, onExpire: () => void) {
  let isLate = false;
  let cancel = (): void => {};
  return {
    arm(name: WatchdogName, ms: number = WATCHDOGS[name]): void {
      cancel();
      cancel = timers.set(name, ms, () => {
        isLate = true;
        onExpire();
      });
    },
    hasExpired: () => isLate,
    disarm: () => cancel(),
  };
}
