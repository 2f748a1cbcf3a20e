import { ROUND_END_REASON, TEAM_NUMBER } from '#demo-format/game.ts';
import { deathEvent, fireEvent, HITGROUP, type Hit, hurtEvent, PLAIN_KILL } from './combat-events.ts';
import type { ComposedKill, ComposedRound, MatchOutline } from './composed-outline.ts';
import { playerAt } from './composed-walk.ts';
import { type EventValues, NOBODY, type ScriptedEvent } from './game-events.ts';
import { roundEnded, roundStarted, scoresRestored, sidesSwapped } from './rules.ts';
import { type ScriptedPlayer, type ScriptedRules, type ScriptedState, TICK_RATE } from './scripted-match.ts';

const FREEZE_TICKS = 2 * TICK_RATE;
export const PAUSE_TICKS = 5 * TICK_RATE;

export interface Stage {
  rules: ScriptedRules;
  readonly players: ScriptedState[];
}

/** Changes the stage and returns the events of the change. */
export type Cue = (stage: Stage) => readonly ScriptedEvent[];
export type Cues = Map<number, Cue[]>;

export function addCue(cues: Cues, tick: number, cue: Cue): void {
  cues.set(tick, [...(cues.get(tick) ?? []), cue]);
}

export function planWarmup(cues: Cues, endTick: number): void {
  addCue(cues, 1, () => [{ name: 'round_announce_warmup', values: {} }]);
  addCue(cues, endTick, (stage) => {
    stage.rules = { ...stage.rules, warmup: false };
    return [
      { name: 'warmup_end', values: {} },
      { name: 'begin_new_match', values: {} },
    ];
  });
}

export function planRound(
  cues: Cues,
  round: ComposedRound,
  roster: readonly ScriptedPlayer[],
  floors: MatchOutline['floors'],
): void {
  const { startTick, freezeEndTick = startTick + FREEZE_TICKS, endTick, winner = 'CT' } = round;
  addCue(cues, startTick, (stage) => {
    stage.rules = roundStarted(stage.rules, freezeEndTick ?? startTick);
    stage.players.forEach(({ team, slot: seat, isLost = false, isCoach = false }, slot) => {
      const fresh = playerAt(slot, team, startTick, floors);
      const kept = seat === undefined ? {} : { slot: seat };
      stage.players[slot] = { ...fresh, ...kept, isLost, isCoach, ...(round.isBroke ? { money: 0 } : {}) };
    });
    return [
      { name: 'round_prestart', values: {} },
      ...stage.players.flatMap((_, slot): ScriptedEvent[] => {
        const userid = roster[slot]?.userId;
        return userid === undefined ? [] : [{ name: 'player_spawn', values: { userid } }];
      }),
      { name: 'round_start', values: { timelimit: 115, objective: 'BOMB TARGET' } },
    ];
  });
  if (freezeEndTick !== null) {
    addCue(cues, freezeEndTick, (stage) => {
      stage.rules = { ...stage.rules, freeze: false };
      return [{ name: 'round_freeze_end', values: {} }];
    });
  }
  if (endTick === undefined) return;
  const { reason = REASON_OF[winner ?? 'nobody'], officialEndTick = endTick + PAUSE_TICKS } = round;
  addCue(cues, endTick, (stage) => {
    stage.rules = roundEnded(stage.rules, winner, reason);
    return [
      {
        name: 'round_end',
        values: { winner: winner === null ? 1 : TEAM_NUMBER[winner], reason: ROUND_END_REASON[reason] },
      },
    ];
  });
  if (officialEndTick !== null) {
    addCue(cues, officialEndTick, () => [{ name: 'round_officially_ended', values: {} }]);
  }
}

const REASON_OF = { CT: 'cts_won', T: 'terrorists_won', nobody: 'draw' } as const;

export function planKill(cues: Cues, kill: ComposedKill, roster: readonly ScriptedPlayer[]): void {
  const userId = (player: number): number => {
    const found = roster[player];
    if (found === undefined) throw new RangeError(`no player ${player}`);
    return found.userId;
  };
  const { attacker, assister, headshot = false, weapon = attacker === null ? 'world' : 'ak47' } = kill;
  addCue(cues, kill.tick, (stage) => {
    const victim = stage.players[kill.victim];
    if (victim === undefined) throw new RangeError(`no player ${kill.victim}`);
    const hit: Hit = {
      attacker: attacker === null ? null : userId(attacker),
      victim: userId(kill.victim),
      weapon,
      damage: victim.health,
      armorDamage: 0,
      healthLeft: 0,
      armorLeft: victim.armor,
      hitgroup: headshot ? HITGROUP.head : HITGROUP.chest,
    };
    stage.players[kill.victim] = { ...victim, health: 0 };
    const death = deathEvent(hit, {
      ...PLAIN_KILL,
      assister: assister === undefined ? null : userId(assister),
      headshot,
      wallbang: kill.wallbang ?? false,
      noScope: kill.noScope ?? false,
      throughSmoke: kill.throughSmoke ?? false,
      attackerBlind: kill.attackerBlind ?? false,
    });
    if (kill.deathLost === true) return [hurtEvent(hit)];
    if (hit.attacker === null) return [death];
    if (kill.attackerGone !== true) return [fireEvent(hit.attacker, weapon), hurtEvent(hit), death];
    const values = { ...(death.values as EventValues<'player_death'>), attacker: NOBODY, attacker_pawn: hit.attacker };
    return [{ name: 'player_death', values }];
  });
}

/** Plans everything except rounds and kills. */
export function planIncidents(cues: Cues, outline: MatchOutline): void {
  const setRules = (tick: number, change: (rules: ScriptedRules) => ScriptedRules): void => {
    addCue(cues, tick, (stage) => {
      stage.rules = change(stage.rules);
      return [];
    });
  };
  for (const { startTick, endTick } of outline.warmups ?? []) {
    setRules(startTick, (rules) => ({ ...rules, warmup: true }));
    setRules(endTick, (rules) => ({ ...rules, warmup: false }));
  }
  for (const { startTick, endTick } of outline.pauses ?? []) {
    setRules(startTick, (rules) => ({ ...rules, paused: true }));
    setRules(endTick, (rules) => ({ ...rules, paused: false }));
  }
  for (const { tick, T, CT } of outline.scores ?? []) setRules(tick, (rules) => scoresRestored(rules, { T, CT }));
  for (const tick of outline.sideSwaps ?? []) {
    addCue(cues, tick, (stage) => {
      stage.rules = sidesSwapped(stage.rules);
      stage.players.forEach((player, at) => {
        stage.players[at] = { ...player, team: player.team === 'T' ? 'CT' : 'T' };
      });
      return [];
    });
  }
  const change = (tick: number, player: number, how: Partial<ScriptedState>): void => {
    addCue(cues, tick, (stage) => {
      const state = stage.players[player];
      if (state !== undefined) stage.players[player] = { ...state, ...how };
      return [];
    });
  };
  for (const { tick, player, slot } of outline.seats ?? []) change(tick, player, { slot });
  for (const { tick, player } of outline.coaches ?? []) change(tick, player, { isCoach: true });
  for (const { tick, player } of outline.losses ?? []) change(tick, player, { isLost: true });
  for (const { tick, player, bot } of outline.takeovers ?? []) change(tick, player, { controls: bot });
}
