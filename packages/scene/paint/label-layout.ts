import { type Camera, type Series, STEP, sampleTicks } from '../camera/camera.ts';
import { DAMAGE_SECONDS } from '../drawing/kill-marks.ts';
import { isWithin, layoutOf } from '../drawing/layout.ts';
import { centred } from '../drawing/theme.ts';
import type { CaptureOptions } from '../frames/clip-clock.ts';
import type { PlayerIndex, SceneMatch } from '../match/match.ts';
import { playerAt } from '../match/player-state.ts';
import type { Shot } from '../plan/shot.ts';
import { onScreen, type Point, toScreen } from './moment.ts';
import { DAMAGE_BOX, damageSide } from './paint-deaths.ts';
import { hudPanels } from './panels.ts';

/** Where a player's name is relative to the centre of their marker, and its opacity. */
export interface LabelPlace {
  /** The offset of the label's centre in pixels. */
  readonly dx: number;
  readonly dy: number;
  readonly alpha: number;
}

/** Returns null while the player has no name label. */
export type LabelLayout = (player: PlayerIndex, tick: number) => LabelPlace | null;

interface Size {
  readonly width: number;
  readonly height: number;
}

type Box = Point & Size;

/** Above, below, right, left; -1 is no label. */
const SIDES = [0, 1, 2, 3] as const;
const HIDDEN = -1;
/** The place of a player without a marker. */
const GONE = { x: -9999, y: -9999 };
/** Tolerance in pixels at scale 1, for both sides together: a path between two samples may be curved. */
const SPARE = 12;
/** A label for fewer samples than this (a third of a second) is not shown: flicker is worse than no name. */
const SHORTEST_RUN = 5;

/**
 * Chooses a side for each name at each moment of the shot, so that names neither overlap nor cover a marker, and are
 * not cut by a panel or the edge of the picture. The point-of-view player's name comes first, then those of the fight.
 * A name keeps its side while that is free, and fades when it changes.
 */
export function createLabelLayout(
  match: SceneMatch,
  shot: Shot,
  options: CaptureOptions,
  camera: Camera,
  visibility: readonly Series[],
  sizes: readonly Size[],
): LabelLayout {
  const ticks = sampleTicks(shot.startTick, shot.endTick);
  const { scale, safe, isWide } = layoutOf(options);
  const marked = { width: 34 * scale, height: 34 * scale };
  const order = inOrderOfWeight(match, shot);
  const sides = match.players.map(() => new Int8Array(ticks.length).fill(HIDDEN));
  const samples = ticks.map((tick) => {
    const view = camera.at(tick);
    const states = match.players.map((_, player) => playerAt(match, player, tick));
    const markers = states.map((state) => (state?.alive === true ? toScreen({ view, options }, state) : GONE));
    return { tick, view, states, markers };
  });
  for (const [i, { tick, view, states, markers }] of samples.entries()) {
    // Between two samples players move on, and other shapes have no room beyond the safe area.
    const near = isWide ? [markers] : samples.slice(Math.max(i - 1, 0), i + 2).map((sample) => sample.markers);
    const room = isWide ? 0 : SPARE * scale;
    const taken = options.damageTicker
      ? damageBoxes(match, shot, tick, (at) => toScreen({ view, options }, at), scale)
      : [];
    if (!options.onlyDeathnotices) taken.push(...hudPanels(states, shot.pov, options).map(centred));
    for (const player of order) {
      const marker = markers[player];
      const size = sizes[player];
      const row = sides[player];
      if (marker === undefined || size === undefined || row === undefined || !onScreen({ options }, marker, 0))
        continue;
      if (!options.xray && (visibility[player]?.at(tick) ?? 0) < 0.5) continue;
      const before = i === 0 ? HIDDEN : (row[i - 1] ?? HIDDEN);
      let best: { side: number; cost: number; box: Box } | null = null;
      for (const side of SIDES) {
        const offset = offsetOf(side, size, player === shot.pov, scale);
        const { width, height } = size;
        const box = { x: marker.x + offset.x, y: marker.y + offset.y, width, height };
        const isSafe = near.every((placed) => {
          const { x, y } = placed[player] ?? marker;
          const shown = { x: x + offset.x, y: y + offset.y, width: width + room, height: height + room };
          return placed[player] === GONE || isWithin(shown, safe);
        });
        if (!isSafe) continue;
        if (taken.some((other) => overlap(box, other, 3 * scale))) continue;
        const covered = markers.filter((other, k) => k !== player && overlap(box, { ...other, ...marked }, 0)).length;
        const cost = covered * 6 + side + (before !== HIDDEN && before !== side ? 4 : 0);
        if (best === null || cost < best.cost) best = { side, cost, box };
      }
      if (best === null) continue;
      row[i] = best.side;
      taken.push(best.box);
    }
  }
  for (const row of sides) dropShortRuns(row);
  return (player, tick) => {
    const row = sides[player];
    const size = sizes[player];
    if (row === undefined || size === undefined) return null;
    const position = Math.min(Math.max((tick - shot.startTick) / STEP, 0), row.length - 1);
    const from = row[Math.floor(position)] ?? HIDDEN;
    const to = row[Math.min(Math.floor(position) + 1, row.length - 1)] ?? HIDDEN;
    const part = position - Math.floor(position);
    const side = part < 0.5 ? from : to;
    if (side === HIDDEN) return null;
    const offset = offsetOf(side, size, player === shot.pov, scale);
    return { dx: offset.x, dy: offset.y, alpha: from === to ? 1 : Math.abs(part * 2 - 1) };
  };
}

/** Returns the boxes of damage numbers at a tick or soon after, which names avoid. */
function damageBoxes(
  match: SceneMatch,
  { subject }: Shot,
  tick: number,
  place: (at: Point) => Point,
  scale: number,
): Box[] {
  const boxes = new Map<PlayerIndex, Box>();
  for (const hurt of match.hurts) {
    if (hurt.attacker !== subject || hurt.victim === subject || boxes.has(hurt.victim)) continue;
    if (tick < hurt.tick - 2 * STEP || tick > hurt.tick + DAMAGE_SECONDS * match.tickRate) continue;
    const victim = playerAt(match, hurt.victim, tick);
    if (victim === null) continue;
    const { x, y } = place(victim);
    const width = DAMAGE_BOX.width * scale;
    const away = damageSide(match, hurt) * (DAMAGE_BOX.near * scale + width / 2);
    boxes.set(hurt.victim, { x: x + away, y, width, height: DAMAGE_BOX.height * scale });
  }
  return [...boxes.values()];
}

function inOrderOfWeight(match: SceneMatch, shot: Shot): PlayerIndex[] {
  const fighting = new Set(shot.kills.map((kill) => kill.victim));
  const weight = (player: PlayerIndex): number => (player === shot.pov ? 0 : fighting.has(player) ? 1 : 2);
  return match.players.map((_, player) => player).sort((a, b) => weight(a) - weight(b) || a - b);
}

function offsetOf(side: number, size: Size, isPov: boolean, scale: number): Point {
  const away = (isPov ? 34 : 25) * scale;
  if (side === 0) return { x: 0, y: -(away + size.height / 2) };
  if (side === 1) return { x: 0, y: away + size.height / 2 };
  return { x: (side === 2 ? 1 : -1) * (away + size.width / 2), y: 0 };
}

function overlap(a: Box, b: Box, gap: number): boolean {
  return Math.abs(a.x - b.x) < (a.width + b.width) / 2 + gap && Math.abs(a.y - b.y) < (a.height + b.height) / 2 + gap;
}

function dropShortRuns(row: Int8Array): void {
  let start = 0;
  for (let i = 1; i <= row.length; i++) {
    if (i < row.length && row[i] === row[start]) continue;
    if (i - start < SHORTEST_RUN && start > 0 && i < row.length) row.fill(HIDDEN, start, i);
    start = i;
  }
}
