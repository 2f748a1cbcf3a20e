import type { Kill } from '../match/match.ts';
import type { Shot } from './shot.ts';

/** Returns the kills that a clip counts, each once, in the order in which they are first shown. */
export function shownKills(shots: readonly Shot[]): Kill[] {
  return [...new Set(shots.flatMap(({ kills }) => kills))];
}
