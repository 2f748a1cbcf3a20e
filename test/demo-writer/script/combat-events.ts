import { type EventValues, NOBODY, type ScriptedEvent } from './game-events.ts';

export const HITGROUP = {
  generic: 0,
  head: 1,
  chest: 2,
  stomach: 3,
  leftArm: 4,
  rightArm: 5,
  leftLeg: 6,
  rightLeg: 7,
} as const;

/** A wound or a death. Players by userid; a null attacker is the world. */
export interface Hit {
  readonly attacker: number | null;
  readonly victim: number;
  /** Without `weapon_`. */
  readonly weapon: string;
  readonly damage: number;
  readonly armorDamage: number;
  readonly healthLeft: number;
  readonly armorLeft: number;
  readonly hitgroup: number;
}

export interface KillFacts {
  readonly assister: number | null;
  readonly flashAssist: boolean;
  readonly headshot: boolean;
  readonly wallbang: boolean;
  readonly noScope: boolean;
  readonly throughSmoke: boolean;
  readonly attackerBlind: boolean;
  /** Game units. */
  readonly distance: number;
}

export const PLAIN_KILL: KillFacts = {
  assister: null,
  flashAssist: false,
  headshot: false,
  wallbang: false,
  noScope: false,
  throughSmoke: false,
  attackerBlind: false,
  distance: 0,
};

/** The event gives distances in metres. */
const UNITS_PER_METRE = 39.37;
/** The game's value for a weapon that is not an inventory item. */
const NO_ITEM = '0';

export function fireEvent(userid: number, weapon: string): ScriptedEvent {
  return { name: 'weapon_fire', values: { userid, weapon: `weapon_${weapon}`, silenced: SILENCED.has(weapon) } };
}

const SILENCED: ReadonlySet<string> = new Set(['m4a1_silencer', 'usp_silencer']);

export function hurtEvent(hit: Hit): ScriptedEvent {
  return {
    name: 'player_hurt',
    values: {
      userid: hit.victim,
      attacker: hit.attacker ?? NOBODY,
      health: hit.healthLeft,
      armor: hit.armorLeft,
      weapon: hit.attacker === null ? '' : hit.weapon,
      dmg_health: hit.damage,
      dmg_armor: hit.armorDamage,
      hitgroup: hit.hitgroup,
    },
  };
}

export function deathEvent(hit: Hit, facts: KillFacts): ScriptedEvent {
  const values: EventValues<'player_death'> = {
    userid: hit.victim,
    attacker: hit.attacker ?? NOBODY,
    assister: facts.assister ?? NOBODY,
    assistedflash: facts.flashAssist,
    weapon: hit.weapon,
    weapon_itemid: NO_ITEM,
    weapon_fauxitemid: NO_ITEM,
    headshot: facts.headshot,
    penetrated: facts.wallbang ? 1 : 0,
    noreplay: true,
    noscope: facts.noScope,
    thrusmoke: facts.throughSmoke,
    attackerblind: facts.attackerBlind,
    distance: Math.fround(facts.distance / UNITS_PER_METRE),
    dmg_health: hit.damage,
    dmg_armor: hit.armorDamage,
    hitgroup: hit.hitgroup,
  };
  return { name: 'player_death', values };
}
