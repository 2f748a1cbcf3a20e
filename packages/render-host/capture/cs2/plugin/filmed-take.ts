import { copyFile, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GameState } from '../game/game-state.ts';
import { type Timers, WATCHDOGS } from '../game/timers.ts';
import { type CameraKeeper, type CameraTarget, keepCamera } from '../recording/camera-keeper.ts';
import type { Footage } from '../recording/footage-files.ts';
import { FOOTAGE_FILE, TICKS_AFTER_SHOT } from '../recording/plan-recording.ts';
import type { FilmEncoder } from './film-encoder.ts';
import { markedTick, type PlannedTake } from './plan-actions.ts';

/** What the game reports, whom it has reported last, and the second in which the log was last read. */
interface Reports extends Pick<GameState, 'onReport'> {
  last(): string | null;
  since(): number;
}

export interface FilmedTakeInput extends PlannedTake {
  /** What the game must have been told before the film begins. */
  readonly before: ReadonlySet<string>;
  /** Where its footage is to lie. */
  readonly folder: string;
  /** Where the game may have put its sound. */
  readonly sounds: readonly string[];
  readonly encoder: FilmEncoder;
  /** Null where nobody can be checked. */
  readonly target: CameraTarget | null;
  readonly timers: Timers;
  readonly onTick: (tick: number) => void;
}

/** What became of a take. */
export interface TakeOutcome {
  readonly footage: Footage | string;
  /** Null where the camera was not checked. */
  readonly camera: (ReturnType<CameraKeeper['finish']> & { readonly isReported: boolean }) | null;
}

/** A take on its way: what the plugin says it does, whom the game says it shows, and the pictures that come. */
export interface FilmedTake extends PlannedTake {
  /**
   * Playback stands for two seconds, in which the game reports whom it shows. `isFilmingSince`: it was heard so late
   * that the film has begun meanwhile, and what was reported before may have been of the film.
   */
  paused(reports: Reports, isFilmingSince: boolean): void;
  ran(command: string): void;
  isFilming(): boolean;
  advance(over: boolean): Promise<number>;
  finish(): Promise<TakeOutcome>;
  stop(): void;
}

export function createFilmedTake(input: FilmedTakeInput): FilmedTake {
  const { recorded, name, encoder, target, timers, onTick } = input;
  let camera: CameraKeeper | null = null;
  let starts = 0;
  let isOver = false;
  /** The game has said that it shows the player, and nothing since, before the film began. */
  let isSeen = false;
  let isLate = false;
  let wasUnheard = false;
  const missed = new Set(input.before);
  return {
    recorded,
    name,
    paused(reports, isFilmingSince) {
      // The pause before the film. From here on, whoever else is reported was on the film.
      if (starts > 0 || target === null) return;
      camera?.finish();
      // What is of a second before the log was read was seen before the film, however late it comes.
      const counted = { isAimed: true, after: reports.since() - 1 };
      camera = keepCamera(reports, () => {}, target, recorded.startTick, counted);
      isLate = isFilmingSince;
      isSeen = reports.last() === target.steamId;
    },
    ran(command) {
      const tick = markedTick(command);
      if (starts === 0) missed.delete(command);
      if (command === `startmovie ${name}`) {
        starts++;
        // Nobody knows whom the first pictures show, whoever was reported since.
        wasUnheard = camera !== null && (isLate || !(isSeen || camera.isReported()));
      }
      if (command === 'endmovie' && starts > 0 && !isOver) {
        isOver = true;
        camera?.at(recorded.endTick + TICKS_AFTER_SHOT);
        void camera?.over(Math.floor(timers.now() / 1000));
      }
      if (tick === null || starts === 0 || isOver) return;
      camera?.at(tick);
      onTick(tick);
    },
    isFilming: () => starts > 0 && !isOver,
    advance: (over) => encoder.advance(over),
    async finish() {
      const cancel = timers.set('tick', WATCHDOGS.tick, encoder.stop);
      const fault = await encoder.finish().finally(cancel);
      const isReported = !wasUnheard && (isSeen || (camera?.isReported() ?? false));
      const judged = camera?.finish() ?? { verdict: 'missed' as const, drifts: [] };
      return {
        footage: fault ?? (starts > 0 ? untold(missed) : null) ?? (await collect(input, starts)),
        camera: target === null ? null : { ...judged, isReported },
      };
    },
    stop() {
      encoder.stop();
      camera?.finish();
    },
  };
}

function untold(missed: ReadonlySet<string>): string | null {
  const [command] = missed;
  return command === undefined ? null : `the plugin missed the tick of “${command}”`;
}

/** The take's files, the sound where the clip's is looked for; or what is missing. */
async function collect({ recorded, name, folder, sounds }: FilmedTakeInput, starts: number): Promise<Footage | string> {
  const videoPath = join(folder, FOOTAGE_FILE);
  const soundPath = join(folder, 'audio.wav');
  const video = await sizeOf(videoPath);
  const wav = await findSound(sounds, `${name}.wav`);
  if (starts === 0) return 'the game did not begin to film';
  if (video === 0) return wav === undefined ? 'the game recorded nothing' : 'the game recorded sound without pictures';
  if (wav === undefined) return 'the game recorded no sound';
  // The game and the work folder may lie on two disks.
  await rename(wav, soundPath).catch(() => copyFile(wav, soundPath));
  const sound = await sizeOf(soundPath);
  return { recorded, videoPath, soundPath, bytes: video + sound };
}

async function findSound(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const found = (await readdir(folder, { recursive: true }).catch(() => [])).find((path) => path.endsWith(name));
    if (found !== undefined) return join(folder, found);
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}
