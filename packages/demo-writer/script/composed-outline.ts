import type { ScriptedEvent } from './game-events.ts';
import type { RoundEndReason, ScriptedPlayer, Team } from './scripted-match.ts';

/** A kill to be written as shot, wound and death. Players are positions in the list of players. */
export interface ComposedKill {
  readonly tick: number;
  /** null: the world. The victim itself: suicide. */
  readonly attacker: number | null;
  readonly victim: number;
  readonly assister?: number;
  /** Without `weapon_`; `ak47` where left out. */
  readonly weapon?: string;
  readonly headshot?: boolean;
  readonly wallbang?: boolean;
  readonly noScope?: boolean;
  readonly throughSmoke?: boolean;
  readonly attackerBlind?: boolean;
  /** The event does not know the attacker any more, only his body. */
  readonly attackerGone?: boolean;
}

export interface ComposedRound {
  readonly startTick: number;
  /** Two seconds after the start where left out; null leaves the event out. */
  readonly freezeEndTick?: number | null;
  /** Left out, the recording stops before the round is decided. */
  readonly endTick?: number;
  /** Five seconds after the end where left out; null leaves the event out. */
  readonly officialEndTick?: number | null;
  /** `CT` where left out; null is a draw. */
  readonly winner?: Team | null;
  readonly reason?: RoundEndReason;
  /** Nobody has any money, as in a knife round. */
  readonly isBroke?: boolean;
}

export interface MatchOutline {
  readonly map?: string;
  readonly gameDirectory?: string;
  readonly patchVersion?: number;
  /** The first half of them are terrorists. */
  readonly players?: readonly ScriptedPlayer[];
  /** Warm-up lasts until this tick; left out, there is none. */
  readonly warmupEndTick?: number;
  readonly rounds?: readonly ComposedRound[];
  readonly kills?: readonly ComposedKill[];
  /**
   * Further warm-ups: an administrator's. The match goes on with the scoreboard it had, unless `scores` says otherwise.
   */
  readonly warmups?: readonly { readonly startTick: number; readonly endTick: number }[];
  /** The scoreboard becomes another: a restart, or a backup that is loaded. */
  readonly scores?: readonly { readonly tick: number; readonly T: number; readonly CT: number }[];
  /** Ticks at which the teams change sides. */
  readonly sideSwaps?: readonly number[];
  readonly pauses?: readonly { readonly startTick: number; readonly endTick: number }[];
  /** A player (a position in the list) leaves, or sits down in another slot. */
  readonly seats?: readonly { readonly tick: number; readonly player: number; readonly slot: number | null }[];
  /** A dead player takes over a bot for the rest of the round. */
  readonly takeovers?: readonly { readonly tick: number; readonly player: number; readonly bot: number }[];
  /** Two floors over each other, at these heights: the first half of the players walk below, the others above them. */
  readonly floors?: readonly [lower: number, upper: number];
  /** Anything else. */
  readonly extraEvents?: readonly { readonly tick: number; readonly event: ScriptedEvent }[];
  /** Five seconds after the last of the above where left out. */
  readonly lastTick?: number;
}
