import { otherTeam } from './battle/field.ts';
import { planRound } from './battle/round-plan.ts';
import { announceTeam, createGame, type Game, playFrame, warmUp } from './game.ts';
import { GAME } from './game-identity.ts';
import { createRandom } from './random.ts';
import { ROSTER } from './roster.ts';
import { playRound } from './round.ts';
import { sidesSwapped } from './rules.ts';
import { type MatchFrame, type ScriptedMatch, TICK_RATE } from './scripted-match.ts';

export interface SampleOptions {
  /** The same seed gives the same match. */
  readonly seed?: number;
  /** 1 or more; default 3. */
  readonly rounds?: number;
}

/** Ticks of the freeze time, and of the attackers' gathering. Short matches have less of both. */
const BRISK = { freezeTicks: 6 * TICK_RATE, gatherTicks: 26 * TICK_RATE } as const;
const REAL = { freezeTicks: 15 * TICK_RATE, gatherTicks: 45 * TICK_RATE } as const;
const REAL_FROM_ROUNDS = 6;
/** The least rounds of a match with a half-time. */
const HALVES_FROM_ROUNDS = 12;
const AFTERMATH_TICKS = 6 * TICK_RATE;

/** Makes a match of ten made-up players on a made-up floor plan of de_mirage. Only the options decide what happens. */
export function createSampleMatch({ seed = 1, rounds = 3 }: SampleOptions = {}): ScriptedMatch {
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('rounds must be a whole number from 1');
  return { ...GAME, map: 'de_mirage', players: ROSTER, frames: () => playMatch(seed, rounds) };
}

function* playMatch(seed: number, rounds: number): Generator<MatchFrame> {
  const random = createRandom(seed);
  const game = createGame(random);
  const pace = rounds < REAL_FROM_ROUNDS ? BRISK : REAL;
  yield* warmUp(game);
  for (let number = 1; number <= rounds; number++) {
    yield* playRound(game, planRound(number, rounds, pace.gatherTicks, random), pace.freezeTicks);
    if (rounds >= HALVES_FROM_ROUNDS && number === Math.floor(rounds / 2)) yield playFrame(game, () => swapSides(game));
  }
  yield playFrame(game, () => game.field.events.push({ name: 'cs_win_panel_match', values: {} }));
  const end = game.tick + AFTERMATH_TICKS;
  while (game.tick < end) yield playFrame(game);
}

function swapSides(game: Game): void {
  game.field.events.push({ name: 'announce_phase_end', values: {} });
  game.rules = sidesSwapped(game.rules);
  for (const fighter of game.fighters) {
    const old = fighter.team;
    fighter.team = otherTeam(old);
    announceTeam(game, fighter, old);
  }
}
