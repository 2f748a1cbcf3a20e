/** The faults between one seek and the next. */
export interface Faults {
  /** The seek ends paused or playing at random, whatever was asked. */
  readonly landsAsItLikes: boolean;
  readonly landsPaused: boolean;
  readonly crash: boolean;
  readonly noPictures: boolean;
  readonly wrongSize: boolean;
  readonly sound: 'good' | 'missing' | 'silent' | 'short';
  readonly driftFrames: number;
  /** Frames of the take; infinity for never. */
  readonly stuckAt: number;
  readonly frozenFrom: number;
  readonly blackFrom: number;
  driftAt(take: number): number;
  framesLost(frames: number): number;
  dropsMarker(commands: string, random: () => number): boolean;
}

/** Returns the faults of the modes; with `isHard` also random ones. */
export function pickFaults(modes: ReadonlySet<string>, isHard: boolean, random: () => number): Faults {
  const chance = (mode: string, part: number): boolean => modes.has(mode) || (isHard && random() < part);
  const at = (mode: string, part: number): number => (chance(mode, part) ? Math.floor(random() * 20) : Infinity);
  const drift = chance('drifts', 0.04) || modes.has('drifts-once') ? 5 + Math.floor(random() * 10) : Infinity;
  const loses = chance('loses-half', 0.01) ? 0.5 : 0;
  const losesFew = modes.has('loses-a-frame') ? 1 : chance('loses-frames', 0.01) ? 4 : 0;
  const sounds = (['missing', 'silent', 'short'] as const).find((kind) => chance(`sound-${kind}`, 0.01));
  const isDropping = chance('drops-markers', 0.03);
  const dropPart = modes.has('drops-markers') ? 0.5 : 0.2;
  return {
    landsAsItLikes: isHard || modes.has('lands-paused'),
    landsPaused: modes.has('lands-paused'),
    crash: chance('crash', 0.01),
    noPictures: chance('no-footage', 0.01),
    wrongSize: chance('wrong-size', 0.01),
    sound: sounds ?? 'good',
    driftFrames: 1 + Math.floor(random() * 30),
    stuckAt: modes.has('stands-still') ? 20 : at('stuck', 0.01),
    frozenFrom: at('frozen', 0.01),
    blackFrom: at('black', 0.01),
    driftAt: (take) => (modes.has('drifts-once') && take > 1 ? Infinity : drift),
    framesLost: (frames) => (loses > 0 ? frames * loses + 1 : losesFew),
    dropsMarker: (commands, chanceOf) => isDropping && commands.includes('echo') && chanceOf() < dropPart,
  };
}

/** Chat and names of players. None of it is the game's own message. */
export const CHAT = [
  "[ALL] Ann: Unknown command 'mirv_cmd'!",
  '[ALL] Ann: NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE',
  '[CT] [Client] CL:  Disconnecting from server: NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE: hi',
  'GetClassBaseline failed connected',
  '[ALL] Bo: tickreel.000000000000.clear.0',
  '[ALL] Bo: FATAL ERROR: CopyNewEntity: invalid class index (210), out of range 0',
];
