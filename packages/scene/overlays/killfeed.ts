import { secondAt } from '#domain/plan/shot-time.ts';
import type { Canvas, Context2D } from '../canvas.ts';
import { easeOut, smoothstep } from '../drawing/ease.ts';
import type { PanelOpacity } from '../drawing/panel-box.ts';
import type { Kill, SceneMatch } from '../match/match.ts';
import type { Shot } from '../plan/shot.ts';
import { paintKillfeedRow, ROW } from './killfeed-row.ts';

export interface Killfeed {
  /** Paints the feed at the top right for `tick` of a shot. */
  paint(ctx: Context2D, shotIndex: number, tick: number, opacityOf?: PanelOpacity): void;
}

interface KillfeedPlace {
  readonly own: boolean;
  /** The width of the picture in pixels. */
  readonly width: number;
  readonly scale: number;
  readonly hasHud?: boolean;
}

interface Entry {
  readonly kill: Kill;
  readonly shotIndex: number;
  readonly isOwn: boolean;
  /** The second of the kill in its shot. */
  readonly second: number;
}

/** Seconds of the clip that a kill stays in the game's feed. Our feed keeps its rows to the end of the clip. */
const STAY_SECONDS = 6;
const FADE_SECONDS = 0.5;
/** The distance from the picture's right side. */
const MARGIN = 32;
/**
 * The top of the feed, and its rows before new ones replace the oldest. With a HUD it is between the scoreboard, which
 * the longest names would overlap, and the list of a team.
 */
const ALONE = { top: MARGIN, mostRows: 7 };
const WITH_HUD = { top: 90, mostRows: 5 };

/**
 * Creates the killfeed of a clip. `own` false: like the game, each kill of the match since the shot began, for some
 * seconds. `own` true: all kills of the shot's subject that the clip has shown so far, each once.
 */
export function createKillfeed(
  match: SceneMatch,
  shots: readonly Shot[],
  { own, width, scale, hasHud = false }: KillfeedPlace,
): Killfeed {
  const counted = new Set<Kill>();
  const entries = shots.flatMap((shot, shotIndex): Entry[] => {
    const kills = own ? shot.kills.filter((kill) => !counted.has(kill)) : killsIn(match, shot);
    for (const kill of kills) counted.add(kill);
    return kills.map((kill) => {
      const second = secondAt(shot, kill.tick, match.tickRate);
      return { kill, shotIndex, isOwn: kill.attacker === shot.subject, second };
    });
  });
  const { top, mostRows } = hasHud ? WITH_HUD : ALONE;
  const rows = new Map<Entry, Canvas>();
  const rowOf = (entry: Entry): Canvas => {
    let row = rows.get(entry);
    if (row === undefined) {
      row = paintKillfeedRow(match, entry.kill, entry.isOwn, scale);
      rows.set(entry, row);
    }
    return row;
  };
  return {
    paint(ctx, shotIndex, tick, opacityOf = () => 1) {
      const shot = shots[shotIndex];
      if (shot === undefined) return;
      const now = secondAt(shot, tick, match.tickRate);
      const since = (entry: Entry): number => (entry.shotIndex < shotIndex ? Infinity : now - entry.second);
      const stays = (entry: Entry): boolean =>
        own
          ? entry.shotIndex <= shotIndex && entry.kill.attacker === shot.subject
          : entry.shotIndex === shotIndex && since(entry) < STAY_SECONDS;
      const shown = entries.filter((entry) => stays(entry) && since(entry) >= 0).slice(-mostRows);
      let y = top * scale;
      for (const entry of shown) {
        const row = rowOf(entry);
        const arrived = easeOut(since(entry) / 0.22);
        const leaving = own ? 0 : smoothstep(STAY_SECONDS - FADE_SECONDS, STAY_SECONDS, since(entry));
        const slide = (1 - arrived) * 46 * scale;
        const box = { x: Math.round(width - MARGIN * scale - row.width + slide), y: Math.round(y) };
        ctx.globalAlpha = arrived * (1 - leaving) * opacityOf({ ...box, width: row.width, height: row.height });
        ctx.drawImage(row, box.x, box.y);
        y += (ROW.height + ROW.gap) * scale * (1 - leaving);
      }
      ctx.globalAlpha = 1;
    },
  };
}

function killsIn(match: SceneMatch, shot: Shot): readonly Kill[] {
  return match.kills.filter(({ tick }) => tick >= shot.startTick && tick < shot.endTick);
}
