import type { Random } from '../random.ts';
import { AREAS, type Area, type AreaName } from './areas.ts';
import { inSight, isFloor } from './sight.ts';

export interface FloorPoint {
  readonly x: number;
  readonly y: number;
}

/** Where two areas overlap. */
interface Portal {
  readonly to: Area;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The distance from walls: more than half a player's width. */
const WALL_MARGIN = 28;

const byName = new Map(AREAS.map((area) => [area.name, area]));
const portals = new Map(AREAS.map((area) => [area.name, portalsOf(area)]));

export function areaOf(name: AreaName): Area {
  const area = byName.get(name);
  if (area === undefined) throw new Error(`no area ${name}`);
  return area;
}

/** Returns the area of a position, or the nearest. */
export function areaAt(x: number, y: number): Area {
  let best: Area | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const area of AREAS) {
    // Squared, because `Math.hypot` is slow and this is called for each player at each tick.
    const distance = Math.max(area.west - x, 0, x - area.east) ** 2 + Math.max(area.south - y, 0, y - area.north) ** 2;
    if (distance >= bestDistance) continue;
    best = area;
    bestDistance = distance;
    if (distance === 0) break;
  }
  if (best === undefined) throw new Error('the map has no areas');
  return best;
}

/** Returns a position in the area, off its walls. */
export function pointIn(area: Area, random: Random): FloorPoint {
  return {
    x: inside(area.west, area.east, random.next()),
    y: inside(area.south, area.north, random.next()),
  };
}

/**
 * Returns a way between two positions as corners, the goal last. Chooses randomly among ways of similar length, and a
 * random position in each passage, so that no two trips are alike.
 */
export function findRoute(from: FloorPoint, to: FloorPoint, random: Random): FloorPoint[] {
  const start = areaAt(from.x, from.y);
  const goal = areaAt(to.x, to.y);
  const passages = cheapestPassages(start, goal, random);
  // The path keeps to one side for the whole trip, with some variation, as people do in a corridor.
  const side = random.next();
  const route = passages.map((portal) => ({
    x: inside(portal.west, portal.east, sway(side, random)),
    y: inside(portal.south, portal.north, sway(side, random)),
  }));
  return meander([from, ...route, to], random).slice(1);
}

/** Longer straight stretches get a bend. */
const STRAIGHT_UNITS = 240;

/** Bends long straight stretches a little, if the floor allows it. */
function meander(points: readonly FloorPoint[], random: Random): FloorPoint[] {
  return points.flatMap((point, index) => {
    const previous = points[index - 1];
    if (previous === undefined) return [point];
    const lengthX = point.x - previous.x;
    const lengthY = point.y - previous.y;
    if (Math.hypot(lengthX, lengthY) < STRAIGHT_UNITS) return [point];
    const part = random.between(0.35, 0.65);
    const aside = random.between(-0.16, 0.16);
    const bend = { x: previous.x + lengthX * part - lengthY * aside, y: previous.y + lengthY * part + lengthX * aside };
    const isFree =
      isFloor(bend.x, bend.y) &&
      inSight(previous.x, previous.y, bend.x, bend.y) &&
      inSight(bend.x, bend.y, point.x, point.y);
    return isFree ? [bend, point] : [point];
  });
}

function sway(side: number, random: Random): number {
  return Math.min(1, Math.max(0, side + random.between(-0.3, 0.3)));
}

function inside(low: number, high: number, part: number): number {
  const margin = Math.min(WALL_MARGIN, (high - low) / 2);
  return low + margin + (high - low - 2 * margin) * part;
}

function cheapestPassages(start: Area, goal: Area, random: Random): Portal[] {
  const cost = new Map<Area, number>([[start, 0]]);
  const cameBy = new Map<Area, { readonly from: Area; readonly portal: Portal }>();
  const open = new Set<Area>([start]);
  while (open.size > 0) {
    const current = [...open].reduce((a, b) => ((cost.get(a) ?? 0) <= (cost.get(b) ?? 0) ? a : b));
    if (current === goal) break;
    open.delete(current);
    for (const portal of portals.get(current.name) ?? []) {
      const total = (cost.get(current) ?? 0) + centreDistance(current, portal.to) * random.between(0.85, 1.25);
      if (total >= (cost.get(portal.to) ?? Number.POSITIVE_INFINITY)) continue;
      cost.set(portal.to, total);
      cameBy.set(portal.to, { from: current, portal });
      open.add(portal.to);
    }
  }
  const passages: Portal[] = [];
  for (let step = cameBy.get(goal); step !== undefined; step = cameBy.get(step.from)) {
    passages.unshift(step.portal);
    if (step.from === start) break;
  }
  return passages;
}

function centreDistance(a: Area, b: Area): number {
  return Math.hypot(a.west + a.east - b.west - b.east, a.south + a.north - b.south - b.north) / 2;
}

function portalsOf(area: Area): Portal[] {
  return AREAS.flatMap((to) => {
    if (to === area) return [];
    const overlap = {
      to,
      west: Math.max(area.west, to.west),
      east: Math.min(area.east, to.east),
      south: Math.max(area.south, to.south),
      north: Math.min(area.north, to.north),
    };
    return overlap.west < overlap.east && overlap.south < overlap.north ? [overlap] : [];
  });
}
