import type { CaptureOptions } from '../../../frames/frame-source.ts';
import { GAME_SETTINGS } from '../game/commands.ts';
import type { RecordedShot } from '../recording/plan-recording.ts';

/** A command and the tick that it is run at. */
interface Action {
  readonly tick: number;
  readonly cmd: string;
}

/** What the plugin does for one shot. It goes through the shots in order, each from the start of the demo. */
export interface ActionSequence {
  readonly actions: readonly Action[];
}

/** One take of a shot. */
export interface PlannedTake {
  readonly recorded: RecordedShot;
  /** Of the film's files; no name of another take begins with it. */
  readonly name: string;
}

export interface ActionInput {
  readonly options: Pick<CaptureOptions, 'fps' | 'xray' | 'onlyDeathnotices' | 'ownKillfeed'>;
  readonly match: { readonly tickRate: number; readonly lastTick: number };
}

/** The game skips commands on the first ticks. Said again, for a game that has just loaded stutters past ticks. */
const SETUP_TICKS = [96, 97, 98, 100, 104, 112];
/** Ticks before the shot. A camera command on the tick of a seek is lost. */
const BEFORE = { land: 65, aim: [48, 24], pause: 4 } as const;
/** The film ends this late, for it may have begun a tick and a frame late; what is too much is cut. */
const SPARE_TICKS = 2;
/** Ticks between two commands of the camera, which tell in the log where playback is, too. */
const TICKS_PER_MARKER = 16;
/** After the shot: the game goes on with the next one, or ends. */
const LEAVE_TICKS = 64;
/** The game closes the demo at its last tick, and the film with it. */
const LAST_TICKS = 8;

/**
 * What the game must have been told before a shot is filmed; the log says whether it was. A plugin that missed a tick
 * would else film with voices, with the HUD of whoever is signed in, or at another speed.
 */
export function commandsBefore({ actions }: ActionSequence): ReadonlySet<string> {
  const film = actions.findIndex(({ cmd }) => cmd.startsWith('startmovie '));
  const unlogged = ['pause_playback', 'demo_resume'];
  return new Set(actions.slice(0, film).flatMap(({ cmd }) => (unlogged.includes(cmd) ? [] : cmd)));
}

const MARKER = 'tickreel.tick.';

/** The tick that a command of the camera's marks; null for any other command. */
export function markedTick(command: string): number | null {
  const found = new RegExp(`^echo ${MARKER.replaceAll('.', '\\.')}(\\d+)$`).exec(command);
  return found === null ? null : Number(found[1]);
}

/**
 * The plugin's action file, as an array of sequences. The plugin compares ticks for equality: a command whose tick a
 * frame steps over is lost. So outside of the film a frame is half a tick, and inside of it whatever is said is said
 * on as many ticks as a frame may step over. What must not be done twice is done outside.
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
    // Outlines during a seek crashed the game. A seek may land paused, by build: then the next ticks never come.
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
