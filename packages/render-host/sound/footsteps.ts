import { playerAt } from '#scene/match/player-state.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { Match, PlayerIndex } from '../match/match.ts';

export interface Footstep {
  readonly tick: number;
  readonly player: PlayerIndex;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Units a second. A slower player walks or sneaks silently; a faster one was teleported. */
const RUN = { from: 140, to: 420 };
/** Units between two steps. */
const STRIDE = 88;
/** Faster up or down than on stairs: the player is in the air. */
const CLIMB = 220;
const EVERY_TICKS = 2;

/** Returns the steps of all running players in a shot, in tick order. Yields where it may pause. */
export function* footstepsOf(match: Match, shot: Shot): Generator<void, Footstep[]> {
  const steps: Footstep[] = [];
  for (const player of match.players.keys()) {
    let walked = STRIDE * 0.5;
    let before = playerAt(match, player, shot.startTick);
    for (let tick = shot.startTick + EVERY_TICKS; tick < shot.endTick; tick += EVERY_TICKS) {
      yield;
      const now = playerAt(match, player, tick);
      const last = before;
      before = now;
      if (now?.alive !== true || last?.alive !== true) continue;
      const seconds = EVERY_TICKS / match.tickRate;
      const units = Math.hypot(now.x - last.x, now.y - last.y);
      const speed = units / seconds;
      if (speed < RUN.from || speed > RUN.to || Math.abs(now.z - last.z) / seconds > CLIMB) continue;
      walked += units;
      if (walked < STRIDE) continue;
      walked -= STRIDE;
      steps.push({ tick, player, x: now.x, y: now.y, z: now.z });
    }
  }
  return steps.sort((a, b) => a.tick - b.tick || a.player - b.player);
}
