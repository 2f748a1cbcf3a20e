import type { EVENT_VALUE } from '#demo-format/game.ts';

/**
 * A key's type. A `controller` names a player by userid; a `pawn` key is that player's body and is filled in by the
 * writer.
 */
export type EventKeyType = keyof typeof EVENT_VALUE;

interface Descriptor {
  readonly id: number;
  /** In the order of the format. */
  readonly keys: Readonly<Record<string, EventKeyType>>;
}

const who = { userid: 'controller', userid_pawn: 'pawn' } as const;
const place = { x: 'float', y: 'float', z: 'float' } as const;
const blast = { ...who, entityid: 'short', ...place } as const;
const atSite = { ...who, site: 'short' } as const;

/** The legacy game events that a match uses: ids, keys and key types as the game (patch 14160) lists them. */
export const GAME_EVENTS = {
  player_connect_full: { id: 6, keys: { userid: 'controller' } },
  player_spawn: { id: 11, keys: who },
  player_team: {
    id: 12,
    keys: { ...who, team: 'byte', oldteam: 'byte', disconnect: 'bool', silent: 'bool', isbot: 'bool' },
  },
  player_hurt: {
    id: 16,
    keys: {
      ...who,
      attacker: 'controller',
      attacker_pawn: 'pawn',
      health: 'byte',
      armor: 'byte',
      weapon: 'string',
      dmg_health: 'short',
      dmg_armor: 'byte',
      hitgroup: 'byte',
    },
  },
  hltv_versioninfo: { id: 35, keys: { version: 'long' } },
  round_start: { id: 47, keys: { timelimit: 'long', fraglimit: 'long', objective: 'string' } },
  round_end: {
    id: 48,
    keys: {
      winner: 'byte',
      reason: 'byte',
      message: 'string',
      legacy: 'byte',
      player_count: 'short',
      nomusic: 'byte',
    },
  },
  round_freeze_end: { id: 51, keys: {} },
  player_death: {
    id: 53,
    keys: {
      ...who,
      attacker: 'controller',
      attacker_pawn: 'pawn',
      assister: 'controller',
      assister_pawn: 'pawn',
      assistedflash: 'bool',
      weapon: 'string',
      weapon_itemid: 'string',
      weapon_fauxitemid: 'string',
      weapon_originalowner_xuid: 'string',
      headshot: 'bool',
      dominated: 'short',
      revenge: 'short',
      wipe: 'short',
      penetrated: 'short',
      noreplay: 'bool',
      noscope: 'bool',
      thrusmoke: 'bool',
      attackerblind: 'bool',
      distance: 'float',
      dmg_health: 'short',
      dmg_armor: 'byte',
      hitgroup: 'byte',
      attackerinair: 'bool',
    },
  },
  round_announce_match_start: { id: 103, keys: {} },
  round_announce_warmup: { id: 104, keys: {} },
  warmup_end: { id: 105, keys: {} },
  round_officially_ended: { id: 107, keys: {} },
  begin_new_match: { id: 114, keys: {} },
  bomb_beginplant: { id: 136, keys: atSite },
  bomb_planted: { id: 138, keys: atSite },
  bomb_defused: { id: 139, keys: atSite },
  bomb_exploded: { id: 140, keys: atSite },
  announce_phase_end: { id: 145, keys: {} },
  bomb_begindefuse: { id: 147, keys: { ...who, haskit: 'bool' } },
  weapon_fire: { id: 160, keys: { ...who, weapon: 'string', silenced: 'bool' } },
  weapon_reload: { id: 163, keys: who },
  round_prestart: { id: 186, keys: {} },
  round_poststart: { id: 187, keys: {} },
  hegrenade_detonate: { id: 189, keys: blast },
  flashbang_detonate: { id: 190, keys: blast },
  smokegrenade_detonate: { id: 191, keys: blast },
  smokegrenade_expired: { id: 192, keys: blast },
  inferno_startburn: { id: 197, keys: { entityid: 'short', ...place } },
  inferno_expire: { id: 198, keys: { entityid: 'short', ...place } },
  player_blind: {
    id: 203,
    keys: { userid: 'controller', attacker: 'controller', entityid: 'short', blind_duration: 'float' },
  },
  cs_win_panel_match: { id: 216, keys: {} },
} as const satisfies Record<string, Descriptor>;

export type EventName = keyof typeof GAME_EVENTS;

type Keys<N extends EventName> = (typeof GAME_EVENTS)[N]['keys'];
type ValueOf<T> = T extends 'string' | 'uint64' ? string : T extends 'bool' ? boolean : number;

/**
 * An event's values by key. Missing ones are zero, false, empty or nobody. A pawn key is only set if the body is not
 * that of the player beside it.
 */
export type EventValues<N extends EventName> = {
  readonly [K in keyof Keys<N>]?: ValueOf<Keys<N>[K]>;
};

export type ScriptedEvent = {
  readonly [N in EventName]: { readonly name: N; readonly values: EventValues<N> };
}[EventName];

/** The userid of nobody. */
export const NOBODY = 65535;
