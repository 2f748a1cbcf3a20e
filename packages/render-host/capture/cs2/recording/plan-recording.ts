import { lowestSpeed, stretchesOf } from '#domain/clip/plan/shot-time.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { Match } from '../../../match/match.ts';
import { pictureSettings } from '../game/commands.ts';
import type { Marker, Markers } from '../game/game-console.ts';

/** A shot as the game can record it. */
export interface RecordedShot {
  readonly shot: Shot;
  /** The first and last recorded tick: the shot's, as far as the game allows. */
  readonly startTick: number;
  readonly endTick: number;
  /** The entity index of the player's controller, by which the camera follows them: their slot and one. */
  readonly slot: number;
  /** Frames a second of the film, in the time of the game: the clip's, or more in slow motion. */
  readonly fps: number;
}

/** The game skips commands on the first ticks of a demo. */
export const FIRST_SAFE_TICK = 96;
/** How long before the shot playback begins. A second hides what a seek leaves on the screen. */
const LEAD_SECONDS = 1;
/**
 * Ticks after the seek. Playback goes on for some ticks after a pause command; `slipped` shows that it did not stop at
 * all. A camera command on the seek's own tick is lost.
 */
const AFTER_SEEK = { seeked: 2, slipped: 12, aim: 16, aimed: 28, missed: 40, record: 48 } as const;
/** The game closes a demo at its last tick, and ends the recorder with it. */
const SPARE_TICKS_AT_END = 16;
/** The recorder closes its files before the next seek. */
export const TICKS_AFTER_SHOT = 64;
/** How often a marker reports the tick: the accuracy with which reports of the camera are assigned to ticks. */
const TICKS_PER_MARKER = 16;

/** The first tick that HLAE can record. */
const FIRST_TICK = FIRST_SAFE_TICK + AFTER_SEEK.record;

/**
 * Returns the recordable part of each shot; null if the demo is too short for one of them. `fps` is the clip's. Pure.
 */
export function planRecordedShots(
  match: Pick<Match, 'players' | 'lastTick' | 'tickRate'>,
  shots: readonly Shot[],
  fps: number,
  firstTick = FIRST_TICK,
): readonly RecordedShot[] | null {
  const planned: RecordedShot[] = [];
  for (const shot of shots) {
    const startTick = Math.max(shot.startTick, firstTick);
    const endTick = Math.min(Math.max(shot.endTick, startTick + 1), match.lastTick - SPARE_TICKS_AT_END);
    const seats = match.players[shot.pov]?.seats ?? [];
    const seat = seats.findLast(({ sinceTick }) => sinceTick <= startTick) ?? seats[0];
    if (endTick <= startTick || seat === undefined) return null;
    planned.push({ shot, startTick, endTick, slot: seat.slot + 1, fps: filmFps(shot, fps) });
  }
  return planned;
}

/** The most frames a second of a film. Each takes the game as long as any other frame of a clip. */
const MOST_FPS = 600;

/**
 * Returns the frames a second of a film from which each frame of the clip can show one of its own. At the slowest speed
 * the film's frames are exactly the clip's. Where the speed changes, there are at least twice as many as the clip has:
 * the nearest ones of fewer are unevenly far apart.
 */
function filmFps(shot: Shot, fps: number): number {
  const slowest = lowestSpeed(shot);
  const least = stretchesOf(shot).every(({ from, to }) => from === to) ? 1 : 2;
  return Math.min((fps * Math.ceil(least * slowest)) / slowest, MOST_FPS);
}

/** Returns the number of frames of the films of all shots. */
export function filmFrames(shots: readonly RecordedShot[], tickRate: number): number {
  return shots.reduce((sum, { startTick, endTick, fps }) => sum + ((endTick - startTick) / tickRate) * fps, 0);
}

function seekTick({ startTick }: Shot, tickRate: number): number {
  return Math.max(FIRST_SAFE_TICK, startTick - Math.round(LEAD_SECONDS * tickRate));
}

/** The tick where playback stops once the camera is set. */
export function aimedTick({ shot }: RecordedShot, tickRate: number): number {
  return seekTick(shot, tickRate) + AFTER_SEEK.aimed;
}

/** Returns the commands that start playback. They are sent again if there is no answer. */
export function playCommands(demoPath: string, ready: Marker, markers: Markers): readonly string[] {
  return [
    'mirv_cmd clear',
    schedule(FIRST_SAFE_TICK, markers.commandFor(ready)),
    // The path with the slashes of this system: the game accepts no others here.
    `playdemo "${demoPath}"`,
  ];
}

/** Shows the first-person view of the player with that controller, in each frame until the release. */
export function aimCommands(slot: number): readonly string[] {
  return ['spec_mode 1', `mirv_script_spec_lock ${slot}`];
}

/** Releases the camera, whatever happened to the take before. */
const RELEASE_COMMANDS: readonly string[] = ['mirv_script_spec_lock 0', 'host_framerate 0'];

/**
 * Returns the commands that seek to a second before the shot and stop there. By build, a seek ends paused or playing,
 * so playback is resumed and then stopped two ticks later.
 */
export function seekCommands(
  { shot }: RecordedShot,
  take: string,
  tickRate: number,
  markers: Markers,
): readonly string[] {
  const seek = seekTick(shot, tickRate);
  return [
    ...RELEASE_COMMANDS,
    'spec_show_xray 0',
    'mirv_cmd clear',
    schedule(seek + AFTER_SEEK.seeked, `demo_pause; ${markers.commandFor({ kind: 'seeked', take })}`),
    schedule(seek + AFTER_SEEK.slipped, markers.commandFor({ kind: 'slipped', take })),
    `demo_gototick ${seek} 0 0`,
    'demo_resume',
  ];
}

export interface TakeInput {
  readonly match: Pick<Match, 'players' | 'lastTick' | 'tickRate'>;
  readonly options: CaptureOptions;
  readonly markers: Markers;
  /** The name of the take: letters and digits. */
  readonly take: string;
  /** The folder for HLAE's sound and pictures, with forward slashes. */
  readonly folder: string;
  readonly footageCodec: string;
}

/** The file of a take's pictures. */
export const FOOTAGE_FILE = 'video.mkv';

/**
 * Returns the commands that put the camera on the player, from the tick of the seek, and stop again: nothing is
 * recorded before the game has reported the player. Scheduled commands stay until they are cleared, and would stop
 * playback again, so those of the seek are cleared first. Camera commands do nothing while playback is paused.
 */
export function aimAtCommands(
  { shot, slot }: RecordedShot,
  take: string,
  tickRate: number,
  markers: Markers,
): readonly string[] {
  const seek = seekTick(shot, tickRate);
  return [
    'mirv_cmd clear',
    ...aimCommands(slot).map((command) => schedule(seek + AFTER_SEEK.aim, command)),
    schedule(seek + AFTER_SEEK.aimed, `demo_pause; ${markers.commandFor({ kind: 'aimed', take })}`),
    schedule(seek + AFTER_SEEK.missed, markers.commandFor({ kind: 'slipped', take })),
    'demo_resume',
  ];
}

/** Returns the commands of one take, which begins with the camera on the player: record, then stop. */
export function takeCommands(recorded: RecordedShot, input: TakeInput): readonly string[] {
  const { match, options, markers, take, folder, footageCodec } = input;
  const { shot, startTick, endTick, fps } = recorded;
  const lastUsed = match.lastTick - SPARE_TICKS_AT_END / 2;
  const say = (kind: Exclude<Marker['kind'], 'tick'>): string => markers.commandFor({ kind, take });
  const name = `tickreel${take}`;
  const steamId = match.players[shot.subject]?.steamId ?? '';
  const commands = [
    'mirv_cmd clear',
    ...pictureSettings(options),
    'mirv_deathmsg clear',
    'mirv_deathmsg filter clear',
    `mirv_deathmsg filter add attackerMatch=x${steamId} attackerIsLocal=1`,
    'cl_interp_ratio 1',
    `mirv_streams record fps ${fps}`,
    `mirv_streams record name "${folder}"`,
    `mirv_streams settings add ffmpeg ${name} "${footageCodec} {QUOTE}${folder}/${FOOTAGE_FILE}{QUOTE}"`,
    `mirv_streams record screen settings ${name}`,
    // From here on each frame is one step of the film, so no scheduled tick is missed by more than one.
    `host_framerate ${fps}`,
    schedule(startTick, `mirv_streams record start; ${say('recording')}`),
  ];
  for (let tick = startTick + TICKS_PER_MARKER; tick < endTick; tick += TICKS_PER_MARKER) {
    commands.push(schedule(tick, markers.commandFor({ kind: 'tick', take, tick })));
  }
  commands.push(
    schedule(endTick, `mirv_streams record end; ${say('recorded')}`),
    // Ends the recording again, in case the first command was lost. Playback stops, because the game would close the
    // demo at its end, and later reports must not count.
    schedule(Math.min(endTick + TICKS_AFTER_SHOT, lastUsed), `mirv_streams record end; demo_pause; ${say('clear')}`),
    'demo_resume',
  );
  return commands;
}

/**
 * Schedules commands for the first frame from a tick on, however slow recording is. HLAE runs a command in the first
 * frame past its tick, as 32-bit floats. From tick 16 on, none of them lies between `N - 1`.999999 and N.
 */
function schedule(tick: number, commands: string): string {
  return `mirv_cmd addAtTick ${tick - 1}.999999 "${commands}"`;
}
