import type { TickSpan } from '#domain/clip/plan/match.ts';
import { secondAt, shotSeconds, type TimedShot, tickAt } from '#domain/clip/plan/shot-time.ts';
import type { TracksFile } from '#tracks/file.ts';
import type { ReplayMedia } from './replay-media.ts';

/** The time of a replay in seconds, and the ticks that it shows. */
export interface Timeline {
  readonly seconds: number;
  at(second: number): { readonly shot: number; readonly tick: number };
  /** Returns the second that shows a tick first; that of the nearest shown tick if none does. */
  secondOf(tick: number): number;
}

/** Places shots one after the other. Their speeds count, so a second is that of the clip without its cards. */
export function createTimeline(shots: readonly TimedShot[], tickRate: number): Timeline {
  const starts: number[] = [];
  let seconds = 0;
  for (const shot of shots) {
    starts.push(seconds);
    seconds += shotSeconds(shot, tickRate);
  }
  return {
    seconds,
    at(second) {
      const shot = Math.max(
        starts.findLastIndex((start) => start <= second),
        0,
      );
      const shown = shots[shot];
      const tick = shown ? tickAt(shown, Math.max(0, second - (starts[shot] ?? 0)), tickRate) : 0;
      return { shot, tick };
    },
    secondOf(tick) {
      let nearest = { second: 0, away: Infinity };
      for (const [index, shot] of shots.entries()) {
        const shown = Math.min(Math.max(tick, shot.startTick), shot.endTick);
        const away = Math.abs(tick - shown);
        if (away >= nearest.away) continue;
        nearest = { second: (starts[index] ?? 0) + secondAt(shot, shown, tickRate), away };
      }
      return nearest.second;
    },
  };
}

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

/** A replay that plays, and the part of its match that it shows. */
export interface OpenReplay {
  readonly file: TracksFile;
  readonly media: ReplayMedia;
  readonly moment: ReplayMoment;
  readonly shots: readonly ReplayShot[];
  readonly timeline: Timeline;
  /** The shown tick. */
  readonly tick: number;
  /** Shows another part of the match, at the same tick if that has it. */
  change(moment: ReplayMoment): void;
}
