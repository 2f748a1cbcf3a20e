import { type Callout, type SceneMatch, TRACK_ALIVE } from '../match/match.ts';
import { placeName } from '../match/outfit-at.ts';

const EVERY_TICKS = 16;
/** A place that players only crossed has no middle yet. */
const FEWEST_SAMPLES = 6;
/** The least distance of two names. Of closer ones, the name of the less walked place is left out. */
const LEAST_UNITS = 330;

type Spot = Omit<Callout, 'name'>;

/** Returns the places that the match names. */
export function createCallouts({ callouts: named, outfits, tracks, players }: SceneMatch): readonly Callout[] {
  if (named !== undefined) return named;
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

/** Returns the sample nearest to the mean, which is on the floor even in a bent place. */
function middleOf(spots: readonly Spot[]): Spot {
  const mean = { x: 0, y: 0, z: 0 };
  for (const { x, y } of spots) {
    mean.x += x / spots.length;
    mean.y += y / spots.length;
  }
  const away = ({ x, y }: Spot): number => Math.hypot(x - mean.x, y - mean.y);
  return spots.reduce((best, spot) => (away(spot) < away(best) ? spot : best), spots[0] ?? mean);
}
