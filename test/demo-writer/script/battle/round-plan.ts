import type { SiteIndex } from '../map/areas.ts';
import type { Random } from '../random.ts';
import { firstHalf, type MatchLength } from '../rules.ts';

/** The plan of a round. The fighting decides the rest. */
export interface RoundPlan {
  readonly site: SiteIndex;
  /** Ticks after the freeze time that the attackers gather. */
  readonly gatherTicks: number;
  /** Slot of the player whose round it is: they make at least `heroKills`, and the last kill. */
  readonly hero: number | null;
  readonly heroKills: number;
  /** Whether the bomb is planted. */
  readonly plant: boolean;
  readonly pistols: boolean;
  readonly mishap: 'team-kill' | 'fall' | 'own-grenade' | null;
}

/** Slot of the sample's main player. */
export const STAR = 0;

const MISHAPS = ['team-kill', 'fall', 'own-grenade'] as const;
const TEAM_AND_ENEMIES = 5;

/**
 * Plans a round. The main player has the second round of each three-round sample, and the only round of a short one. In
 * longer matches the players take turns, with a mishap now and then from the fourth round on.
 *
 * @param number from 1
 * @param heroes slots of the side that must win; none if both may
 */
export function planRound(
  number: number,
  length: MatchLength,
  gatherTicks: number,
  heroes: readonly number[],
  random: Random,
): RoundPlan {
  const { rounds } = length;
  const isDue = heroes.length > 0;
  const isHeroRound = rounds === 1 || number % 3 === 2 || isDue;
  const isStarRound = (rounds === 1 || number % 9 === 2) && (!isDue || heroes.includes(STAR));
  const turn = random.whole(1, 9);
  const others = heroes[turn % heroes.length] ?? turn;
  const mishap =
    number >= 4 && !isDue && number % 3 === 1 ? (MISHAPS[Math.floor(number / 3 - 1) % MISHAPS.length] ?? null) : null;
  return {
    site: number % 2 === 1 ? 0 : 1,
    gatherTicks: Math.round(gatherTicks * random.between(0.8, 1.3)),
    hero: isHeroRound ? (isStarRound ? STAR : others) : null,
    heroKills: isStarRound ? TEAM_AND_ENEMIES - 1 : TEAM_AND_ENEMIES - 2,
    plant: !isHeroRound && number % 3 === 1 && mishap === null,
    pistols: rounds > 3 && (number === 1 || number === firstHalf(length) + 1),
    mishap,
  };
}

/** The plan of the warm-up, in which players do as they like. */
export const WARMUP_PLAN: RoundPlan = {
  site: 0,
  gatherTicks: 0,
  hero: null,
  heroKills: 0,
  plant: false,
  pistols: false,
  mishap: null,
};
