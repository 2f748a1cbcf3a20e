import type { CaptureOptions } from '../../../frames/frame-source.ts';
import type { Match } from '../../../match/match.ts';
import type { Shot } from '../../../plan/shot.ts';
import type { Marker, Markers } from '../game/markers.ts';

/** What a driver does, one after the other. */
export type Step =
  | { readonly kind: 'send'; readonly command: string }
  | { readonly kind: 'await'; readonly marker: Marker }
  /** Milliseconds of real time. */
  | { readonly kind: 'rest'; readonly ms: number };

/** A shot as the game can record it. */
export interface RecordedShot {
  readonly shot: Shot;
  /** The first and the last tick that are recorded; those of the shot wherever the game allows it. */
  readonly startTick: number;
  readonly endTick: number;
  /** `spec_player` counts from 1. */
  readonly slot: number;
}

export interface RecordingPlan {
  /** Before playback. */
  readonly setup: readonly Step[];
  /** Starts playback. Sent once more when nothing is heard of it. */
  readonly play: readonly Step[];
  readonly shots: readonly RecordedShot[];
}

export interface PlanInput {
  readonly match: Pick<Match, 'players' | 'lastTick' | 'tickRate'>;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
  readonly demoPath: string;
  readonly markers: Markers;
}

/** The game skips commands on the first ticks of a demo. */
const FIRST_SAFE_TICK = 96;
/** How long before the shot playback begins: a second hides what a seek leaves on the screen. */
const LEAD_SECONDS = 1;
/**
 * Ticks after the seek. A camera command on the seek's own tick is lost; the second `spec_player` catches a lost first.
 */
const AFTER_SEEK = { seeked: 2, mode: 8, player: 12, aimed: 16, again: 24, record: 32 } as const;
/** The game closes a demo at its last tick, and a recorder with it. */
const SPARE_TICKS_AT_END = 16;
/** The recorder closes its files before the next seek. */
const TICKS_BETWEEN_SHOTS = 64;
/** The loading tint is gone after this much real time. */
const REST_MS = 1500;

/**
 * Decides the commands for recording shots, in order (docs/gpu-host.md, after what the open recorders do). Pure.
 * Null when the demo is too short for one of its shots.
 */
export function planRecording({ match, shots, options, demoPath, markers }: PlanInput): RecordingPlan | null {
  const planned: RecordedShot[] = [];
  for (const shot of shots) {
    const recorded = clampShot(match, shot);
    if (recorded === null) return null;
    planned.push(recorded);
  }
  return {
    setup: [
      ...SETUP.map(send),
      ...pictureCommands(options).map(send),
      ...['mirv_streams record screen enabled 1', 'mirv_streams record startMovieWav 1'].map(send),
      send(`mirv_streams record fps ${options.fps}`),
    ],
    play: [
      send('mirv_cmd clear'),
      schedule(FIRST_SAFE_TICK, markers.say({ kind: 'ready' })),
      // The path as the machine writes it: the game takes no other slashes here.
      send(`playdemo "${demoPath}"`),
    ],
    shots: planned,
  };
}

const SETUP = [
  'sv_cheats 1',
  'demo_ui_mode 0',
  'volume 1',
  'engine_no_focus_sleep 0',
  'r_show_build_info 0',
  'cl_trueview_show_status 0',
  'demo_quitafterplayback 0',
  'spec_autodirector 0',
];

/** The clip's options in the game's words. Our own killfeed takes the place of the game's, which is then off. */
function pictureCommands({ xray, onlyDeathnotices, ownKillfeed }: CaptureOptions): string[] {
  return [
    `spec_show_xray ${xray ? 1 : 0}`,
    `cl_draw_only_deathnotices ${onlyDeathnotices ? 1 : 0}`,
    `cl_drawhud_force_deathnotices ${ownKillfeed ? -1 : 0}`,
  ];
}

function clampShot({ players, lastTick, tickRate }: PlanInput['match'], shot: Shot): RecordedShot | null {
  const seek = seekTick(shot.startTick, tickRate);
  const startTick = Math.max(shot.startTick, seek + AFTER_SEEK.record);
  const latestEnd = lastTick - SPARE_TICKS_AT_END;
  const endTick = Math.min(Math.max(shot.endTick, startTick + 1), latestEnd);
  const seats = players[shot.pov]?.seats ?? [];
  const seat = seats.findLast(({ sinceTick }) => sinceTick <= startTick) ?? seats[0];
  return endTick <= startTick || seat === undefined ? null : { shot, startTick, endTick, slot: seat.slot + 1 };
}

function seekTick(startTick: number, tickRate: number): number {
  return Math.max(FIRST_SAFE_TICK, startTick - Math.round(LEAD_SECONDS * tickRate));
}

export interface TakeInput extends Pick<PlanInput, 'match' | 'options' | 'markers'> {
  /** Names the take: letters and digits. */
  readonly take: string;
  /** Where HLAE leaves sound and pictures; with forward slashes. */
  readonly folder: string;
  readonly footageCodec: string;
}

/** The file of a take's pictures in its folder. */
export const FOOTAGE_FILE = 'video.mkv';

/**
 * One take of a shot: seek, aim the camera, record, stop. Scheduled commands stay until they are cleared and
 * would stop playback again where it was stopped, so each stretch clears those of the stretch before.
 */
export function planTake(recorded: RecordedShot, input: TakeInput): readonly Step[] {
  const { match, options, markers, take, folder, footageCodec } = input;
  const { startTick, endTick, slot } = recorded;
  const seek = seekTick(recorded.shot.startTick, match.tickRate);
  const say = (kind: 'seeked' | 'aimed' | 'recording' | 'recorded' | 'clear'): string => markers.say({ kind, take });
  const name = `tickreel${take}`;
  const steps: Step[] = [
    send('mirv_cmd clear'),
    schedule(seek + AFTER_SEEK.seeked, `demo_pause; ${say('seeked')}`),
    send(`demo_gototick ${seek}`),
    { kind: 'await', marker: { kind: 'seeked', take } },
    send('mirv_cmd clear'),
    { kind: 'rest', ms: REST_MS },
    ...pictureCommands(options).map(send),
    send(`mirv_streams record name "${folder}"`),
    send(`mirv_streams settings add ffmpeg ${name} "${footageCodec} {QUOTE}${folder}/${FOOTAGE_FILE}{QUOTE}"`),
    send(`mirv_streams record screen settings ${name}`),
    schedule(seek + AFTER_SEEK.mode, 'spec_mode 1'),
    schedule(seek + AFTER_SEEK.player, `spec_player ${slot}`),
    schedule(seek + AFTER_SEEK.aimed, say('aimed')),
    schedule(seek + AFTER_SEEK.again, `spec_player ${slot}`),
    schedule(startTick, `mirv_streams record start; ${say('recording')}`),
  ];
  for (let tick = startTick + match.tickRate; tick < endTick; tick += match.tickRate) {
    steps.push(schedule(tick, markers.say({ kind: 'tick', take, tick })));
  }
  steps.push(
    schedule(endTick, `mirv_streams record end; ${say('recorded')}`),
    schedule(Math.min(endTick + TICKS_BETWEEN_SHOTS, match.lastTick - SPARE_TICKS_AT_END / 2), say('clear')),
    // A camera command does nothing while playback is paused, so it goes on before the camera is set.
    send('demo_resume'),
    { kind: 'await', marker: { kind: 'aimed', take } },
    { kind: 'await', marker: { kind: 'recording', take } },
    { kind: 'await', marker: { kind: 'recorded', take } },
    { kind: 'await', marker: { kind: 'clear', take } },
  );
  return steps;
}

function send(command: string): Step {
  return { kind: 'send', command };
}

/** HLAE runs a command when playback passes its tick, exact to the tick and however slowly frames are recorded. */
function schedule(tick: number, commands: string): Step {
  return send(`mirv_cmd addAtTick ${tick} "${commands}"`);
}
