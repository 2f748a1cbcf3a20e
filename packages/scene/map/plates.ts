import { type Bounds, boundsOf } from '../camera/camera.ts';
import { COLOR, kept } from '../drawing/theme.ts';
import { type Levels, middleOf } from '../match/levels.ts';
import { type Callout, type Position, type SceneMatch, TRACK_ALIVE } from '../match/match.ts';
import { placeName } from '../match/player-state.ts';
import { createFootprint } from './footprint.ts';
import { type MapPlate, paintMapPlate, paintRadarPlate, type RadarPicture } from './map-plate.ts';

/** What is known about a map besides its match. */
export interface KnownMap {
  /** Where players of other matches walked. */
  readonly walked: Uint32Array;
  /** The operator's picture of the map. */
  readonly picture: RadarPicture | null;
}

/** Returns the plate of a shot and a level. `seen`: the part of the world in the picture, if it is not the camera's. */
export type Plates = (shotIndex: number, level: number, seen?: Bounds) => MapPlate;

/** Units: a multiple of the cells of a footprint, and a whole number of pixels at 1080 and 1440 lines. */
const PLATE_GRID = 50;
/** Units around the floor of a whole map: the last of its contour lines, and some more. */
const AROUND_MAP = 320;
/** A whole map is painted coarser than the camera shows it, in half of the time. */
const COARSER = 0.7;
/** The largest width and height of a whole map, in units. Players do not walk further from each other. */
const MOST_UNITS = 12_000;

/**
 * Uses one plate for all shots if that has fewer pixels than one for each. A plate is painted when it is first needed.
 */
export function createPlates(
  match: SceneMatch,
  levels: Levels,
  shots: readonly Bounds[],
  resolution: number,
  known: KnownMap | null,
): Plates {
  const each = shots.map(onGrid);
  const all = boundsOf(
    each.flatMap(({ minX, minY, maxX, maxY }) => [
      { x: minX, y: minY },
      { x: maxX, y: maxY },
    ]),
  );
  const shared = areaOf(all) <= each.reduce((sum, bounds) => sum + areaOf(bounds), 0);
  const paintPlate = (bounds: Bounds, level: number): MapPlate => {
    // The highest level has no upper end. The others end below the next one.
    const height = (levels.splits[level] ?? Infinity) - 1;
    if (known?.picture) return paintRadarPlate(known.picture(height), bounds, resolution);
    const isOn = (z: number): boolean => levels.levelAt(z) === level;
    return paintMapPlate(createFootprint(match, bounds, isOn, known?.walked), bounds, resolution);
  };
  let current: { readonly bounds: Bounds; readonly plates: Map<number, MapPlate> } | null = null;
  return (shotIndex, level, seen) => {
    const bounds = seen ?? (shared ? all : (each[shotIndex] ?? all));
    if (current?.bounds !== bounds) current = { bounds, plates: new Map() };
    return kept(current.plates, level, () => paintPlate(bounds, level));
  };
}

/** Rounds bounds to whole pixels and whole cells of the floor, so that all plates paint a place identically. */
function onGrid({ minX, minY, maxX, maxY }: Bounds): Bounds {
  const down = (at: number): number => Math.floor(at / PLATE_GRID) * PLATE_GRID;
  return { minX: down(minX), minY: down(minY), maxX: -down(-maxX), maxY: -down(-maxY) };
}

function areaOf({ minX, minY, maxX, maxY }: Bounds): number {
  return (maxX - minX) * (maxY - minY);
}

/** Returns the plates of a whole map, one for each level, which are painted when they are first needed. */
export function createWholePlates(match: SceneMatch, walked: Uint32Array, levels: Levels, resolution: number): Plates {
  const plates = new Map<number, MapPlate>();
  const bounds = wholeMap(match, walked);
  const paint = (level: number): MapPlate => {
    const footprint = createFootprint(match, bounds, (z) => levels.levelAt(z) === level);
    const plate = paintMapPlate(footprint, bounds, resolution * COARSER);
    // A camera may see more than the whole map.
    return (ctx, view, width, height) => {
      ctx.fillStyle = COLOR.background;
      ctx.fillRect(0, 0, width, height);
      plate(ctx, view, width, height);
    };
  };
  return (_, level) => kept(plates, level, () => paint(level));
}

function wholeMap({ outline }: SceneMatch, walked: Uint32Array): Bounds {
  const corners = (outline?.areas ?? []).flatMap((area) =>
    area.flatMap((x, i) => (i % 3 === 0 ? { x, y: area[i + 1] ?? 0 } : [])),
  );
  const floor = boundsOf(outline === undefined ? Array.from(walked, middleOf) : corners);
  const around = (least: number, greatest: number): [least: number, greatest: number] => {
    const [middle, half] = [(least + greatest) / 2, Math.min(greatest - least, MOST_UNITS) / 2 + AROUND_MAP];
    return Number.isFinite(middle) ? [middle - half, middle + half] : [-half, half];
  };
  const [minX, maxX] = around(floor.minX, floor.maxX);
  const [minY, maxY] = around(floor.minY, floor.maxY);
  return onGrid({ minX, minY, maxX, maxY });
}

const EVERY_TICKS = 16;
/** A place that players only crossed has no middle yet. */
const FEWEST_SAMPLES = 6;
/** The least distance of two names. Of closer ones, the name of the less walked place is left out. */
const LEAST_UNITS = 330;

/** Returns the places that the match names. */
export function createCallouts({ callouts: named, outfits, tracks, players }: SceneMatch): readonly Callout[] {
  if (named !== undefined) return named;
  const spots = new Map<string, Position[]>();
  for (const player of players.keys()) {
    const changes = outfits.filter((change) => change.player === player);
    for (const [at, { tick, place }] of changes.entries()) {
      if (place === '') continue;
      const last = Math.min(changes[at + 1]?.tick ?? Infinity, tracks.firstTick + tracks.length);
      const found = kept(spots, place, () => []);
      for (let now = Math.max(tick, tracks.firstTick); now < last; now += EVERY_TICKS) {
        const i = player * tracks.length + now - tracks.firstTick;
        if (((tracks.flags[i] ?? 0) & TRACK_ALIVE) === 0) continue;
        found.push({ x: tracks.x[i] ?? 0, y: tracks.y[i] ?? 0, z: tracks.z[i] ?? 0 });
      }
    }
  }
  const callouts: Callout[] = [];
  const known = [...spots].filter(([, walked]) => walked.length >= FEWEST_SAMPLES);
  for (const [place, walked] of known.sort((a, b) => b[1].length - a[1].length)) {
    const spot = centreOf(walked);
    if (callouts.some(({ x, y }) => Math.hypot(x - spot.x, y - spot.y) < LEAST_UNITS)) continue;
    callouts.push({ name: placeName(place), ...spot });
  }
  return callouts;
}

/** Returns the sample nearest to the mean, which is on the floor even in a bent place. */
function centreOf(spots: readonly Position[]): Position {
  const mean = { x: 0, y: 0, z: 0 };
  for (const { x, y } of spots) {
    mean.x += x / spots.length;
    mean.y += y / spots.length;
  }
  const away = ({ x, y }: Position): number => Math.hypot(x - mean.x, y - mean.y);
  return spots.reduce((best, spot) => (away(spot) < away(best) ? spot : best), spots[0] ?? mean);
}
