import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWorkshopMap } from '#domain/clip/names.ts';
import { secondAt, stretchesOf, type TimedShot } from '#domain/clip/plan/shot-time.ts';
import { sizeOf } from '#domain/clip/render-order.ts';
import { type Facts, failure } from '#domain/failure/codes.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { layoutOf } from '#scene/drawing/layout.ts';
import { createClipClock } from '#scene/frames/clip-clock.ts';
import type { Ffmpeg } from '../../encode/ffmpeg.ts';
import type { ShotSound } from '../../frames/frame-source.ts';
import { isMachineError } from '../../machine/program.ts';
import { runThread } from '../../machine/supervised-child.ts';
import { type FreeBytes, freeBytes } from '../../machine/work-dir.ts';
import type { StripOptions, StripResult } from '../../source2/strip-messages.ts';
import type { Capture, CaptureRequest, CaptureResult } from '../capture.ts';
import { createFootageSource, withFootageOverlay } from './footage/footage-overlay.ts';
import { RecordingFailure } from './game/console-faults.ts';
import { buildObjection, type GameBuild, readGameBuild, refusesDecals } from './game/game-build.ts';
import type { Cs2Settings, PluginSettings } from './game/launch-args.ts';
import { findFaults, LINUX, type MachineFault } from './game/machine-faults.ts';
import { signedInAccount } from './game/steam-folder.ts';
import { systemTimers, type Timers } from './game/timers.ts';
import { recordWithPlugin } from './plugin/record-with-plugin.ts';
import type { Footage } from './recording/footage-files.ts';
import { createGameKeeper } from './recording/game-keeper.ts';
import { type DemoToPlay, recordShots } from './recording/record-shots.ts';

export interface StripLimits extends Pick<StripOptions, 'frameBytes'> {
  /** The timeout of the whole demo. */
  readonly timeoutMs?: number;
}

interface StripInput extends StripLimits, StripOptions {
  readonly signal: AbortSignal;
}

/** Users report crashes by FACEIT demos with pets. A map's own chickens may be harmless. */
const CHICKEN = 'the demo has a chicken in its first tick, which can crash the game';
/** A match of an hour takes some seconds. */
const TIMEOUT_MS = 300_000;
const FRAME_BYTES = 64 * 1024 * 1024;
/** The thread holds three copies of a frame at most, which are not part of the heap. */
const HEAP_MB = 128;

/**
 * Runs `stripMessages` in a thread: a frame that is made for it takes seconds, in which this process would send no
 * heartbeat. The thread ends with the job or when its time is up.
 *
 * @throws the signal's reason if aborted; the errors of `stripMessages`; an Error if it takes too long.
 */
export async function stripDemo(path: string, outPath: string, options: StripInput): Promise<StripResult> {
  const { signal, frameBytes = FRAME_BYTES, timeoutMs = TIMEOUT_MS, decals } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const module = new URL('./strip-worker.ts', import.meta.url);
  const task = { path, outPath, options: { frameBytes, decals } };
  return runThread<StripResult>(module, task, HEAP_MB, AbortSignal.any([signal, timeout])).catch((error: unknown) => {
    signal.throwIfAborted();
    throw timeout.aborted ? new Error(`it took more than ${timeoutMs} ms`) : error;
  });
}

export interface Cs2CaptureDependencies {
  readonly settings: Cs2Settings;
  /** Decodes the footage. */
  readonly ffmpeg: Pick<Ffmpeg, 'path'>;
  /** A folder that only this host uses, on the disk of the work folder. */
  readonly folder: string;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Defaults to the system's. */
  readonly timers?: Timers;
  readonly free?: FreeBytes;
  /** Returns what the machine lacks, for a game that films itself. */
  readonly findFaults?: (settings: PluginSettings) => Promise<readonly MachineFault[]>;
  readonly limits?: StripLimits | undefined;
}

export interface Cs2Capture {
  readonly capture: Capture;
  /** Ends the game. Otherwise it stays up for the next job. */
  close(): Promise<void>;
}

/** Records shots into the request's folder. */
interface Recorder {
  record(request: CaptureRequest, demo: DemoToPlay): Promise<Footage[]>;
  close(): Promise<void>;
}

function createRecorder(dependencies: Cs2CaptureDependencies): Recorder {
  const { settings, log, folder, timers = systemTimers, free = freeBytes } = dependencies;
  const common = { timers, free, folder, log, ffmpegPath: dependencies.ffmpeg.path };
  if (settings.recorder === 'plugin') {
    const look = (asked: PluginSettings) => findFaults(LINUX, { settings: asked, environment: process.env });
    const input = { ...common, settings, findFaults: dependencies.findFaults ?? look };
    return { record: (request, demo) => recordWithPlugin(input, request, demo), close: async () => {} };
  }
  const keeper = createGameKeeper({ ...common, settings });
  const input = { ...common, settings, keeper };
  return { record: (request, demo) => recordShots(input, request, demo), close: keeper.close };
}

/**
 * Records the shots in the real game, with HLAE or with the plugin, and returns the frames of the footage together with
 * what the game does not draw. A demo that is newer than the game is `demo_incompatible`, and the game is not started.
 * A demo that crashes the game twice while it loads, with another demo recorded in between, is `demo_incompatible` too.
 * There is one game, so one capture at a time.
 */
export function createCs2Capture(dependencies: Cs2CaptureDependencies): Cs2Capture {
  const recorder = createRecorder(dependencies);
  /** What the present build of the game did with demos. `suspect`: it crashed at loading, and then recorded another. */
  let known = { build: '', demos: new Map<string, 'recorded' | 'crashed' | 'suspect'>() };
  const capture: Capture = async (request) => {
    // The demo causes these failures, not the game: the host is not set aside for them.
    const prepared = await prepare(dependencies, request);
    if (!('demoId' in prepared)) return prepared;
    const demo = prepared;
    if (known.build !== demo.build) known = { build: demo.build, demos: new Map() };
    const { demos } = known;
    if (request.match.startsWithChicken) dependencies.log.info({}, CHICKEN);
    try {
      const filmed = asFilmed(request, dependencies.settings.filmHeight);
      const footage = await recorder
        .record(filmed, demo)
        .finally(() => (demo.demoPath === request.demoPath ? undefined : rm(demo.demoPath, { force: true })));
      demos.set(demo.demoId, 'recorded');
      for (const [other, state] of demos) if (state === 'crashed') demos.set(other, 'suspect');
      return result(request, dependencies, footage, filmed);
    } catch (error) {
      request.signal.throwIfAborted();
      if (!(error instanceof RecordingFailure)) throw error;
      const isLoading = error.fault === 'loading';
      const before = demos.get(demo.demoId);
      const isDemosFault = isLoading && before === 'suspect';
      const code = isDemosFault ? 'demo_incompatible' : error.code;
      const why = isLoading && request.match.startsWithChicken ? `${error.message}; ${CHICKEN}` : error.message;
      const failed = { ...failure(code, why), inGame: true } as const;
      if (error.fault === 'unfit') return { ...failed, unfitBuild: demo.build };
      if (isLoading && !isDemosFault && before !== 'recorded') {
        demos.set(demo.demoId, 'crashed');
        const hasRecorded = [...demos.values()].includes('recorded');
        return { ...failed, crashedLoading: { demo: demo.demoId, hasRecorded } };
      }
      if (code !== 'demo_incompatible') return failed;
      return { ...failed, facts: factsOf(request.match, demo.build), refusedBuild: demo.build };
    }
  };
  return { capture, close: recorder.close };
}

/**
 * Returns the request of a recorder: at 16:9, in the picture's height or the greatest that the game films. In another
 * shape the game's killfeed would be cut off, so it is not filmed.
 */
function asFilmed(request: CaptureRequest, most: number): CaptureRequest {
  const { options } = request;
  if (layoutOf(options).isWide) return request;
  return { ...request, options: { ...options, ...sizeOf(Math.min(options.height, most)), ownKillfeed: true } };
}

function result(
  request: CaptureRequest,
  { ffmpeg }: Pick<Cs2CaptureDependencies, 'ffmpeg'>,
  footage: readonly Footage[],
  filmed: CaptureRequest,
): CaptureResult {
  const { match, shots, options } = request;
  const { height } = filmed.options;
  const filmedHeight = height < options.height ? height : undefined;
  const source = createFootageSource(ffmpeg.path, match, footage, options);
  const clock = createClipClock(shots, match.tickRate, options.fps);
  const sound = footage.map(({ soundPath, recorded: { shot, startTick } }, index) => {
    const frames = (clock.shotStarts[index + 1] ?? clock.frameCount) - (clock.shotStarts[index] ?? 0);
    const delaySeconds = secondAt(shot, startTick, match.tickRate);
    const whole = { path: soundPath, delaySeconds, seconds: frames / options.fps };
    if (shot.speeds.length === 0 || startTick >= shot.endTick) return whole;
    return { ...whole, pieces: soundPieces(shot, startTick, match.tickRate) };
  });
  return { ok: true, source: withFootageOverlay(source, match, shots, options), sound, filmedHeight };
}

/** The parts of a ramp, each of which is heard at one speed. */
const PARTS_OF_RAMP = 3;

/** Returns the parts of a film's sound and how long each lasts in the clip. The film begins at `fromTick`. */
export function soundPieces(shot: TimedShot, fromTick: number, tickRate: number): NonNullable<ShotSound['pieces']> {
  return stretchesOf({ ...shot, startTick: fromTick }).flatMap(({ startTick, endTick, from, to }) => {
    const parts = from === to ? 1 : PARTS_OF_RAMP;
    const at = (part: number): number => startTick + ((endTick - startTick) * part) / parts;
    return Array.from({ length: parts }, (_, part) => ({
      fromSeconds: (at(part) - fromTick) / tickRate,
      toSeconds: (at(part + 1) - fromTick) / tickRate,
      seconds: secondAt(shot, at(part + 1), tickRate) - secondAt(shot, at(part), tickRate),
    }));
  });
}

/** Returns what does not match: the patch that the demo names, if it does, and the build of the game. */
function factsOf({ gamePatch }: Pick<CaptureRequest['match'], 'gamePatch'>, gameBuild: string): Facts {
  return { demo_patch: gamePatch, game_build: gameBuild };
}

/** Returns the demo without commands to the game's console, or why the game must not be started for it. */
async function prepare(
  { settings, log, limits }: Cs2CaptureDependencies,
  { match, shots, demoPath, workDir, signal }: CaptureRequest,
): Promise<DemoToPlay | Extract<CaptureResult, { readonly ok: false }>> {
  // The game would ask to subscribe. Content of servers (`addons` of a demo) is not asked for on the game's own maps.
  if (isWorkshopMap(match.map)) {
    const facts = { map: match.map };
    return failure('workshop_not_supported', `recorded on the workshop map ${JSON.stringify(match.map)}`, facts);
  }
  let build: GameBuild;
  try {
    build = await readGameBuild(settings);
  } catch (error) {
    return failure('cs2_unavailable', `the game's build cannot be read: ${reasonOf(error)}`);
  }
  const objection = buildObjection(match, build);
  if (objection !== null) {
    const facts = factsOf(match, build.version);
    return { ...failure('demo_incompatible', objection, facts), refusedBuild: build.version };
  }
  const account = await signedInAccount(settings);
  if (account !== null && shots.some(({ pov }) => match.players[pov]?.steamId === account)) {
    const detail = `${account} is signed in to Steam here, and the game does not show its own player`;
    return { ...failure('cs2_unavailable', detail), ownMatch: true };
  }
  const strippedPath = join(workDir, 'stripped.dem');
  try {
    const decals = settings.stripDecals === 'auto' ? refusesDecals(match, build) : settings.stripDecals === 'always';
    const { sha256, stripped, lastTick } = await stripDemo(demoPath, strippedPath, { signal, decals, ...limits });
    if (lastTick < match.lastTick) throw new Error(`its frames are damaged after tick ${lastTick}`);
    const isStripped = Object.keys(stripped).length > 0;
    if (isStripped) log.warn({ stripped }, 'the recording has messages that the game will not see');
    return { demoPath: isStripped ? strippedPath : demoPath, demoId: sha256, build: build.version };
  } catch (error) {
    signal.throwIfAborted();
    if (isMachineError(error)) return failure('cs2_unavailable', `the demo cannot be prepared: ${error.message}`);
    const detail = `the recording cannot be searched for messages that the game must not see: ${reasonOf(error)}`;
    return failure('demo_incompatible', detail);
  }
}
