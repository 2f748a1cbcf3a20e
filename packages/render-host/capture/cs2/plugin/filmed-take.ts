import { copyFile, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { GameState } from '../game/game-state.ts';
import { type Timers, WATCHDOGS } from '../game/timers.ts';
import { type CameraKeeper, type CameraTarget, keepCamera } from '../recording/camera-keeper.ts';
import { type Footage, footageOf } from '../recording/footage-files.ts';
import { FOOTAGE_FILE, TICKS_AFTER_SHOT } from '../recording/plan-recording.ts';
import type { FilmEncoder } from './film-encoder.ts';
import { markedTick, type PlannedTake } from './plan-actions.ts';

/** The game's reports: the latest one, and the second in which the log was last read. */
interface Reports extends Pick<GameState, 'onReport'> {
  last(): string | null;
  since(): number;
}

export interface FilmedTakeInput extends PlannedTake {
  /** The commands that the game must have got before the film begins. */
  readonly before: ReadonlySet<string>;
  /** Where the footage is put. */
  readonly folder: string;
  /** Where the game may put its sound. */
  readonly sounds: readonly string[];
  readonly encoder: FilmEncoder;
  /** Null if the camera cannot be checked. */
  readonly target: CameraTarget | null;
  readonly timers: Timers;
  readonly onTick: (tick: number) => void;
}

export interface TakeOutcome {
  readonly footage: Footage | string;
  /** Null if the camera was not checked. */
  readonly camera: (ReturnType<CameraKeeper['finish']> & { readonly isReported: boolean }) | null;
}

/** A take at work: what the plugin's log says, whom the game reports, and the pictures so far. */
export interface FilmedTake extends PlannedTake {
  /**
   * Handles the pause of two seconds before the film. The game reports before it whom it shows, and nothing during it.
   * `isFilmingSince`: the log was read so late that the film has begun, so earlier reports may be of the film.
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
  /** The game has reported the player, and nobody after that, before the film began. */
  let isSeen = false;
  let isLate = false;
  let wasUnheard = false;
  const missed = new Set(input.before);
  return {
    recorded,
    name,
    paused(reports, isFilmingSince) {
      // From here on, a report of another player is of the film.
      if (starts > 0 || target === null) return;
      camera?.finish();
      // A report of a second before the log was read was made before the film, however late it comes.
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
        // The first pictures may show anybody, whoever was reported later.
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
      const { verdict, drifts } = camera?.finish() ?? { verdict: 'missed', drifts: [] };
      // The game reports each change. Without a report, it still shows the player whom it reported before the film.
      const judged = { verdict: verdict === 'missed' && isSeen ? ('held' as const) : verdict, drifts };
      const [late] = starts > 0 ? missed : [];
      const untold = late && `the plugin missed the tick of “${late}”`;
      return {
        footage: fault ?? untold ?? (await collect(input, starts)),
        camera: target === null ? null : { ...judged, isReported },
      };
    },
    stop() {
      encoder.stop();
      camera?.finish();
    },
  };
}

/** Returns the take's files, with the sound where the clip's is expected, or what is missing. */
async function collect({ recorded, name, folder, sounds }: FilmedTakeInput, starts: number): Promise<Footage | string> {
  const videoPath = join(folder, FOOTAGE_FILE);
  const soundPath = join(folder, 'audio.wav');
  const wav = await findSound(sounds, `${name}.wav`);
  if (starts === 0) return 'the game did not begin to film';
  // The game and the work folder may be on two disks.
  if (wav !== undefined) await rename(wav, soundPath).catch(() => copyFile(wav, soundPath));
  return footageOf(recorded, videoPath, soundPath);
}

async function findSound(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const found = (await readdir(folder, { recursive: true }).catch(() => [])).find((path) => path.endsWith(name));
    if (found !== undefined) return join(folder, found);
  }
}
