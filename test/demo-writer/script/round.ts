import { ROUND_END_REASON, TEAM_NUMBER } from '#demo-format/game.ts';
import { living } from './battle/field.ts';
import { isAlive } from './battle/fighter.ts';
import { planThrows, throwGrenade } from './battle/grenades.ts';
import { haveMishap, MISHAP_TICKS } from './battle/mishaps.ts';
import type { RoundPlan } from './battle/round-plan.ts';
import { chooseWeapon } from './battle/weapons.ts';
import { createField, type Game, playFrame, spawnTeams } from './game.ts';
import type { Random } from './random.ts';
import { TEAM_SIZE } from './roster.ts';
import { roundEnded, roundStarted } from './rules.ts';
import { type MatchFrame, type RoundEndReason, type Team, TICK_RATE } from './scripted-match.ts';

const ROUND_SECONDS = 115;
/** Ticks from a round's end to the next one's start. */
const PAUSE_TICKS = 7 * TICK_RATE;

interface Outcome {
  readonly winner: Team;
  readonly reason: RoundEndReason;
}

/** Plays one round from its start to its official end. */
export function* playRound(game: Game, plan: RoundPlan, freezeTicks: number): Generator<MatchFrame> {
  yield playFrame(game, () => prepare(game, plan, freezeTicks));
  const { field } = game;
  while (game.tick < field.liveTick - 1) yield playFrame(game);
  yield playFrame(game, () => {
    game.rules = { ...game.rules, freeze: false };
    field.events.push({ name: 'round_freeze_end', values: {} });
  });

  const throws = planThrows(field).map((planned) => ({ ...planned, atTick: field.liveTick + planned.atTick }));
  let outcome: Outcome | null = null;
  while (outcome === null) {
    yield playFrame(
      game,
      () => {
        for (const planned of throws) if (planned.atTick === game.tick) throwGrenade(field, planned);
        if (game.tick === field.liveTick + MISHAP_TICKS) haveMishap(field);
      },
      () => {
        outcome = outcomeOf(game);
        if (outcome !== null) decide(game, outcome);
      },
    );
  }
  const officialEnd = game.tick + PAUSE_TICKS;
  while (game.tick < officialEnd - 1) yield playFrame(game);
  yield playFrame(game, () => field.events.push({ name: 'round_officially_ended', values: {} }));
}

function prepare(game: Game, plan: RoundPlan, freezeTicks: number): void {
  const { random, fighters } = game;
  const { killCount, nextEntityIndex } = game.field;
  game.field = {
    ...createField(random, fighters, false),
    plan,
    tick: game.tick,
    liveTick: game.tick + freezeTicks,
    killCount,
    nextEntityIndex,
  };
  game.rules = roundStarted(game.rules, game.field.liveTick);
  const { events } = game.field;
  events.push({ name: 'round_prestart', values: {} });
  equip(game, plan);
  spawnTeams(game);
  events.push({ name: 'round_poststart', values: {} });
  const values = { timelimit: ROUND_SECONDS, objective: 'BOMB TARGET' };
  events.push({ name: 'round_start', values });
}

const CARRIER_ROLE = 0;
const SNIPER_ROLE = 2;

/** Assigns roles, weapons and the bomb. */
function equip(game: Game, plan: RoundPlan): void {
  const { random, field } = game;
  for (const team of ['T', 'CT'] as const) {
    const roles = shuffled(TEAM_SIZE, random);
    const members = game.fighters.filter((fighter) => fighter.team === team);
    members.forEach((fighter, index) => {
      fighter.role = roles[index] ?? index;
      const part = fighter.slot === plan.hero ? 'hero' : fighter.role === SNIPER_ROLE ? 'sniper' : 'other';
      fighter.weapon = chooseWeapon(team, plan.pistols, part, random);
      if (team === 'T' && fighter.role === CARRIER_ROLE) field.carrier = fighter;
    });
  }
}

function shuffled(count: number, random: Random): number[] {
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = random.whole(0, last);
    [numbers[last], numbers[other]] = [numbers[other] ?? other, numbers[last] ?? last];
  }
  return numbers;
}

function outcomeOf({ field, tick }: Game): Outcome | null {
  const { bomb } = field;
  if (bomb?.state === 'exploded') return { winner: 'T', reason: 'bomb_exploded' };
  if (bomb?.state === 'defused') return { winner: 'CT', reason: 'bomb_defused' };
  if (living(field, 'CT').length === 0) return { winner: 'T', reason: 'terrorists_won' };
  if (bomb !== null) return null;
  if (living(field, 'T').length === 0) return { winner: 'CT', reason: 'cts_won' };
  const isOver = tick >= field.liveTick + ROUND_SECONDS * TICK_RATE && field.work?.kind !== 'plant';
  return isOver ? { winner: 'CT', reason: 'time_ran_out' } : null;
}

/** The game's message at a round's end. */
const MESSAGE: Readonly<Partial<Record<RoundEndReason, string>>> = {
  bomb_exploded: '#SFUI_Notice_Target_Bombed',
  bomb_defused: '#SFUI_Notice_Bomb_Defused',
  cts_won: '#SFUI_Notice_CTs_Win',
  terrorists_won: '#SFUI_Notice_Terrorists_Win',
  time_ran_out: '#SFUI_Notice_Target_Saved',
};

function decide(game: Game, { winner, reason }: Outcome): void {
  const { field } = game;
  field.decided = true;
  game.rules = roundEnded(game.rules, winner, reason);
  for (const fighter of living(field, winner)) fighter.score += 1;
  const values = {
    winner: TEAM_NUMBER[winner],
    reason: ROUND_END_REASON[reason],
    message: MESSAGE[reason] ?? '',
    player_count: field.fighters.filter(isAlive).length,
  };
  field.events.push({ name: 'round_end', values });
}
