import { type Match, TRACK_ALIVE } from '../../../match/match.ts';
import { placeName } from '../../../match/outfit-at.ts';

/** A place of the map that players call by a name, at the middle of where they walk in it. */
export interface Callout {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

const EVERY_TICKS = 16;
/** A place that was only crossed has no middle yet. */
const FEWEST_SAMPLES = 6;
/** Nearer to each other than this one of two names is left out, the one of the place that was walked less. */
const LEAST_UNITS = 330;

type Spot = Omit<Callout, 'name'>;

/** The places that the match tells the names of. */
export function createCallouts({ outfits, tracks, players }: Match): readonly Callout[] {
  const spots = new Map<string, Spot[]>();
  for (const player of players.keys()) {
    const changes = outfits.filter((change) => change.player === player);
    for (const [at, { tick, place }] of changes.entries()) {
      if (place === '') continue;
      const last = Math.min(changes[at + 1]?.tick ?? Infinity, tracks.firstTick + tracks.length);
      const found = spots.get(place) ?? [];
      spots.set(place, found);
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
    const spot = middleOf(walked);
    if (callouts.some(({ x, y }) => Math.hypot(x - spot.x, y - spot.y) < LEAST_UNITS)) continue;
    callouts.push({ name: placeName(place), ...spot });
  }
  return callouts;
}

/** The sample nearest to the mean: on the floor also where a place is bent. */
function middleOf(spots: readonly Spot[]): Spot {
  const mean = { x: 0, y: 0, z: 0 };
  for (const { x, y } of spots) {
    mean.x += x / spots.length;
    mean.y += y / spots.length;
  }
  const away = ({ x, y }: Spot): number => Math.hypot(x - mean.x, y - mean.y);
  return spots.reduce((best, spot) => (away(spot) < away(best) ? spot : best), spots[0] ?? mean);
}
