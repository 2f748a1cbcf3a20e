import { randomBytes } from 'node:crypto';
import { copyFile, link, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import { START_SETTINGS } from '../game/commands.ts';
import { gameFailure } from '../game/console-faults.ts';
import { consolePassword, createMarkers, type Markers } from '../game/game-console.ts';
import { type GameSession, openSession } from '../game/game-session.ts';
import { type GameState, receiveGameState } from '../game/game-state.ts';
import { type HlaeSettings, specLockScript, writeOwnConfig } from '../game/launch-args.ts';
import { type Timers, WATCHDOGS } from '../game/timers.ts';
import { playCommands } from './plan-recording.ts';

/** A running game that plays the requested demo. */
export interface PlayingGame {
  readonly session: GameSession;
  readonly gameState: GameState;
  readonly markers: Markers;
  /** Returns a name that no other take of this start has: digits. */
  newTake(): string;
  /** Marks the game as faulty, so that the next job gets a fresh one. */
  spoil(reason: string): void;
}

/** The demo and the settings that a game needs for a job. */
export interface GameWish {
  readonly options: Pick<CaptureOptions, 'width' | 'height'>;
  readonly build: string;
  /** The demo's file and content. The caller may delete the file once the game plays, because the game has a copy. */
  readonly demoPath: string;
  readonly demoId: string;
  readonly signal: AbortSignal;
}

/** Keeps one game up between jobs, because a start takes longer than a clip. */
export interface GameKeeper {
  /** Starts the game, loads the demo, or does neither, as needed. @throws as `openSession` does. */
  open(wish: GameWish): Promise<PlayingGame>;
  /** Keeps the game for the next job, or ends it if it is faulty. */
  release(game: PlayingGame): Promise<void>;
  close(): Promise<void>;
}

export interface KeeperDependencies {
  readonly settings: HlaeSettings;
  readonly timers: Timers;
  /** A folder of its own on the work folder's disk, for the playing demo and the game's configuration. */
  readonly folder: string;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Bytes by which the game's memory may grow. */
  readonly memoryGrowth?: number;
}

/** The most growth of a game's memory since the first playback. Games of Steam leak some; more is a serious leak. */
const MEMORY_GROWTH_BYTES = 4 * 1024 ** 3;

const OPEN_CONSOLE = 'the game asks for no password: anybody who reaches its console can command it; close the port';

interface Kept extends PlayingGame {
  readonly key: string;
  jobs: number;
  demo: { readonly id: string; readonly path: string } | null;
  memoryAtFirst: number | null;
  spoiled: string | null;
}

export function createGameKeeper(dependencies: KeeperDependencies): GameKeeper {
  const { settings, timers, folder, log, memoryGrowth = MEMORY_GROWTH_BYTES } = dependencies;
  let kept: Kept | null = null;
  let stopIdling = (): void => {};

  async function whyRestart(game: Kept, key: string): Promise<string | null> {
    if (game.spoiled !== null) return game.spoiled;
    if (!game.session.isAlive()) return 'it has ended';
    if (game.key !== key) return 'its build or its size is another';
    if (game.jobs >= settings.jobsPerStart) return `it has served ${game.jobs} jobs`;
    const memory = await game.session.memory();
    const grown = memory === null || game.memoryAtFirst === null ? 0 : memory - game.memoryAtFirst;
    return grown > memoryGrowth ? `it has grown by ${Math.round(grown / 1024 ** 2)} MiB` : null;
  }

  async function start({ options, signal }: GameWish, key: string): Promise<Kept> {
    const script = specLockScript(settings);
    if ((await stat(script).catch(() => null)) === null) {
      throw gameFailure(`HLAE lacks ${script}: install HLAE 2.191.0 or newer`);
    }
    const markers = createMarkers(randomBytes(6).toString('hex'));
    const environment = await writeOwnConfig(join(folder, 'config'), settings, options);
    const password = await consolePassword(folder);
    const gameState = await receiveGameState(settings);
    let session: GameSession | null = null;
    try {
      session = await openSession({ settings, options, markers, timers, signal, environment, password });
      if (!session.isLocked) log.warn({ port: settings.consolePort }, OPEN_CONSOLE);
      for (const command of START_SETTINGS) session.send(command);
      session.send(`cl_demo_predict ${settings.demoPredict}`);
      session.send(`mirv_script_load "${script.replaceAll('\\', '/')}"`);
      let takes = 0;
      // The answers to these lines have come once the game echoes the last one.
      const set = { kind: 'ready', take: `${takes++}` } as const;
      session.send(markers.commandFor(set));
      if (!(await session.waitFor([set], 'console'))) {
        throw await session.explain('the game’s console does not answer any more');
      }
      const game: Kept = {
        key,
        session,
        gameState,
        markers,
        jobs: 0,
        demo: null,
        memoryAtFirst: null,
        spoiled: null,
        newTake: () => `${takes++}`,
        spoil(reason) {
          game.spoiled ??= reason;
        },
      };
      return game;
    } catch (error) {
      await session?.close();
      await gameState.close();
      throw error;
    }
  }

  /** Plays a copy of the demo: the job's file is deleted with the job, and Windows does not delete open files. */
  async function play(game: Kept, { demoPath, demoId }: GameWish): Promise<void> {
    const path = join(folder, `${demoId.slice(0, 16)}.dem`);
    await rm(path, { force: true });
    await link(demoPath, path).catch(() => copyFile(demoPath, path));
    const before = game.demo?.path;
    const take = game.newTake();
    game.session.enter('loading');
    for (let asked = 1; ; asked++) {
      for (const command of playCommands(path, { kind: 'ready', take }, game.markers)) game.session.send(command);
      if (await game.session.waitFor([{ kind: 'ready', take }], 'playback')) break;
      if (asked === 2) {
        throw await game.session.explain('the game did not play the demo, though it was asked twice');
      }
      log.warn({}, 'the demo does not play; asking for it again');
    }
    game.session.enter('playing');
    game.demo = { id: demoId, path };
    game.memoryAtFirst ??= await game.session.memory();
    if (before !== undefined && before !== path) await rm(before, { force: true }).catch(() => {});
  }

  let closing: Promise<void> = Promise.resolve();

  /** Waits also for an end that another call began. */
  function close(): Promise<void> {
    stopIdling();
    const game = kept;
    kept = null;
    if (game !== null) closing = end(game);
    return closing;
  }

  async function end(game: Kept): Promise<void> {
    await game.session.close();
    await game.gameState.close();
    if (game.demo !== null) await rm(game.demo.path, { force: true }).catch(() => {});
  }

  return {
    async open(wish) {
      stopIdling();
      await closing;
      await mkdir(folder, { recursive: true });
      const key = `${wish.build} ${wish.options.width}x${wish.options.height}`;
      const reason = kept === null ? null : await whyRestart(kept, key);
      if (reason !== null) {
        log.info({ reason }, 'the game is restarted');
        await close();
      }
      try {
        kept ??= await start(wish, key);
        if (kept.demo?.id !== wish.demoId) await play(kept, wish);
      } catch (error) {
        await close();
        throw error;
      }
      kept.jobs++;
      return kept;
    },
    async release(game) {
      if (kept !== game) return;
      if (kept.spoiled !== null || !game.session.isAlive()) return close();
      stopIdling = timers.set('idle', WATCHDOGS.idle, () => void close());
    },
    close,
  };
}
