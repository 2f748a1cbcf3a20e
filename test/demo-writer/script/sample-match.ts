import { otherTeam } from './battle/field.ts';
import { planRound } from './battle/round-plan.ts';
import { announceTeam, createGame, type Game, playFrame, warmUp } from './game.ts';
import { GAME } from './game-identity.ts';
import { createRandom } from './random.ts';
import { ROSTER } from './roster.ts';
import { playRound } from './round.ts';
import { dueWinner, halfOf, type MatchLength, sidesSwapped } from './rules.ts';
import { type MatchFrame, type ScriptedMatch, TICK_RATE } from './scripted-match.ts';

export interface SampleOptions {
  /** The same seed gives the same match. */
  readonly seed?: number;
  /** 1 or more; default 3. */
  readonly rounds?: number;
  /** A match of more rounds is tied after so many, and goes on in overtimes; default 24. */
  readonly regularRounds?: number;
  /** Rounds of each overtime; default 6. */
  readonly overtimeRounds?: number;
}

/** Ticks of the freeze time, and of the attackers' gathering. Short matches have less of both. */
const BRISK = { freezeTicks: 6 * TICK_RATE, gatherTicks: 26 * TICK_RATE } as const;
const REAL = { freezeTicks: 20 * TICK_RATE, gatherTicks: 45 * TICK_RATE } as const;
const REAL_FROM_ROUNDS = 6;
/** Ticks between halves. */
const BREAK_TICKS = 15 * TICK_RATE;
const AFTERMATH_TICKS = 6 * TICK_RATE;

/** Makes a match of ten made-up players on a made-up floor plan of de_mirage. Only the options decide what happens. */
export function createSampleMatch(options: SampleOptions = {}): ScriptedMatch {
  const { seed = 1, rounds = 3, regularRounds: regular = 24, overtimeRounds: overtime = 6 } = options;
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('rounds must be a whole number from 1');
  const lengths = { mp_maxrounds: `${regular}`, mp_overtime_enable: 'true', mp_overtime_maxrounds: `${overtime}` };
  const conVars = rounds > regular ? lengths : {};
  const frames = () => playMatch(seed, { rounds, regular, overtime });
  return { ...GAME, map: 'de_mirage', players: ROSTER, conVars, frames };
}

function* playMatch(seed: number, length: MatchLength): Generator<MatchFrame> {
  const { rounds } = length;
  const random = createRandom(seed);
  const game = createGame(random);
  const pace = rounds < REAL_FROM_ROUNDS ? BRISK : REAL;
  yield* warmUp(game);
  for (let number = 1; number <= rounds; number++) {
    const half = halfOf(length, number);
    if (half.phase !== game.rules.phase || half.overtime !== game.rules.overtime) {
      const end = game.tick + BREAK_TICKS;
      while (game.tick < end) yield playFrame(game);
      yield playFrame(game, () => {
        if (half.phase === 'second half') swapSides(game);
        game.rules = { ...game.rules, ...half };
      });
    }
    const due = dueWinner(length, number, game.rules);
    const heroes = game.fighters.filter(({ team }) => team === due).map(({ slot }) => slot);
    yield* playRound(game, planRound(number, length, pace.gatherTicks, heroes, random), pace.freezeTicks);
  }
  yield playFrame(game, () => {
    game.rules = { ...game.rules, phase: 'ended' };
    game.field.events.push({ name: 'cs_win_panel_match', values: {} });
  });
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
