import type { CaptureOptions } from '../../../frames/frame-source.ts';
import type { Match } from '../../../match/match.ts';
import type { Shot } from '../../../plan/shot.ts';
import type { Marker, Markers } from '../game/markers.ts';

/** A shot as the game can record it. */
export interface RecordedShot {
  readonly shot: Shot;
  /** The first and the last tick that are recorded; those of the shot wherever the game allows it. */
  readonly startTick: number;
  readonly endTick: number;
  /** The entity index of the player's controller, by which a camera is told whom to follow: his slot and one. */
  readonly slot: number;
}

/** The game skips commands on the first ticks of a demo. */
const FIRST_SAFE_TICK = 96;
/** How long before the shot playback begins: a second hides what a seek leaves on the screen. */
const LEAD_SECONDS = 1;
/**
 * Ticks after the seek. Playback goes on for some ticks once it is told to pause; `slipped` tells that it did not stop
 * at all. A camera command on the seek's own tick is lost.
 */
const AFTER_SEEK = { seeked: 2, slipped: 12, aim: 16, aimed: 28, missed: 40, record: 48 } as const;
/** The game closes a demo at its last tick, and a recorder with it. */
const SPARE_TICKS_AT_END = 16;
/** The recorder closes its files before the next seek. */
export const TICKS_AFTER_SHOT = 64;
/** How often markers tell the tick, and with that how exactly it is known whom the camera showed when. */
const TICKS_PER_MARKER = 16;

/**
 * What of the shots the game can record. Pure. Null when the demo is too short for one of them.
 */
export function planShots(
  match: Pick<Match, 'players' | 'lastTick' | 'tickRate'>,
  shots: readonly Shot[],
): readonly RecordedShot[] | null {
  const planned: RecordedShot[] = [];
  for (const shot of shots) {
    const startTick = Math.max(shot.startTick, seekTick(shot, match.tickRate) + AFTER_SEEK.record);
    const endTick = Math.min(Math.max(shot.endTick, startTick + 1), match.lastTick - SPARE_TICKS_AT_END);
    const seats = match.players[shot.pov]?.seats ?? [];
    const seat = seats.findLast(({ sinceTick }) => sinceTick <= startTick) ?? seats[0];
    if (endTick <= startTick || seat === undefined) return null;
    planned.push({ shot, startTick, endTick, slot: seat.slot + 1 });
  }
  return planned;
}

function seekTick({ startTick }: Shot, tickRate: number): number {
  return Math.max(FIRST_SAFE_TICK, startTick - Math.round(LEAD_SECONDS * tickRate));
}

/** Where playback stops once the camera is set. */
export function aimedTick({ shot }: RecordedShot, tickRate: number): number {
  return seekTick(shot, tickRate) + AFTER_SEEK.aimed;
}

/** Starts playback. Sent once more when nothing is heard of it. */
export function playCommands(demoPath: string, ready: Marker, markers: Markers): readonly string[] {
  return [
    'mirv_cmd clear',
    schedule(FIRST_SAFE_TICK, markers.say(ready)),
    // The path as the machine writes it: the game takes no other slashes here.
    `playdemo "${demoPath}"`,
  ];
}

/** First person, on the player whose controller has that entity index, every frame until it is let go. */
export function aimCommands(slot: number): readonly string[] {
  return ['spec_mode 1', `mirv_script_spec_lock ${slot}`];
}

/** Lets the camera go, whatever became of the take before. */
const RELEASE_COMMANDS: readonly string[] = ['mirv_script_spec_lock 0', 'host_framerate 0'];

/**
 * Seeks to a second before the shot and stops there. A seek may land paused or playing, by build: it is told to go on,
 * and stops by itself two ticks later.
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
    schedule(seek + AFTER_SEEK.seeked, `demo_pause; ${markers.say({ kind: 'seeked', take })}`),
    schedule(seek + AFTER_SEEK.slipped, markers.say({ kind: 'slipped', take })),
    `demo_gototick ${seek} 0 0`,
    'demo_resume',
  ];
}

export interface TakeInput {
  readonly match: Pick<Match, 'players' | 'lastTick' | 'tickRate'>;
  readonly options: CaptureOptions;
  readonly markers: Markers;
  /** Names the take: letters and digits. */
  readonly take: string;
  /** Where HLAE leaves sound and pictures; with forward slashes. */
  readonly folder: string;
  readonly footageCodec: string;
}

/** The file of a take's pictures in its folder. */
export const FOOTAGE_FILE = 'video.mkv';

/**
 * Puts the camera on the player, from where the seek has seeked, and stops again: nothing is recorded before the game
 * has said that it shows him. What is scheduled stays until it is cleared and would stop playback again where it was
 * stopped, so what the seek scheduled goes first. A camera command does nothing while playback is paused.
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
    schedule(seek + AFTER_SEEK.aimed, `demo_pause; ${markers.say({ kind: 'aimed', take })}`),
    schedule(seek + AFTER_SEEK.missed, markers.say({ kind: 'slipped', take })),
    'demo_resume',
  ];
}

/** One take of a shot, from where the camera is on the player: record, stop. */
export function takeCommands(recorded: RecordedShot, input: TakeInput): readonly string[] {
  const { match, options, markers, take, folder, footageCodec } = input;
  const { shot, startTick, endTick } = recorded;
  const lastUsed = match.lastTick - SPARE_TICKS_AT_END / 2;
  const say = (kind: Exclude<Marker['kind'], 'tick'>): string => markers.say({ kind, take });
  const name = `tickreel${take}`;
  const steamId = match.players[shot.pov]?.steamId ?? '';
  const commands = [
    'mirv_cmd clear',
    `spec_show_xray ${options.xray ? 1 : 0}`,
    `cl_draw_only_deathnotices ${options.onlyDeathnotices ? 1 : 0}`,
    // Our own killfeed takes the place of the game's, which is then off.
    `cl_drawhud_force_deathnotices ${options.ownKillfeed ? -1 : 0}`,
    'mirv_deathmsg clear',
    'mirv_deathmsg filter clear',
    `mirv_deathmsg filter add attackerMatch=x${steamId} attackerIsLocal=1`,
    `mirv_streams record fps ${options.fps}`,
    `mirv_streams record name "${folder}"`,
    `mirv_streams settings add ffmpeg ${name} "${footageCodec} {QUOTE}${folder}/${FOOTAGE_FILE}{QUOTE}"`,
    `mirv_streams record screen settings ${name}`,
    // From here on each frame is a step of the clip, so that no scheduled tick is passed by more than one.
    `host_framerate ${options.fps}`,
    schedule(startTick, `mirv_streams record start; ${say('recording')}`),
  ];
  for (let tick = startTick + TICKS_PER_MARKER; tick < endTick; tick += TICKS_PER_MARKER) {
    commands.push(schedule(tick, markers.say({ kind: 'tick', take, tick })));
  }
  commands.push(
    schedule(endTick, `mirv_streams record end; ${say('recorded')}`),
    // Ends the recording once more, in case the first end was lost.
    // Playback stops: at the end of the demo the game would close it, and what follows is not to be judged.
    schedule(Math.min(endTick + TICKS_AFTER_SHOT, lastUsed), `mirv_streams record end; demo_pause; ${say('clear')}`),
    'demo_resume',
  );
  return commands;
}

/** HLAE runs commands at the first frame past their tick, however slowly frames are recorded. */
function schedule(tick: number, commands: string): string {
  return `mirv_cmd addAtTick ${tick} "${commands}"`;
}
