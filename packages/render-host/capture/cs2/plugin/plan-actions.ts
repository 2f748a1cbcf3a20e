import type { CaptureOptions } from '../../../frames/frame-source.ts';
import { GAME_SETTINGS } from '../game/commands.ts';
import type { RecordedShot } from '../recording/plan-recording.ts';

/** A command and the tick that runs it. */
interface Action {
  readonly tick: number;
  readonly cmd: string;
}

/** What the plugin does for one shot. It runs the shots in order, each from the start of the demo. */
export interface ActionSequence {
  readonly actions: readonly Action[];
}

/** One take of a shot. */
export interface PlannedTake {
  readonly recorded: RecordedShot;
  /** The prefix of the film's files. No other take's name begins with it. */
  readonly name: string;
}

export interface ActionInput {
  readonly options: Pick<CaptureOptions, 'fps' | 'xray' | 'onlyDeathnotices' | 'ownKillfeed'>;
  readonly match: { readonly tickRate: number; readonly lastTick: number };
}

/** The game skips commands on the first ticks. Repeated, because a game that has just loaded skips ticks. */
const SETUP_TICKS = [96, 97, 98, 100, 104, 112];
/** Ticks before the shot. A camera command on the tick of a seek is lost. */
const BEFORE = { land: 65, aim: [48, 24], pause: 4 } as const;
/** Ticks that the film is longer than the shot, because it may begin a tick and a frame late. The excess is cut. */
const SPARE_TICKS = 2;
/** Ticks between two camera commands, which also show in the log where playback is. */
const TICKS_PER_MARKER = 16;
/** Ticks after the shot before the game continues with the next one, or ends. */
const LEAVE_TICKS = 64;
/** The game closes the demo at its last tick, and the film with it. */
const LAST_TICKS = 8;

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
 * Returns the plugin's action file, an array of sequences. The plugin compares ticks for equality, so it loses a
 * command if a frame skips its tick. Outside of the film a frame is half a tick. In the film each command is repeated
 * on as many ticks as a frame may skip, so commands that must not run twice are outside of it.
 */
export function planActions(takes: readonly PlannedTake[], input: ActionInput): readonly ActionSequence[] {
  return takes.map((take, index) => planTakeActions(take, input, index === takes.length - 1));
}

export function planTakeActions(
  { recorded: { startTick, endTick, slot }, name }: PlannedTake,
  { options, match: { tickRate, lastTick } }: ActionInput,
  isLast = false,
): ActionSequence {
  const actions: Action[] = [];
  const at = (tick: number, ...commands: readonly string[]): void => {
    for (const cmd of commands) actions.push({ tick, cmd });
  };
  const step = Math.ceil(tickRate / options.fps);
  const fine = `host_framerate ${2 * tickRate}`;
  const aim = ['spec_mode 1', `spec_player ${slot}`];
  const land = startTick - BEFORE.land;
  const firstAim = startTick - BEFORE.aim[0];
  const isFar = land > (SETUP_TICKS.at(-1) ?? 0) + BEFORE.land;
  for (const tick of SETUP_TICKS.filter((one) => one < startTick - BEFORE.pause)) {
    at(tick, ...GAME_SETTINGS, fine);
    // Outlines during a seek crashed the game. Some builds pause after a seek, and would never reach the next ticks.
    if (isFar) at(tick, 'spec_show_xray 0', `demo_gototick ${land} 0 0`, 'demo_resume');
  }
  if (isFar) for (const tick of [land, land + 1]) at(tick, 'demo_resume');
  at(
    firstAim,
    `spec_show_xray ${options.xray ? 1 : 0}`,
    `cl_draw_only_deathnotices ${options.onlyDeathnotices ? 1 : 0}`,
    `cl_drawhud_force_deathnotices ${options.ownKillfeed ? -1 : 0}`,
  );
  for (const before of BEFORE.aim) at(startTick - before, ...aim);
  at(startTick - BEFORE.pause, 'pause_playback');
  at(startTick, `host_framerate ${options.fps}`, `startmovie ${name}`);
  for (let tick = startTick + TICKS_PER_MARKER; tick < endTick; tick += TICKS_PER_MARKER) {
    for (let late = 0; late < step; late++) at(tick + late, ...aim, `echo ${MARKER}${tick + late}`);
  }
  const end = endTick + SPARE_TICKS;
  for (let late = 0; late < step; late++) at(end + late, 'endmovie', fine, 'spec_show_xray 0');
  const pause = end + step + 1;
  at(pause, 'pause_playback');
  const leave = Math.max(pause + 2, Math.min(endTick + LEAVE_TICKS, lastTick - LAST_TICKS));
  at(leave, isLast ? 'quit' : 'go_to_next_sequence');
  if (isLast) at(leave + 1, 'quit');
  return { actions };
}
