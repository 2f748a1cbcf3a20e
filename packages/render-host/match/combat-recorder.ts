import { cleanName } from '#domain/lib/text.ts';
import { addAtMost } from './demo-view.ts';
import type { GameEvent } from './game-events.ts';
import type { Blinding, BombAction, Hurt, Kill, PlayerIndex, Reload, Team, WeaponFire } from './match.ts';

export const COMBAT_EVENTS = ['player_death', 'player_hurt', 'weapon_fire'] as const;

/** A long match has three hundred. Planning compares each with the others. More are counted, not kept. */
const MOST_KILLS = 10_000;
/** A death's event comes with the hit, at times some ticks later. */
const DEATH_LAG_TICKS = 64;
const HITGROUP_HEAD = 1;
/** Code points. The game's names have up to fifteen. */
const WEAPON_LENGTH_AT_MOST = 32;

/** What the recorder reads at an event. */
export interface EventMoment {
  readonly tick: number;
  /** Whether team mates are enemies. */
  readonly freeForAll: boolean;
  /** Returns the player whom a field of the event names; null for nobody and for the world. */
  who(event: GameEvent, field: string): PlayerIndex | null;
  /** Returns the side of a player, or their last one. */
  teamOf(player: PlayerIndex): Team | null;
}

export interface CombatRecorder {
  handle(event: GameEvent, moment: EventMoment): void;
  /** Notes the health of a player at the end of a tick. The next hit is measured against it. */
  noteHealth(player: PlayerIndex, health: number): void;
  /** @param roundAt returns the round of a tick */
  finish(roundAt: (tick: number) => number | null): {
    kills: readonly Kill[];
    hurts: readonly Hurt[];
    weaponFires: readonly WeaponFire[];
    killsLeftOut?: number;
  };
}

/** Collects kills, hits and shots in demo order. */
export function createCombatRecorder(): CombatRecorder {
  const kills: Omit<Kill, 'round'>[] = [];
  const hurts: Hurt[] = [];
  const weaponFires: WeaponFire[] = [];
  let killsLeftOut = 0;
  const health = new Map<PlayerIndex, number>();
  /** The kill by the last deadly hit of a player, until the event of their death. */
  const unconfirmed = new Map<PlayerIndex, (typeof kills)[number]>();

  /** Records the kill of a death's event, or of a deadly hit: some recordings lack the event of the death. */
  function recordKill(event: GameEvent, moment: EventMoment): void {
    const victim = moment.who(event, 'userid');
    if (victim === null) return;
    const attacker = moment.who(event, 'attacker');
    const isHit = event.name === 'player_hurt';
    const before = unconfirmed.get(victim);
    unconfirmed.delete(victim);
    const isSame = !isHit && before !== undefined && moment.tick - before.tick <= DEATH_LAG_TICKS;
    const at = isSame ? kills.lastIndexOf(before) : -1;
    if (at >= 0) kills.splice(at, 1);
    health.set(victim, 0);
    const kill: (typeof kills)[number] = {
      tick: moment.tick,
      attacker,
      victim,
      assister: moment.who(event, 'assister'),
      attackerTeam: attacker === null ? null : moment.teamOf(attacker),
      victimTeam: moment.teamOf(victim),
      weapon: weaponName(event),
      headshot: isHit ? event.number('hitgroup') === HITGROUP_HEAD : event.flag('headshot'),
      wallbang: event.number('penetrated') > 0,
      noScope: event.flag('noscope'),
      throughSmoke: event.flag('thrusmoke'),
      attackerBlind: event.flag('attackerblind'),
      ...(event.flag('assistedflash') ? { flashAssist: true } : {}),
      ...(event.flag('attackerinair') ? { attackerInAir: true } : {}),
      ...(event.number('dominated') > 0 ? { domination: true } : {}),
      ...(event.number('revenge') > 0 ? { revenge: true } : {}),
      ...(moment.freeForAll ? { freeForAll: true } : {}),
    };
    if (isHit) unconfirmed.set(victim, kill);
    if (kills.length < MOST_KILLS) kills.push(kill);
    else if (!isSame) killsLeftOut += 1;
  }

  function recordHurt(event: GameEvent, moment: EventMoment): void {
    const victim = moment.who(event, 'userid');
    if (victim === null) return;
    const healthLeft = event.number('health');
    // The event has the raw damage: a headshot of 400 takes no more health than the victim has.
    const healthBefore = health.get(victim) ?? 100;
    const damage = Math.min(event.number('dmg_health'), healthBefore);
    if (healthBefore > 0 && event.optional('health') === 0) recordKill(event, moment);
    health.set(victim, healthLeft);
    hurts.push({
      tick: moment.tick,
      attacker: moment.who(event, 'attacker'),
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
        const player = moment.who(event, 'userid');
        if (player !== null) weaponFires.push({ tick: moment.tick, player, weapon: weaponName(event) });
      }
    },

    noteHealth(player, value) {
      health.set(player, value);
    },

    finish: (roundAt) => ({
      kills: kills.map((kill) => ({ ...kill, round: roundAt(kill.tick) })),
      hurts,
      weaponFires,
      ...(killsLeftOut > 0 ? { killsLeftOut } : {}),
    }),
  };
}

function weaponName(event: GameEvent): string {
  return cleanName(event.text('weapon').replace(/^weapon_/, ''), WEAPON_LENGTH_AT_MOST);
}

const BOMB_ACTIONS = {
  bomb_beginplant: 'plant_begun',
  bomb_abortplant: 'plant_given_up',
  bomb_planted: 'planted',
  bomb_begindefuse: 'defuse_begun',
  bomb_abortdefuse: 'defuse_given_up',
  bomb_defused: 'defused',
  bomb_exploded: 'exploded',
  bomb_dropped: 'dropped',
  bomb_pickup: 'picked_up',
} as const satisfies Record<string, BombAction['kind']>;

export const ACTION_EVENTS = ['weapon_reload', 'player_blind', ...Object.keys(BOMB_ACTIONS)];

/** A long match has 3,000 reloads, 2,000 blindings and 500 steps of the bomb. */
const MOST = { reloads: 100_000, blindings: 100_000, bombActions: 20_000 };

export interface ActionRecorder {
  handle(tick: number, event: GameEvent, who: (field: string) => PlayerIndex | null): void;
  finish(): {
    readonly reloads: readonly Reload[];
    readonly blindings: readonly Blinding[];
    readonly bombActions: readonly BombAction[];
  };
}

/** Collects reloads, blindings and work on the bomb. */
export function createActionRecorder(): ActionRecorder {
  const reloads: Reload[] = [];
  const blindings: Blinding[] = [];
  const bombActions: BombAction[] = [];
  return {
    handle(tick, event, who) {
      if (event.name === 'weapon_reload') {
        const player = who('userid');
        if (player !== null) addAtMost(reloads, MOST.reloads, 'reloads', { tick, player });
        return;
      }
      if (event.name === 'player_blind') {
        const player = who('userid');
        const seconds = event.number('blind_duration');
        if (player === null || !(seconds > 0)) return;
        addAtMost(blindings, MOST.blindings, 'blindings', { tick, player, by: who('attacker'), seconds });
        return;
      }
      const kind = isBombEvent(event.name) ? BOMB_ACTIONS[event.name] : null;
      if (kind === null) return;
      const action = { tick, kind, player: who('userid'), ...(event.flag('haskit') ? { hasKit: true as const } : {}) };
      addAtMost(bombActions, MOST.bombActions, 'steps of the bomb', action);
    },
    finish: () => ({ reloads, blindings, bombActions }),
  };
}

function isBombEvent(name: string): name is keyof typeof BOMB_ACTIONS {
  return name in BOMB_ACTIONS;
}
