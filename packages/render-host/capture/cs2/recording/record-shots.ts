import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FreeBytes } from '../../../machine/work-dir.ts';
import type { CaptureRequest } from '../../capture.ts';
import { gameFailure, RecordingFailure } from '../game/console-faults.ts';
import type { GameSession } from '../game/game-session.ts';
import type { HlaeSettings } from '../game/launch-args.ts';
import { rest, type Timers, WATCHDOGS } from '../game/timers.ts';
import { type CameraKeeper, cameraTarget, keepCamera, planRecording } from './camera-keeper.ts';
import { checkReserve, type Footage, findFootage } from './footage-files.ts';
import type { GameKeeper, PlayingGame } from './game-keeper.ts';
import {
  createProgress,
  inspectTake,
  judgeTake,
  LOADED_FRACTION,
  NEVER_SHOWN,
  TAKES,
  type TakeFault,
} from './inspect-take.ts';
import {
  aimAtCommands,
  aimedTick,
  type RecordedShot,
  seekCommands,
  TICKS_AFTER_SHOT,
  takeCommands,
} from './plan-recording.ts';

export interface RecordingDependencies {
  readonly settings: Pick<HlaeSettings, 'footageCodec'>;
  readonly keeper: GameKeeper;
  readonly timers: Timers;
  readonly free: FreeBytes;
  readonly ffmpegPath: string;
  readonly log: { warn(fields: object, message: string): void };
}

/** The demo as the game plays it, and the game to play it in. */
export interface DemoToPlay {
  readonly demoPath: string;
  readonly demoId: string;
  readonly build: string;
}

/** A running game that records, with all that a take needs. */
interface RecordingContext extends RecordingDependencies {
  readonly request: CaptureRequest;
  readonly game: PlayingGame;
}

const NO_PROGRESS = 'playback does not advance';
const UNCHECKED = { verdict: 'held', drifts: [] } as const;
/** The most tries of a seek that does not stop where it should. */
const SEEKS = 3;
/** Real time after which the tint of loading has disappeared. */
const REST_MS = 1500;
/** The time within which playback that did not stop has moved on. */
const AIM_MS = 300;
/** How often a stopped recorder is checked for its last byte, every `FINISH_POLL_MS`. */
const FINISH_POLLS = 20;
const FINISH_POLL_MS = 500;

/**
 * Records the shots in the real game, one after the other. Puts the footage into the request's `workDir`. The game
 * stays up for the next job, unless something went wrong.
 *
 * @throws {RecordingFailure} with the errors of `CaptureResult`; the signal's reason if aborted.
 */
export async function recordShots(
  dependencies: RecordingDependencies,
  request: CaptureRequest,
  demo: DemoToPlay,
): Promise<Footage[]> {
  const { keeper, free } = dependencies;
  const { signal } = request;
  const shots = await planRecording(request, free);
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => {});
  const stop = (): void => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const work = recordAll(dependencies, request, demo, shots);
  try {
    return await Promise.race([work, stopped.promise]);
  } catch (error) {
    await keeper.close();
    // Without its game the rest of the work ends at once. None of it may go on after this.
    await work.catch(() => {});
    await keeper.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function recordAll(
  dependencies: RecordingDependencies,
  request: CaptureRequest,
  demo: DemoToPlay,
  shots: readonly RecordedShot[],
): Promise<Footage[]> {
  const { keeper } = dependencies;
  const { options, signal } = request;
  signal.throwIfAborted();
  const game = await keeper.open({ ...demo, options, signal });
  request.onProgress(LOADED_FRACTION);
  const context: RecordingContext = { ...dependencies, request, game };
  const footage: Footage[] = [];
  const progress = createProgress(shots, request.onProgress);
  for (const [index, shot] of shots.entries()) {
    footage.push(await recordShot(context, index, shot, (tick) => progress(index, tick)));
  }
  signal.throwIfAborted();
  await keeper.release(game);
  return footage;
}

/** Records one shot until a take is good. */
async function recordShot(
  context: RecordingContext,
  index: number,
  shot: RecordedShot,
  advance: (tick: number) => void,
): Promise<Footage> {
  const { request, game, log } = context;
  for (let attempt = 1; ; attempt++) {
    const take = game.newTake();
    const folder = join(request.workDir, take);
    await mkdir(folder);
    const result = await recordTake(context, shot, index, take, folder, advance);
    if (!('detail' in result)) {
      advance(shot.endTick);
      return result;
    }
    game.spoil('a take was faulty');
    if (attempt === TAKES) throw new RecordingFailure(result.code, `shot ${index + 1}: ${result.detail}`);
    log.warn({ shot: index, fault: result.detail }, 'the take is faulty; recording the shot again');
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Waits until the game has run all commands that were sent. `name` must be unused in the session. */
async function answered({ session, markers }: PlayingGame, name: string): Promise<void> {
  const ready = { kind: 'ready', take: name } as const;
  session.send(markers.commandFor(ready));
  if (!(await session.waitFor([ready], 'tick'))) throw await session.explain('the console does not answer any more');
}

/** Half of the 8,192 bytes of the engine's command buffer. */
const MOST_BYTES = 4096;

/** Sends commands, and waits for the game before the buffer is full. */
async function sendInBursts(game: PlayingGame, take: string, commands: readonly string[]): Promise<void> {
  let bytes = 0;
  for (const [index, command] of commands.entries()) {
    const size = Buffer.byteLength(command) + 1;
    if (bytes + size > MOST_BYTES) {
      await answered(game, `${take}b${index}`);
      bytes = 0;
    }
    bytes += size;
    game.session.send(command);
  }
}

async function recordTake(
  context: RecordingContext,
  shot: RecordedShot,
  index: number,
  take: string,
  folder: string,
  advance: (tick: number) => void,
): Promise<Footage | TakeFault> {
  const { game, settings, timers, request } = context;
  const { session, markers } = game;
  const { match, options } = request;
  const tooFull = Promise.withResolvers<never>();
  tooFull.promise.catch(() => {});
  let camera: CameraKeeper | null = null;
  const unsubscribe = session.onMarker((marker) => {
    if (marker.take !== take) return;
    if (marker.kind === 'recorded') camera?.at(shot.endTick + TICKS_AFTER_SHOT);
    if (marker.kind !== 'tick') return;
    camera?.at(marker.tick);
    advance(marker.tick);
    checkReserve(context.free, request.workDir).catch(tooFull.reject);
  });
  try {
    const aimed = await aim(context, shot, take);
    camera = aimed.camera;
    if (aimed.fault !== null) return aimed.fault;
    const commands = takeCommands(shot, {
      match,
      options,
      markers,
      take,
      folder: folder.replaceAll('\\', '/'),
      footageCodec: settings.footageCodec,
    });
    await sendInBursts(game, take, commands);
    const over = await Promise.race([session.waitFor([{ kind: 'clear', take }], 'tick'), tooFull.promise]);
    if (over === null && !session.hasReceived({ kind: 'recorded', take })) throw await session.explain(NO_PROGRESS);
    const caughtUp = camera?.over(Math.floor(timers.now() / 1000));
    const footage = await finishedFootage(context, shot, folder);
    const fault = typeof footage === 'string' ? footage : await inspectTake(footage, { ...context, ...request });
    if (caughtUp !== undefined) {
      // After such a silence no report is on its way.
      const silence = Promise.withResolvers<void>();
      const cancel = timers.set('game_state', WATCHDOGS.game_state, silence.resolve);
      await Promise.race([caughtUp, silence.promise, session.failed]).finally(cancel);
    }
    return judgeTake(context.log, index, { footage, fault, camera: camera === null ? UNCHECKED : camera.finish() });
  } finally {
    camera?.finish();
    unsubscribe();
  }
}

interface Aimed {
  /** Null if the player is dead throughout. */
  readonly camera: CameraKeeper | null;
  readonly fault: TakeFault | null;
}

/**
 * Seeks, stops before the shot, and puts the camera on the player. Seeks again if playback did not stop, because it
 * would pass the scheduled ticks.
 */
async function aim({ game, timers, request, log }: RecordingContext, shot: RecordedShot, take: string): Promise<Aimed> {
  const { session, gameState, markers } = game;
  const { match } = request;
  const target = cameraTarget(match, shot);
  if (target === null) log.warn({ take }, 'the player is dead throughout the shot; his camera is not checked');
  const slipped = (name: string) => ({ kind: 'slipped', take: name }) as const;
  /** Waits until playback reaches the marker, and stops it there. Resolves with the second of the marker. */
  const stop = async (name: string, kind: 'seeked' | 'aimed'): Promise<number> => {
    const wait = kind === 'seeked' ? 'seek' : 'tick';
    // A seek that ends paused stays there until it is resumed.
    const nudge = kind === 'seeked' ? 'demo_resume' : undefined;
    const marker = await session.waitFor([{ kind, take: name }, slipped(name)], wait, nudge);
    if (marker === null) {
      throw await session.explain(kind === 'seeked' ? 'the game did not come to the end of a seek' : NO_PROGRESS);
    }
    session.send('demo_pause');
    return Math.floor(timers.now() / 1000);
  };
  /** Waits, then resolves with whether playback has stopped. */
  const isPaused = async (name: string, ms: number): Promise<boolean> => {
    // Once this is echoed, so is everything that was sent before playback was stopped.
    await answered(game, name);
    await Promise.race([rest(timers, 'rest', ms, request.signal), session.failed]);
    return !session.hasReceived(slipped(name));
  };
  for (let attempt = 1; attempt <= SEEKS; attempt++) {
    const [landing, aiming] = [`${take}s${attempt}`, `${take}a${attempt}`];
    for (const command of seekCommands(shot, landing, match.tickRate, markers)) session.send(command);
    await stop(landing, 'seeked');
    if (!(await isPaused(landing, REST_MS))) continue;
    for (const command of aimAtCommands(shot, aiming, match.tickRate, markers)) session.send(command);
    const after = await stop(aiming, 'aimed');
    // Not earlier: after a seek the camera may show the player by chance, and then wander off.
    const camera = target === null ? null : keepCamera(gameState, session.send, target, shot.startTick, { after });
    const hasStopped = await isPaused(aiming, AIM_MS);
    // The dead cannot be shown, as before a round begins. A victim may die as soon as the shot begins.
    const isThere = target?.isAlive(aimedTick(shot, match.tickRate));
    if (hasStopped && (camera === null || !isThere)) return { camera, fault: null };
    if (hasStopped && camera !== null) return { camera, fault: await confirm(camera, session, timers) };
    camera?.finish();
  }
  throw gameFailure('playback does not stop after a seek');
}

/** Waits until the game has reported the player. */
async function confirm(camera: CameraKeeper, session: GameSession, timers: Timers): Promise<TakeFault | null> {
  const late = Promise.withResolvers<'late'>();
  const cancel = timers.set('game_state', WATCHDOGS.game_state, () => late.resolve('late'));
  const outcome = await Promise.race([camera.found, late.promise, session.failed]).finally(cancel);
  if (outcome !== 'late') return null;
  return camera.isReported()
    ? NEVER_SHOWN
    : { code: 'cs2_unavailable', detail: 'the game reported nothing of whom it shows' };
}

/** Returns the files of a take once the recorder has written their last byte, or what is missing. */
async function finishedFootage({ timers, request }: RecordingContext, shot: RecordedShot, folder: string) {
  let before = -1;
  let found: Footage | string = '';
  for (let poll = 0; poll < FINISH_POLLS; poll++) {
    found = await findFootage(folder, shot);
    const bytes = typeof found === 'string' ? -1 : found.bytes;
    if (bytes > 0 && bytes === before) return found;
    before = bytes;
    await rest(timers, 'poll', FINISH_POLL_MS, request.signal);
  }
  return found;
}
