import { GAME_SETTINGS, type PictureOptions, pictureSettings } from '../game/commands.ts';
import { FIRST_SAFE_TICK, type RecordedShot } from '../recording/plan-recording.ts';

/** A command and the tick that runs it. */
interface Action {
  readonly tick: number;
  readonly cmd: string;
}

/** What the plugin does for one shot. It runs the shots in order, each from the start of the demo. */
export interface ActionSequence {
  readonly actions: readonly Action[];
}

export interface PlannedTake {
  readonly recorded: RecordedShot;
  /** The prefix of the film's files. No other take's name begins with it. */
  readonly name: string;
}

export interface ActionInput {
  readonly options: PictureOptions;
  readonly match: { readonly tickRate: number; readonly lastTick: number };
}

/**
 * Frames of a tick shortly before and after the film. Playback is then half as fast as real time at 120 frames a
 * second, so that the game has time to report whom it shows. Elsewhere outside of the film a frame is one tick, so that
 * actions of different ticks have a frame each.
 */
const FRAMES_PER_TICK = 4;
/** The tick of the first command after the speed is set, which is 13 ticks late in a game at 5 frames a second. */
const SETUP_TICK = 144;
/** Ticks from its target at which a seek may land. After a late landing, the plugin runs all skipped actions. */
const LANDING = { earliest: -16, latest: 3 } as const;
/** Ticks before the film. A camera command on the tick of a seek is lost. */
const BEFORE = { land: 96, setup: 88, aim: 80, pause: 4 } as const;
const TICKS_PER_AIM = { before: 16, film: 4 } as const;
/** Ticks that the film is longer than the shot, because it may begin a tick and a frame late. The excess is cut. */
const SPARE_TICKS = 2;
/** Ticks between two markers, which show in the log where playback is. */
const TICKS_PER_MARKER = 16;
/** Ticks after the shot before the game continues or ends. Meanwhile it reports whom the film showed last. */
const LEAVE_TICKS = 64;
/** Ticks that still play before a seek back begins. They run actions of the next sequence: none after `RETURN`. */
const RETURN_TICKS = 32;
/** Seeks back once more, if the next sequence has actions in these ticks. */
const RETURN: ActionSequence = { actions: [{ tick: FIRST_SAFE_TICK, cmd: 'go_to_next_sequence' }] };
/** The game closes the demo at its last tick, and the film with it. */
const LAST_TICKS = 8;
/** Frames of playback before and after a film. */
export const FRAMES_AROUND = SETUP_TICK + (BEFORE.land + LEAVE_TICKS) * FRAMES_PER_TICK;
/** The first tick that can be filmed. Before it, the game needs a second to report the player. */
export const FIRST_FILM_TICK = SETUP_TICK + 32;

/**
 * Returns the commands that the game must have got before a shot is filmed; the log shows whether it did. A plugin that
 * missed a tick would film with voices, with the HUD of the signed-in user, or at another speed.
 */
export function commandsBefore({ actions }: ActionSequence): ReadonlySet<string> {
  const film = actions.findIndex(({ cmd }) => cmd.startsWith('startmovie '));
  const unlogged = ['pause_playback', 'demo_resume'];
  return new Set(actions.slice(0, film).flatMap(({ cmd }) => (unlogged.includes(cmd) ? [] : cmd)));
}

const MARKER = 'tickreel.tick.';

/** Returns the tick that a camera command marks; null for other commands. */
export function markedTick(command: string): number | null {
  const found = new RegExp(`^echo ${MARKER.replaceAll('.', '\\.')}(\\d+)$`).exec(command);
  return found === null ? null : Number(found[1]);
}

/**
 * Returns the plugin's action file, an array of sequences. The plugin must be of March 2026 or newer: it runs in each
 * frame all actions of the ticks since the last one, so none is lost. There is one seek, ahead: a seek back replays the
 * demo from its start, and its actions run again.
 */
export function planActions(takes: readonly PlannedTake[], input: ActionInput): readonly ActionSequence[] {
  const sequences = takes.map((take, index) => planTakeActions(take, input, index === takes.length - 1));
  return sequences.flatMap((sequence, index) => {
    const left = sequence.actions.at(-1)?.tick ?? 0;
    const isLate = ({ tick }: Action): boolean => tick > left && tick <= left + RETURN_TICKS;
    return sequences[index + 1]?.actions.some(isLate) ? [sequence, RETURN] : [sequence];
  });
}

export function planTakeActions(
  { recorded: { startTick, endTick, slot, fps }, name }: PlannedTake,
  { options, match: { tickRate, lastTick } }: ActionInput,
  isLast = false,
): ActionSequence {
  const actions: Action[] = [];
  const at = (tick: number, ...commands: readonly string[]): void => {
    for (const cmd of commands) actions.push({ tick, cmd });
  };
  const [step, slow] = [`host_framerate ${tickRate}`, `host_framerate ${tickRate * FRAMES_PER_TICK}`];
  const land = startTick - BEFORE.land;
  const isFar = land > SETUP_TICK + BEFORE.land;
  at(FIRST_SAFE_TICK, 'sv_cheats 1', step);
  if (isFar) {
    // Outlines during a seek crashed the game.
    at(SETUP_TICK, 'spec_show_xray 0', `demo_gototick ${land} 0 0`);
    // Some builds pause after a seek. A frame before its end may run some of these.
    for (let late: number = LANDING.earliest; late <= LANDING.latest; late++) at(land + late, 'demo_resume');
  }
  at(
    isFar ? startTick - BEFORE.setup : SETUP_TICK,
    ...GAME_SETTINGS,
    slow,
    'cl_interp_ratio 1',
    ...pictureSettings(options),
  );
  const aim = ['spec_mode 1', `spec_player ${slot}`];
  for (
    let tick = Math.max(startTick - BEFORE.aim, SETUP_TICK + 1);
    tick < startTick - BEFORE.pause;
    tick += TICKS_PER_AIM.before
  )
    at(tick, ...aim);
  at(startTick - BEFORE.pause, 'pause_playback');
  at(startTick, `host_framerate ${fps}`, `startmovie ${name}`);
  for (let tick = startTick + 1; tick <= endTick; tick++) {
    if ((tick - startTick - 1) % TICKS_PER_AIM.film === 0) at(tick, `spec_player ${slot}`);
    if ((tick - startTick) % TICKS_PER_MARKER === 0) at(tick, `echo ${MARKER}${tick}`);
  }
  const end = endTick + SPARE_TICKS;
  at(end, step);
  // A frame of the film may be that long. From then on a frame is a tick, so `endmovie` has its own.
  const stop = end + Math.ceil(tickRate / fps) + 1;
  at(stop, 'endmovie', slow, 'spec_show_xray 0');
  const leave = Math.max(stop + 2, Math.min(endTick + LEAVE_TICKS, lastTick - LAST_TICKS));
  if (isLast) at(leave, 'quit');
  else at(leave, step, 'go_to_next_sequence');
  return { actions };
}
