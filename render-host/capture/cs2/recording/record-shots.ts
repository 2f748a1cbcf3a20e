import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FreeBytes } from '../../../machine/free-space.ts';
import type { CaptureRequest } from '../../capture.ts';
import type { Cs2Settings } from '../game/cs2-settings.ts';
import { gameTrouble, RecordingFailure } from '../game/failure.ts';
import { type GameSession, openSession } from '../game/game-session.ts';
import { type GameState, receiveGameState } from '../game/game-state.ts';
import { createMarkers, type Markers } from '../game/markers.ts';
import { rest, type Timers, WATCHDOGS, type Watchdog } from '../game/timers.ts';
import { type CameraVerdict, keepCamera } from './camera-keeper.ts';
import { cameraTarget } from './camera-target.ts';
import { checkReserve, checkRoom } from './disk-space.ts';
import { type Footage, findFootage } from './footage-files.ts';
import { planRecording, planTake, type RecordedShot, type Step } from './plan-recording.ts';

export interface RecordingDependencies {
  readonly settings: Cs2Settings;
  readonly timers: Timers;
  readonly free: FreeBytes;
  readonly log: { warn(fields: object, message: string): void };
}

/** A running game that records, and all that a take needs to know. */
interface RecordingContext extends RecordingDependencies {
  readonly request: CaptureRequest;
  readonly session: GameSession;
  readonly gameState: GameState;
  readonly markers: Markers;
}

/** A take whose camera drifted is taken once more; a second one is likely to drift again. */
const TAKES = 2;
/** What of the whole is done once the demo plays. */
const LOADED_FRACTION = 0.1;

/**
 * Records the shots in the real game, one after the other. Leaves their footage in the request's `workDir`. Whatever
 * happens, the game is gone afterwards.
 *
 * @throws {RecordingFailure} as `CaptureResult` has it; the signal's reason when aborted.
 */
export async function recordShots(dependencies: RecordingDependencies, request: CaptureRequest): Promise<Footage[]> {
  const { settings, timers, free } = dependencies;
  const { match, shots, options, demoPath, signal } = request;
  const markers = createMarkers(randomBytes(6).toString('hex'));
  const plan = planRecording({ match, shots, options, demoPath, markers });
  if (plan === null)
    throw new RecordingFailure('render_failed', 'a shot lies too near the end of the demo to be recorded');
  let gameState: GameState | null = null;
  let session: GameSession | null = null;
  try {
    await checkRoom(free, request.workDir, options, totalTicks(plan.shots) / match.tickRate);
    gameState = await receiveGameState(settings);
    session = await openSession({ settings, options, markers, timers, signal });
    const context: RecordingContext = { ...dependencies, request, session, gameState, markers };
    await follow(context, plan.setup);
    await startPlayback(context, plan.play);
    const takes: { readonly shot: RecordedShot; readonly folder: string }[] = [];
    for (const [index, shot] of plan.shots.entries()) {
      takes.push({ shot, folder: await recordShot(context, plan.shots, index, shot) });
    }
    // The recorder's last words are written when the game ends.
    await session.close();
    return await Promise.all(takes.map(({ folder, shot }) => findFootage(folder, shot)));
  } finally {
    await session?.close();
    await gameState?.close();
  }
}

/** Asks for the demo, and asks once more when it does not play: the game loses the command while it still loads. */
async function startPlayback({ session, request, log }: RecordingContext, play: readonly Step[]): Promise<void> {
  for (let asked = 1; ; asked++) {
    for (const step of play) if (step.kind === 'send') session.send(step.command);
    if (await session.hear({ kind: 'ready' }, 'playback')) break;
    if (asked === 2) throw gameTrouble('the game did not play the demo, though it was asked twice');
    log.warn({}, 'the demo does not play; asking for it again');
  }
  request.onProgress(LOADED_FRACTION);
}

/** Records one shot, again if the camera drifted. Answers with the folder of the take that counts. */
async function recordShot(
  context: RecordingContext,
  shots: readonly RecordedShot[],
  index: number,
  shot: RecordedShot,
): Promise<string> {
  const done = totalTicks(shots.slice(0, index));
  const advance = (tick: number): void => {
    const fraction = (done + tick - shot.startTick) / totalTicks(shots);
    context.request.onProgress(LOADED_FRACTION + (1 - LOADED_FRACTION) * fraction);
  };
  for (let attempt = 1; ; attempt++) {
    const take = `${index}${'abc'.charAt(attempt - 1)}`;
    const folder = join(context.request.workDir, take);
    await mkdir(folder);
    const verdict = await recordTake(context, shot, take, folder, advance);
    if (verdict === 'held') return folder;
    if (attempt === TAKES) return accept(context, verdict, index, folder);
    context.log.warn({ shot: index, camera: verdict }, 'the camera was not on the player; recording the shot again');
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function accept({ log }: RecordingContext, verdict: CameraVerdict, index: number, folder: string): string {
  switch (verdict) {
    case 'missed':
      throw new RecordingFailure('render_failed', `the camera never was on the player of shot ${index + 1}`);
    case 'unreported':
      throw gameTrouble('the game reported nothing of whom it shows');
    case 'drifted':
      log.warn({ shot: index }, 'the camera drifted in both takes; the second one counts');
      return folder;
    case 'held':
      return folder;
  }
}

async function recordTake(
  context: RecordingContext,
  shot: RecordedShot,
  take: string,
  folder: string,
  advance: (tick: number) => void,
): Promise<CameraVerdict> {
  const { session, gameState, markers, settings, timers, request } = context;
  const { match, options } = request;
  const target = cameraTarget(match, shot);
  if (target === null) context.log.warn({ take }, 'the player is dead throughout the shot; his camera is not checked');
  const camera = target === null ? null : keepCamera(gameState, session.send, target);
  const tooFull = Promise.withResolvers<never>();
  tooFull.promise.catch(() => {});
  const unsubscribe = session.onMarker((marker) => {
    if (!('take' in marker) || marker.take !== take) return;
    if (marker.kind === 'aimed') camera?.aimed();
    if (marker.kind === 'recording') camera?.recording();
    if (marker.kind === 'recorded') camera?.recorded();
    if (marker.kind !== 'tick') return;
    camera?.at(marker.tick);
    advance(marker.tick);
    checkReserve(context.free, request.workDir).catch(tooFull.reject);
  });
  try {
    const steps = planTake(shot, {
      ...{ match, options, markers, take },
      folder: folder.replaceAll('\\', '/'),
      footageCodec: settings.footageCodec,
    });
    await Promise.race([follow(context, steps), tooFull.promise]);
    advance(shot.endTick);
    if (camera === null) return 'held';
    const silence = Promise.withResolvers<void>();
    const cancel = timers.set('game_state', WATCHDOGS.game_state, silence.resolve);
    await Promise.race([camera.reported, silence.promise, session.failed]).finally(cancel);
    return camera.finish();
  } finally {
    camera?.finish();
    unsubscribe();
  }
}

/** Which watchdog a wait for a marker is under, and what it means when its time has passed. */
const WAITS: Readonly<Record<string, { readonly watchdog: Watchdog; readonly hung: string }>> = {
  seeked: { watchdog: 'seek', hung: 'the game did not come to the end of a seek' },
};
const WAIT_FOR_TICK: (typeof WAITS)[string] = { watchdog: 'tick', hung: 'playback stands still' };

async function follow({ session, timers, request }: RecordingContext, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    switch (step.kind) {
      case 'send':
        session.send(step.command);
        break;
      case 'rest':
        await Promise.race([rest(timers, 'rest', step.ms, request.signal), session.failed]);
        break;
      case 'await': {
        const { watchdog, hung } = WAITS[step.marker.kind] ?? WAIT_FOR_TICK;
        if (!(await session.hear(step.marker, watchdog))) throw gameTrouble(hung);
        break;
      }
    }
  }
}

function totalTicks(shots: readonly RecordedShot[]): number {
  return shots.reduce((sum, { startTick, endTick }) => sum + endTick - startTick, 0);
}
