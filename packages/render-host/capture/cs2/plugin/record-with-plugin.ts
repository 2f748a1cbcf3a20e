import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FreeBytes } from '../../../machine/work-dir.ts';
import type { CaptureRequest } from '../../capture.ts';
import { gameFailure, RecordingFailure } from '../game/console-faults.ts';
import type { PluginSettings } from '../game/launch-args.ts';
import type { MachineFault } from '../game/machine-faults.ts';
import type { Timers } from '../game/timers.ts';
import { cameraTarget, planRecording } from '../recording/camera-keeper.ts';
import type { Footage } from '../recording/footage-files.ts';
import {
  createProgress,
  inspectTake,
  judgeTake,
  NEVER_SHOWN,
  TAKES,
  type TakeFault,
} from '../recording/inspect-take.ts';
import { FOOTAGE_FILE, type RecordedShot } from '../recording/plan-recording.ts';
import type { DemoToPlay } from '../recording/record-shots.ts';
import { createFilmEncoder } from './film-encoder.ts';
import { filmTakes } from './film-takes.ts';
import { createFilmedTake, type FilmedTake, type TakeOutcome } from './filmed-take.ts';
import { FILM_PREFIX, pluginFolders } from './install-plugin.ts';
import { commandsBefore, FIRST_FILM_TICK, planTakeActions } from './plan-actions.ts';

export interface PluginDependencies {
  readonly settings: PluginSettings;
  readonly timers: Timers;
  readonly free: FreeBytes;
  readonly ffmpegPath: string;
  /** A folder that only this host uses, on the disk of the work folder. */
  readonly folder: string;
  readonly log: { warn(fields: object, message: string): void };
  /** Returns what this machine lacks to run the game. */
  readonly findFaults: (settings: PluginSettings) => Promise<readonly MachineFault[]>;
}

/**
 * Records the shots in the real game on Linux, all in one start. Shots whose take is faulty are recorded again in
 * another start. Puts the footage into the request's `workDir`. Afterwards the game has ended.
 *
 * @throws {RecordingFailure} with the errors of `CaptureResult`; the signal's reason if aborted.
 */
export async function recordWithPlugin(
  dependencies: PluginDependencies,
  request: CaptureRequest,
  demo: DemoToPlay,
): Promise<Footage[]> {
  const { settings, free, log, findFaults } = dependencies;
  const shots = await planRecording(request, free, FIRST_FILM_TICK);
  const [fault] = await findFaults(settings);
  if (fault !== undefined) throw gameFailure(`${fault.detail}: ${fault.remedy}`);
  const progress = createProgress(shots, request.onProgress);
  const footage = new Map<number, Footage>();
  // A game that an earlier host left behind and that still films must not be mistaken for this one.
  const job = randomBytes(6).toString('hex');
  for (let attempt = 1; footage.size < shots.length; attempt++) {
    const open = [...shots.entries()].filter(([index]) => !footage.has(index));
    const takes: FilmedTake[] = [];
    for (const [index, recorded] of open) {
      const name = `${FILM_PREFIX}${job}x${attempt}x${index}x`;
      const folder = join(request.workDir, name);
      await mkdir(folder);
      takes.push(planTake(dependencies, request, recorded, { name, folder }, (tick) => progress(index, tick)));
    }
    const outcomes = await filmTakes({ ...dependencies, request, demo }, takes);
    for (const [i, [index, recorded]] of open.entries()) {
      const outcome = outcomes[i];
      const judged = outcome === undefined ? NEVER_SHOWN : await judge(dependencies, request, index, outcome);
      if (!('detail' in judged)) {
        progress(index, recorded.endTick);
        footage.set(index, judged);
        continue;
      }
      if (attempt === TAKES) throw new RecordingFailure(judged.code, `shot ${index + 1}: ${judged.detail}`);
      log.warn({ shot: index, fault: judged.detail }, 'the take is faulty; recording the shot again');
      await rm(join(request.workDir, takes[i]?.name ?? ''), { recursive: true, force: true });
    }
  }
  return shots.flatMap((_, index) => footage.get(index) ?? []);
}

function planTake(
  { settings, timers, ffmpegPath, log }: PluginDependencies,
  { match, options }: CaptureRequest,
  recorded: RecordedShot,
  { name, folder }: { readonly name: string; readonly folder: string },
  onTick: (tick: number) => void,
): FilmedTake {
  const { films, sounds } = pluginFolders(settings);
  const target = cameraTarget(match, recorded);
  if (target === null) log.warn({ take: name }, 'the player is dead throughout the shot; his camera is not checked');
  const encoder = createFilmEncoder({
    ffmpegPath,
    folders: [films, sounds],
    name,
    fps: recorded.fps,
    codec: settings.footageCodec,
    outPath: join(folder, FOOTAGE_FILE),
  });
  const before = commandsBefore(planTakeActions({ recorded, name }, { options, match }));
  return createFilmedTake({ recorded, name, before, folder, sounds: [films, sounds], encoder, target, timers, onTick });
}

async function judge(
  { ffmpegPath, log }: PluginDependencies,
  request: CaptureRequest,
  index: number,
  { footage, camera }: TakeOutcome,
): Promise<Footage | TakeFault> {
  const fault = typeof footage === 'string' ? footage : await inspectTake(footage, { ...request, ffmpegPath });
  // A film that never began had no reports: that says nothing about the camera.
  if (camera !== null && !camera.isReported && camera.drifts.length === 0) {
    const unheard = 'the game reported nothing of whom it shows';
    return { code: 'cs2_unavailable', detail: typeof footage === 'string' ? footage : unheard };
  }
  return judgeTake(log, index, { footage, fault, camera: camera ?? { verdict: 'held', drifts: [] } });
}
