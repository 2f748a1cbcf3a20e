import type { GameEvent } from './game-events.ts';
import type { Hurt, Kill, PlayerIndex, Team, WeaponFire } from './match.ts';
import type { Span } from './round-tracker.ts';

export const COMBAT_EVENTS = ['player_death', 'player_hurt', 'weapon_fire'] as const;

/** What the recorder has to know of the moment in which an event comes. */
interface Moment {
  readonly tick: number;
  playerAt(slot: number | null): PlayerIndex | null;
  teamAt(slot: number | null): Team | null;
  /** The round under way; only asked for where something counts. */
  span(): Span | null;
}

export interface CombatRecorder {
  handle(event: GameEvent, moment: Moment): void;
  /** Health of a player at the end of a tick, against which the next hit is measured. */
  noteHealth(player: PlayerIndex, health: number): void;
  /** Call after the round tracker's `finish`: kills take their round numbers from it. */
  finish(): { kills: readonly Kill[]; hurts: readonly Hurt[]; weaponFires: readonly WeaponFire[] };
}

/** Collects kills, hits and shots in demo order. */
export function createCombatRecorder(): CombatRecorder {
  const kills: { kill: Omit<Kill, 'round'>; span: Span | null }[] = [];
  const hurts: Hurt[] = [];
  const weaponFires: WeaponFire[] = [];
  const health = new Map<PlayerIndex, number>();

  function recordKill(event: GameEvent, moment: Moment): void {
    const victimSlot = event.slot('userid');
    const victim = moment.playerAt(victimSlot);
    if (victim === null) return;
    const attackerSlot = event.slot('attacker');
    const attacker = moment.playerAt(attackerSlot);
    const kill = {
      tick: moment.tick,
      attacker,
      victim,
      assister: moment.playerAt(event.slot('assister')),
      attackerTeam: attacker === null ? null : moment.teamAt(attackerSlot),
      victimTeam: moment.teamAt(victimSlot),
      weapon: weaponName(event),
      headshot: event.flag('headshot'),
      wallbang: event.number('penetrated') > 0,
      noScope: event.flag('noscope'),
      throughSmoke: event.flag('thrusmoke'),
      attackerBlind: event.flag('attackerblind'),
    };
    kills.push({ kill, span: moment.span() });
  }

  function recordHurt(event: GameEvent, moment: Moment): void {
    const victim = moment.playerAt(event.slot('userid'));
    if (victim === null) return;
    const healthLeft = event.number('health');
    // The event tells the hit's raw force: a headshot of 400 still takes no more than the victim has.
    const damage = Math.min(event.number('dmg_health'), health.get(victim) ?? 100);
    health.set(victim, healthLeft);
    hurts.push({
      tick: moment.tick,
      attacker: moment.playerAt(event.slot('attacker')),
      victim,
      damage,
      armorDamage: event.number('dmg_armor'),
      healthLeft,
      weapon: weaponName(event),
      hitgroup: event.number('hitgroup'),
    });
  }

  return {
    handle(event, moment) {
      if (event.name === 'player_death') recordKill(event, moment);
      else if (event.name === 'player_hurt') recordHurt(event, moment);
      else if (event.name === 'weapon_fire') {
        const player = moment.playerAt(event.slot('userid'));
        if (player !== null) weaponFires.push({ tick: moment.tick, player, weapon: weaponName(event) });
      }
    },

    noteHealth(player, value) {
      health.set(player, value);
    },

    finish: () => ({
      kills: kills.map(({ kill, span }) => ({ ...kill, round: span?.number ?? null })),
      hurts,
      weaponFires,
    }),
  };
}

function weaponName(event: GameEvent): string {
  return event.text('weapon').replace(/^weapon_/, '');
}
