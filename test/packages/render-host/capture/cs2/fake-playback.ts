import { createPlugin, type Sequence } from './fake-plugin.ts';

const TICK_RATE = 64;
const FIRST_TICK_HEARD = 96;

export interface PlaybackState {
  /** Frames are between ticks. -1 before a demo plays. */
  position: number;
  isPaused: boolean;
  lastSeek: number;
  /** Of `host_framerate`; 0 for real time. */
  framerate: number;
}

/** What differs from game to game. Each function is asked at each seek. */
export interface Whims {
  /** Frames a second of real time. */
  readonly fps: number;
  /** Frames of playback until a seek begins, because the game queues the command. */
  lag(): number;
  /** How many ticks late a seek lands: -16 to 3, at the start of a demo up to 68 (cs-demo-manager issue 1343). */
  late(target: number): number;
  /** A seek back shows a frame of tick 0 on its way. */
  showsStart(): boolean;
  landsPaused(): boolean;
  /** A seek lasts this many frames. */
  seekFrames(target: number, isBack: boolean): number;
}

interface PlaybackHooks {
  /** A command of the game that is not about playback. */
  command(head: string, text: string): void;
  /** The game got this line, whatever it does with it. */
  ran(command: string): void;
  log(text: string): void;
  seek(target: number, isBack: boolean): void;
  landed(): void;
  /** A frame of playback was drawn. */
  drawn(): void;
  /** Whether the two seconds that the plugin sleeps are over. */
  hasSlept(): boolean;
  slept?(): void;
}

/**
 * Playback in the game with the plugin, frame by frame, as strict as they are known to be. The plugin is part of a
 * frame, and its sleep stops the game. Commands below tick 96 do nothing. Seeks land late, paused or playing; one back
 * begins at tick 0 (5stack `demo.mjs`).
 */
export function createPlayback(
  state: PlaybackState,
  /** Null without a plugin. */
  sequences: Sequence[] | null,
  whims: Whims,
  hooks: PlaybackHooks,
) {
  let seek: { readonly target: number; readonly isBack: boolean; frames: number } | null = null;
  let asked: { readonly target: number; frames: number } | null = null;

  function run(command: string): void {
    const [head = '', ...rest] = command.split(' ');
    const text = rest.join(' ');
    hooks.ran(command);
    if (head === 'demo_gototick') asked = { target: Number(rest[0]), frames: whims.lag() };
    if (asked?.frames === 0) begin(asked.target);
    if (head === 'demo_pause') state.isPaused = true;
    if (head === 'demo_resume' && seek === null) state.isPaused = false;
    if (head.startsWith('demo_') || state.position < FIRST_TICK_HEARD) return;
    if (head === 'host_framerate') state.framerate = Number(text);
    hooks.command(head, text);
  }

  function begin(target: number): void {
    asked = null;
    const isBack = target < state.position;
    hooks.seek(target, isBack);
    seek = { target, isBack, frames: whims.seekFrames(target, isBack) };
    state.isPaused = true;
  }

  function land({ target }: NonNullable<typeof seek>): void {
    seek = null;
    state.position = target + whims.late(target);
    state.lastSeek = state.position;
    // The plugin itself seeks to the start of a demo. A pause there would end each recording.
    state.isPaused = target > 0 && whims.landsPaused();
    hooks.landed();
  }

  function advance(): void {
    if (seek !== null) {
      if (seek.isBack && seek.frames === 1 && whims.showsStart()) state.position = 0;
      if (seek.frames-- <= 0) land(seek);
      return;
    }
    if (asked !== null && --asked.frames === 0) begin(asked.target);
    if (state.isPaused || state.position < 0) return;
    state.position += state.framerate > 0 ? TICK_RATE / state.framerate : TICK_RATE / whims.fps;
    hooks.drawn();
  }

  const plugin = sequences && createPlugin(sequences, { run, log: hooks.log, sleep: () => hooks.slept?.() });
  const look = (): void => {
    if (plugin === null || state.position < 0) return;
    if (!plugin.isAsleep()) plugin.look(Math.floor(state.position));
    else if (hooks.hasSlept()) plugin.wake();
  };

  return {
    isSeeking: () => seek !== null,
    /** A seek never ends. */
    isLost: () => seek?.frames === Infinity,
    /** The game's own thread sleeps: it draws nothing and reports nothing. */
    isAsleep: () => plugin?.isAsleep() ?? false,
    /** The camera can be set. */
    isMoving: () => !state.isPaused && seek === null && state.position !== state.lastSeek,
    frame(): void {
      look();
      if (!plugin?.isAsleep()) advance();
    },
  };
}
