import type { TickSpan } from '#domain/clip/plan/match.ts';

/** A part of a match, as in the address of a replay: ticks, and the position of the player who is followed. */
export type ReplayMoment = Readonly<Record<'from' | 'to' | 'player', number | null>>;

/** All that there is, as in the clip. */
export const WHOLE: ReplayMoment = { from: null, to: null, player: null };

/** A range of ticks that is shown, seen by a player. */
export interface ReplayShot extends TickSpan {
  readonly pov: number;
  readonly speeds: readonly { readonly tick: number; readonly speed: number }[];
}

/** Reads a moment of an address or a message. Ignores what is no whole number, and an end before the start. */
export function momentOf(values: Readonly<Record<string, unknown>>): ReplayMoment {
  const whole = (name: string): number | null => {
    const text = String(values[name] ?? '');
    return /^\d{1,9}$/.test(text) ? Number(text) : null;
  };
  const [from, to] = [whole('from'), whole('to')];
  return { from, to: to !== null && to <= (from ?? 0) ? null : to, player: whole('player') };
}

/** Returns the parts of shots that a moment shows: all of them if it shows none. */
export function shotsIn(shots: readonly ReplayShot[], moment: ReplayMoment, players: number): readonly ReplayShot[] {
  const { from, to, player } = moment;
  const parts = shots
    .map((shot) => ({
      ...shot,
      startTick: Math.max(shot.startTick, from ?? shot.startTick),
      endTick: Math.min(shot.endTick, to ?? shot.endTick),
    }))
    .filter(({ startTick, endTick }) => startTick < endTick);
  const shown = parts.length === 0 ? shots : parts;
  return player === null || player >= players ? shown : shown.map((shot) => ({ ...shot, pov: player }));
}
