import type { ScriptedEvent } from './game-events.ts';
import type { RoundEndReason, ScriptedPlayer, Team } from './scripted-match.ts';

/** A kill, written as shot, wound and death. Players are positions in the list of players. */
export interface ComposedKill {
  readonly tick: number;
  /** null is the world. The victim is a suicide. */
  readonly attacker: number | null;
  readonly victim: number;
  readonly assister?: number;
  /** Without `weapon_`; default `ak47`. */
  readonly weapon?: string;
  readonly headshot?: boolean;
  readonly wallbang?: boolean;
  readonly noScope?: boolean;
  readonly throughSmoke?: boolean;
  readonly attackerBlind?: boolean;
  /** The event has lost the attacker's id, and has only their body. */
  readonly attackerGone?: boolean;
  /** The recording has lost the event of the death. */
  readonly deathLost?: boolean;
}

export interface ComposedRound {
  readonly startTick: number;
  /** Default two seconds after the start; null leaves the event out. */
  readonly freezeEndTick?: number | null;
  /** Without it, the recording stops before the round is decided. */
  readonly endTick?: number;
  /** Default five seconds after the end; null leaves the event out. */
  readonly officialEndTick?: number | null;
  /** Default `CT`; null is a draw. */
  readonly winner?: Team | null;
  readonly reason?: RoundEndReason;
  /** All players have no money, as in a knife round. */
  readonly isBroke?: boolean;
}

export interface MatchOutline {
  readonly map?: string;
  readonly gameDirectory?: string;
  readonly patchVersion?: number;
  /** The first half of them are terrorists. */
  readonly players?: readonly ScriptedPlayer[];
  /** The end of the warm-up; without it there is none. */
  readonly warmupEndTick?: number;
  readonly rounds?: readonly ComposedRound[];
  readonly kills?: readonly ComposedKill[];
  /** Further warm-ups, of an administrator. The match continues with its scoreboard, unless `scores` changes it. */
  readonly warmups?: readonly { readonly startTick: number; readonly endTick: number }[];
  /** The scoreboard changes: a restart, or a backup that is loaded. */
  readonly scores?: readonly { readonly tick: number; readonly T: number; readonly CT: number }[];
  /** Ticks at which the teams swap sides. */
  readonly sideSwaps?: readonly number[];
  readonly pauses?: readonly { readonly startTick: number; readonly endTick: number }[];
  /** A player (a position in the list) leaves, or moves to another slot. */
  readonly seats?: readonly { readonly tick: number; readonly player: number; readonly slot: number | null }[];
  /** A player (a position in the list) loses the connection. */
  readonly losses?: readonly { readonly tick: number; readonly player: number }[];
  /** From that tick on, a player (a position in the list) coaches their side. */
  readonly coaches?: readonly { readonly tick: number; readonly player: number }[];
  /** A dead player takes over a bot for the rest of the round. */
  readonly takeovers?: readonly { readonly tick: number; readonly player: number; readonly bot: number }[];
  /**
   * Heights of two overlapping floors: the first half of the players walk on the lower one, the others on the upper
   * one.
   */
  readonly floors?: readonly [lower: number, upper: number];
  /** Further events. */
  readonly extraEvents?: readonly { readonly tick: number; readonly event: ScriptedEvent }[];
  /** Default five seconds after the last of the above. */
  readonly lastTick?: number;
}
