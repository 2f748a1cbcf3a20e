import { CELL_UNITS, FLAG_DUCKING, HANDLE_INDEX_BITS, LIFE_ALIVE, ORIGIN_CELL } from '#demo-format/game.ts';
import type { Entities, Entity, WantedFields } from '../source2/entities.ts';
import type { FieldList, FieldValue, Vector } from '../source2/field-decoder.ts';
import { FLIGHT_OF_CLASS, ITEM_OF_CLASS } from './item-classes.ts';
import type { Outfit, Position, Team } from './match.ts';
import type { Controller } from './roster.ts';
import { type RulesState, teamOf } from './round-sign.ts';
import type { PlayerSample } from './track-recorder.ts';

const CONTROLLER = {
  team: 'm_iTeamNum',
  pawn: 'm_hPawn',
  playerPawn: 'm_hPlayerPawn',
  account: 'm_pInGameMoneyServices.m_iAccount',
  crosshair: 'm_szCrosshairCodes',
  coaching: 'm_iCoachingTeam',
  connected: 'm_iConnected',
  steamId: 'm_steamID',
  name: 'm_iszPlayerName',
  color: 'm_iCompTeammateColor',
} as const;
const PAWN = {
  cellX: 'CBodyComponent.m_cellX',
  cellY: 'CBodyComponent.m_cellY',
  cellZ: 'CBodyComponent.m_cellZ',
  vecX: 'CBodyComponent.m_vecX',
  vecY: 'CBodyComponent.m_vecY',
  vecZ: 'CBodyComponent.m_vecZ',
  angles: 'm_angEyeAngles',
  health: 'm_iHealth',
  lifeState: 'm_lifeState',
  flags: 'm_fFlags',
  controller: 'm_hController',
  place: 'm_szLastPlaceName',
  armor: 'm_ArmorValue',
  weapon: 'm_pWeaponServices.m_hActiveWeapon',
  helmet: 'm_pItemServices.m_bHasHelmet',
  defuser: 'm_pItemServices.m_bHasDefuser',
  spotted: 'm_bSpottedByMask[]',
} as const;
const POSITION = Object.values(PAWN).slice(0, 6);
const RULES = [
  'm_pGameRules.m_nRoundStartCount',
  'm_pGameRules.m_nRoundEndCount',
  'm_pGameRules.m_totalRoundsPlayed',
  'm_pGameRules.m_bFreezePeriod',
  'm_pGameRules.m_bWarmupPeriod',
  'm_pGameRules.m_bGamePaused',
  'm_pGameRules.m_gamePhase',
  'm_pGameRules.m_iRoundWinStatus',
  'm_pGameRules.m_eRoundWinReason',
  'm_pGameRules.m_iRoundEndWinnerTeam',
  'm_pGameRules.m_eRoundEndReason',
  'm_pGameRules.m_iRoundTime',
  'm_pGameRules.m_fRoundStartTime',
] as const;
const PLANTED = ['m_bBombTicking', 'm_bBombDefused', 'm_bHasExploded', 'm_flTimerLength'] as const;
const WEAPON = ['m_hOwnerEntity', 'm_iClip1', 'm_pReserveAmmo[]'] as const;
const TEAM = ['m_iTeamNum', 'm_iScore'] as const;
const FIRE = ['m_fireCount', 'm_firePositions[]', 'm_bFireIsBurning[]'] as const;

/** The entity classes and fields that this module reads. */
export const SAMPLED_FIELDS: WantedFields = {
  CCSPlayerController: Object.values(CONTROLLER),
  CCSPlayerPawn: Object.values(PAWN),
  CCSGameRulesProxy: RULES,
  CCSTeam: TEAM,
  CInferno: FIRE,
  ...Object.fromEntries(Object.keys(ITEM_OF_CLASS).map((name) => [name, WEAPON])),
  CC4: ['m_hOwnerEntity', ...POSITION],
  ...Object.fromEntries(Object.keys(FLIGHT_OF_CLASS).map((name) => [name, ['m_hThrower', ...POSITION]])),
  CSmokeGrenadeProjectile: ['m_hThrower', ...POSITION, 'm_bDidSmokeEffect'],
  CPlantedC4: ['m_hBombDefuser', ...POSITION, ...PLANTED],
};

/** Positions of the values. */
const AT = placesOf(PAWN);
const OF = placesOf(CONTROLLER);

function placesOf<Name extends string>(fields: Readonly<Record<Name, string>>): Readonly<Record<Name, number>> {
  const places = Object.keys(fields).map((name, place) => [name, place]);
  return Object.fromEntries(places);
}

const INDEX_MASK = (1 << HANDLE_INDEX_BITS) - 1;
/** A handle has the low ten bits of the serial number. */
const SERIAL_MASK = 0x3ff;

/** `PlayerConnectedState` of the game: connected, connecting and reconnecting; leaving and gone are higher. */
const CONNECTED = 2;
/** A side has five colors, from 0. Coaches who join as players of a side have higher ones. */
const LAST_COLOR = 4;
/** The game's names have up to some twenty. */
const PLACE_LENGTH_AT_MOST = 64;
const PHASE_MATCH_ENDED = 5;

export interface SampledPlayer {
  readonly slot: number;
  /** Dollars; null if the recording has not sent it. */
  readonly money: number | null;
  readonly team: Team;
  /** The share code of their crosshair; empty for a bot, and if the recording has not sent it. */
  readonly crosshair: string;
  /** Their body's entity; null while they have none. */
  readonly pawn: Entity | null;
}

function isCoach({ values }: Entity): boolean {
  return numberOf(values[OF.coaching]) !== 0 || numberOf(values[OF.color]) > LAST_COLOR;
}

/** Returns who has which slot by the controllers of clients who are connected, spectators too. */
export function* sampledControllers(entities: Entities): Generator<Controller & { readonly slot: number }> {
  for (const entity of entities.ofClass('CCSPlayerController')) {
    const steamId = entity.values[OF.steamId];
    const name = entity.values[OF.name];
    if (typeof steamId !== 'bigint' || numberOf(entity.values[OF.connected]) > CONNECTED) continue;
    const slot = entity.index - 1;
    yield { slot, entity, steamId, name: typeof name === 'string' ? name : '', isCoach: isCoach(entity) };
  }
}

/**
 * Returns each controller of a player with a side, and the body that it moves: its own, or that of a bot it took over.
 * A coach has a side too. A player who has left keeps the controller for a while.
 */
export function* sampledPlayers(entities: Entities): Generator<SampledPlayer> {
  for (const controller of entities.ofClass('CCSPlayerController')) {
    const team = teamOf(controller.values[OF.team]);
    if (team === null || !controller.active || isCoach(controller)) continue;
    if (numberOf(controller.values[OF.connected]) > CONNECTED) continue;
    const account = controller.values[OF.account];
    const money = typeof account === 'number' ? account : null;
    const code = controller.values[OF.crosshair];
    const crosshair = typeof code === 'string' ? code : '';
    yield { slot: controller.index - 1, money, team, crosshair, pawn: pawnOf(entities, controller) };
  }
}

/**
 * Returns the slot of the player who moves the body of a handle, as events name it; null if it is not a player's body.
 */
export function slotOfPawn(entities: Entities, handle: number): number | null {
  const pawn = entityOf(entities, handle, 'CCSPlayerPawn');
  const controller = pawn === null ? null : entityOf(entities, pawn.values[AT.controller], 'CCSPlayerController');
  return controller === null ? null : controller.index - 1;
}

/** While a player is dead, `m_hPawn` is an observer's. Their body stays `m_hPlayerPawn`. */
function pawnOf(entities: Entities, controller: Entity): Entity | null {
  const { values } = controller;
  const pawn =
    entityOf(entities, values[OF.pawn], 'CCSPlayerPawn') ?? entityOf(entities, values[OF.playerPawn], 'CCSPlayerPawn');
  if (pawn === null || !pawn.active) return null;
  const mover = entityOf(entities, pawn.values[AT.controller], 'CCSPlayerController');
  return mover === null || mover === controller ? pawn : null;
}

function entityOf(entities: Entities, handle: FieldValue | undefined, className?: string): Entity | null {
  if (typeof handle !== 'number' || handle < 0) return null;
  const entity = entities.at(handle & INDEX_MASK);
  if (entity === null || (className !== undefined && entity.className !== className)) return null;
  return (entity.serial & SERIAL_MASK) === ((handle >>> HANDLE_INDEX_BITS) & SERIAL_MASK) ? entity : null;
}

/** Returns the position and state of a body; null before the recording has sent its position. */
export function samplePawn({ values }: Entity, team: Team): PlayerSample | null {
  const [x, y, z] = [coordinate(values, 0), coordinate(values, 1), coordinate(values, 2)];
  if (x === null || y === null || z === null) return null;
  const angles = values[AT.angles] as readonly number[] | undefined;
  const health = numberOf(values[AT.health]);
  return {
    x,
    y,
    z,
    yaw: normalizeAngle(angles?.[1] ?? 0),
    pitch: normalizeAngle(angles?.[0] ?? 0),
    health,
    alive: numberOf(values[AT.lifeState]) === LIFE_ALIVE && health > 0,
    ducking: (numberOf(values[AT.flags]) & FLAG_DUCKING) !== 0,
    team,
  };
}

/**
 * Returns the slots of the players who see a body, by the game's radar: a bit each, 32 a word. Returns the same list
 * while nothing changes; null if the recording lacks the radar.
 */
export function sampleSeers({ values }: Entity): FieldList | null {
  const words = values[AT.spotted];
  return Array.isArray(words) ? (words as FieldList) : null;
}

/** Returns what a body wears and holds, and the game's name of its place. */
export function sampleOutfit(entities: Entities, { values }: Entity): Omit<Outfit, 'money' | 'items'> {
  const weapon = entityOf(entities, values[AT.weapon]);
  const place = values[AT.place];
  return {
    place: typeof place === 'string' ? place.slice(0, PLACE_LENGTH_AT_MOST) : '',
    armor: numberOf(values[AT.armor]),
    helmet: values[AT.helmet] === true,
    kit: values[AT.defuser] === true,
    weapon: weapon === null ? null : (ITEM_OF_CLASS[weapon.className] ?? null),
    ...ammunitionOf(weapon),
  };
}

/** Returns the rounds in a weapon and in reserve; nothing for a knife, and if the recording lacks them. */
function ammunitionOf(weapon: Entity | null): Pick<Outfit, 'clip' | 'reserve'> {
  const [, sent, reserves] = weapon === null || weapon.className === 'CC4' ? [] : weapon.values;
  if (typeof sent !== 'number') return {};
  // The game sends rounds plus one, without a sign, though the field is of a signed type.
  const clip = (sent >= 0 ? 2 * sent : -2 * sent - 1) - 1;
  const reserve = Array.isArray(reserves) ? reserves[0] : undefined;
  if (clip < 0) return {};
  return { clip, ...(typeof reserve === 'number' ? { reserve } : {}) };
}

/** Returns each item with the entity index of the body that carries it; null for one on the ground. */
export function* sampledItems(entities: Entities): Generator<{ item: string; owner: number | null; at: Entity }> {
  for (const [className, item] of Object.entries(ITEM_OF_CLASS)) {
    for (const entity of entities.ofClass(className)) {
      const owner = entityOf(entities, entity.values[0], 'CCSPlayerPawn');
      if (entity.active) yield { item, owner: owner?.index ?? null, at: entity };
    }
  }
}

/** Returns each grenade in the air or on the ground. */
export function* sampledFlights(entities: Entities): Generator<SampledFlight> {
  for (const [className, kind] of Object.entries(FLIGHT_OF_CLASS)) {
    for (const entity of entities.ofClass(className)) {
      const place = entity.active ? positionOf(entity) : null;
      if (place !== null) yield { entity, kind, ...place, thrower: slotOfPawn(entities, numberOf(entity.values[0])) };
    }
  }
}

/** Returns each fire on the ground with the positions of its flames, by number; null for one that is out. */
export function* sampledFires(entities: Entities): Generator<{ index: number; flames: readonly (Position | null)[] }> {
  for (const { index, values, active } of entities.ofClass('CInferno')) {
    const [count, places, burning] = values;
    if (!active || !Array.isArray(places) || !Array.isArray(burning)) continue;
    const flames = Array.from({ length: Math.min(numberOf(count), places.length) }, (_, flame) => {
      const [x, y, z] = (places[flame] ?? []) as Vector;
      const isThere = burning[flame] === true && x !== undefined && y !== undefined && z !== undefined;
      return isThere ? { x, y, z } : null;
    });
    yield { index, flames };
  }
}

/** Returns each cloud of smoke by its entity, also those that the recording player does not see now. */
export function* sampledSmokes(entities: Entities): Generator<Position & { readonly index: number }> {
  for (const entity of entities.ofClass('CSmokeGrenadeProjectile')) {
    const place = entity.values[1 + POSITION.length] === true ? positionOf(entity) : null;
    if (place !== null) yield { index: entity.index, ...place };
  }
}

export interface SampledBomb extends Position {
  readonly state: 'ticking' | 'defused' | 'exploded' | 'gone';
  /** Length of its fuse; null if the recording lacks it. */
  readonly fuseSeconds: number | null;
  /** The slot of whoever defuses it, or did. */
  readonly defuser: number | null;
}

/** Returns the planted bomb; null if there is none. */
export function sampledBomb(entities: Entities): SampledBomb | null {
  for (const entity of entities.ofClass('CPlantedC4')) {
    const place = positionOf(entity);
    if (place === null) continue;
    const [ticking, defused, exploded, fuse] = entity.values.slice(1 + POSITION.length);
    const state = exploded === true ? 'exploded' : defused === true ? 'defused' : ticking === true ? 'ticking' : 'gone';
    const defuser = slotOfPawn(entities, numberOf(entity.values[0]));
    return { ...place, state, fuseSeconds: typeof fuse === 'number' && fuse > 0 ? fuse : null, defuser };
  }
  return null;
}

export interface SampledFlight extends Position {
  readonly entity: Entity;
  readonly kind: (typeof FLIGHT_OF_CLASS)[keyof typeof FLIGHT_OF_CLASS];
  /** Their slot. */
  readonly thrower: number | null;
}

/** Returns the position of an item or a grenade. */
export function positionOf({ values }: Entity): Position | null {
  const [x, y, z] = [0, 1, 2].map((axis) => coordinate(values, axis, 1));
  return x == null || y == null || z == null ? null : { x, y, z };
}

/** `first` is the position of the first of the six fields. */
function coordinate(values: Entity['values'], axis: number, first: number = AT.cellX): number | null {
  const cell = values[first + axis];
  const offset = values[first + AT.vecX + axis];
  if (typeof cell !== 'number' || typeof offset !== 'number') return null;
  return (cell - ORIGIN_CELL) * CELL_UNITS + offset;
}

/** Whether there are players and all of them have no money. */
export function isEverybodyBroke(entities: Entities): boolean {
  const players = [...sampledPlayers(entities)];
  return players.length > 1 && players.every(({ money }) => money === 0);
}

/** Returns null if the recording has no game rules, or they cannot be decoded. */
export function sampleRules(entities: Entities): RulesState | null {
  for (const { values } of entities.ofClass('CCSGameRulesProxy')) {
    const [starts, ends, played, freeze, warmup, paused, phase, status, winReason, endWinner, endReason] = values;
    const [roundSeconds, liveAt] = values.slice(RULES.indexOf('m_pGameRules.m_iRoundTime'));
    if (typeof played !== 'number') return null;
    const winner = numberOf(status);
    return {
      starts: typeof starts === 'number' ? starts : null,
      ends: typeof ends === 'number' ? ends : null,
      played,
      freeze: freeze === true,
      warmup: warmup === true,
      paused: paused === true,
      over: phase === PHASE_MATCH_ENDED,
      decided: winner !== 0,
      winner: teamOf(winner) ?? teamOf(endWinner),
      reason: numberOf(winReason) || numberOf(endReason),
      roundSeconds: numberOf(roundSeconds),
      liveAtSeconds: numberOf(liveAt),
    };
  }
  return null;
}

/** Returns null until both teams are there. */
export function sampleScores(entities: Entities): Record<Team, number> | null {
  const scores: Partial<Record<Team, number>> = {};
  for (const { values } of entities.ofClass('CCSTeam')) {
    const team = teamOf(values[0]);
    if (team !== null && typeof values[1] === 'number') scores[team] = values[1];
  }
  const { T, CT } = scores;
  return T === undefined || CT === undefined ? null : { T, CT };
}

function numberOf(value: FieldValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** Degrees in -180 to 180; the demo sends some angles as 0 to 360. */
function normalizeAngle(degrees: number): number {
  const turned = ((((degrees + 180) % 360) + 360) % 360) - 180;
  return turned === -180 && degrees > 0 ? 180 : turned;
}
