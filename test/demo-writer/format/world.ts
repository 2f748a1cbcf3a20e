import { CELL_UNITS, FLAG_DUCKING, LIFE_ALIVE, ORIGIN_CELL, TEAM_NUMBER } from '#demo-format/game.ts';
import type {
  Fire,
  GrenadeKind,
  MatchFrame,
  PlantedBomb,
  Projectile,
  ScriptedMatch,
  ScriptedPlayer,
  ScriptedRules,
  ScriptedState,
} from '../script/scripted-match.ts';
import { TICK_RATE } from '../script/scripted-match.ts';
import { createBallast } from './ballast.ts';
import { type ClassName, GAME_MODE_TYPE } from './classes.ts';
import { createEntityList, type EntityList, entityHandle, type Fields, NO_HANDLE } from './entity-list.ts';
import type { Vector3 } from './field-codec.ts';
import type { RecordingOptions } from './recording.ts';
import { rulesFields, SERVER_START_TICK } from './rules-fields.ts';

/** Entity indices: the game's for the world and the controllers, free ones for the rest. */
const WORLD_INDEX = 0;
const FIRST_CONTROLLER_INDEX = 1;
const FIRST_TEAM_INDEX = 65;
const RULES_INDEX = 70;
const FIRST_PAWN_INDEX = 304;
const PAWN_STRIDE = 4;
const BOMB_INDEX = 600;

/** The serial number of all entities, because they differ by index here. */
const SERIAL = 317;

const PROJECTILE_CLASS: Readonly<Record<GrenadeKind, ClassName>> = {
  smoke: 'CSmokeGrenadeProjectile',
  flash: 'CFlashbangProjectile',
  explosive: 'CHEGrenadeProjectile',
  fire: 'CMolotovProjectile',
};

const FLAG_ON_GROUND = 1;
/** Flags that the game sets on each standing player. */
const FLAGS_OF_PLAYERS = 0x10080;
const LIFE_DEAD = 2;
/** 30 rounds: the game sends one more, without a sign, and the field is of a signed type. */
const FULL_CLIP = -16;
/** `PlayerDisconnected` of the game's `PlayerConnectedState`. */
const CONNECTION_LOST = 4;

const BODY: Fields = { CBodyComponent: true, m_pEntity: true, 'm_pEntity.m_nameStringTableIndex': -1 };
const THROWN: Fields = { ...BODY, m_hOwnerEntity: NO_HANDLE, m_iTeamNum: 0, m_hThrower: NO_HANDLE };
const NONE: Fields = {};

const DEFAULTS: Readonly<Record<ClassName, Fields>> = {
  CCSGameRulesProxy: { m_pGameRules: true, 'm_pGameRules.m_pGameModeRules': GAME_MODE_TYPE.none },
  CCSPlayerController: {
    m_pEntity: true,
    'm_pEntity.m_nameStringTableIndex': -1,
    m_iTeamNum: 0,
    m_hPawn: NO_HANDLE,
    m_iConnected: 0,
    m_iCoachingTeam: 0,
    m_iCompTeammateColor: 0,
    m_iPing: 0,
    m_hPlayerPawn: NO_HANDLE,
    m_bPawnIsAlive: false,
    m_iScore: 0,
    m_iMVPs: 0,
    m_pInGameMoneyServices: true,
    'm_pInGameMoneyServices.m_iAccount': 0,
  },
  CCSTeam: { m_iScore: 0, m_szTeamname: '', m_scoreFirstHalf: 0, m_scoreSecondHalf: 0, m_szClanTeamname: '' },
  CAK47: { m_pEntity: true, 'm_pEntity.m_nameStringTableIndex': -1, m_hOwnerEntity: NO_HANDLE, m_iClip1: FULL_CLIP },
  CPhysicsPropMultiplayer: THROWN,
  CFlashbangProjectile: THROWN,
  CHEGrenadeProjectile: THROWN,
  CInferno: { ...BODY, m_hOwnerEntity: NO_HANDLE, m_fireCount: 0 },
  CMolotovProjectile: THROWN,
  CSmokeGrenadeProjectile: THROWN,
  CPlantedC4: {
    ...BODY,
    m_hOwnerEntity: NO_HANDLE,
    m_bBombTicking: true,
    m_bHasExploded: false,
    m_bBombDefused: false,
  },
  CWorld: { m_pEntity: true, 'm_pEntity.m_nameStringTableIndex': -1, m_iTeamNum: 0 },
  CCSPlayerPawn: {
    ...BODY,
    m_hOwnerEntity: NO_HANDLE,
    m_iHealth: 100,
    m_lifeState: LIFE_ALIVE,
    m_fFlags: FLAGS_OF_PLAYERS | FLAG_ON_GROUND,
    m_iMaxHealth: 100,
    m_flFlashDuration: 0,
    m_szLastPlaceName: '',
    m_bIsScoped: false,
    m_bIsDefusing: false,
    m_ArmorValue: 0,
    m_flVelocityModifier: 1,
    m_pMovementServices: true,
  },
};

export interface GameWorld {
  readonly entities: EntityList;
  /** Returns the handle of a player's body. */
  pawnHandle(userId: number): number;
  /** Applies a frame. `entities.delta()` then returns the difference to the frame before. */
  apply(frame: MatchFrame): void;
}

/** Turns the frames of a match into the game's entities. */
export function createWorld(match: ScriptedMatch, options: RecordingOptions = {}): GameWorld {
  const { isDeathmatch = false, lacks = [], isHeavy = false } = options;
  const entities = createEntityList(DEFAULTS);
  let flying = new Set<number>();
  let burning = new Set<number>();
  const seated = new Map<number, number | null>();
  const ballast = isHeavy ? createBallast(entities) : null;

  function putProjectiles(projectiles: readonly Projectile[], players: readonly ScriptedState[], clock: number): void {
    const now = new Set(projectiles.map(({ entityIndex }) => entityIndex));
    for (const index of flying) if (!now.has(index)) entities.remove(index);
    flying = now;
    for (const projectile of projectiles) {
      const thrower = pawnHandle(projectile.thrower);
      const slot = match.players.findIndex(({ userId }) => userId === projectile.thrower);
      const team = players[slot]?.team;
      entities.put(projectile.entityIndex, SERIAL, PROJECTILE_CLASS[projectile.kind], {
        m_flSimulationTime: clock,
        m_nOwnerId: thrower,
        m_hOwnerEntity: thrower,
        m_hThrower: thrower,
        m_iTeamNum: team === undefined ? 0 : TEAM_NUMBER[team],
        ...bodyFields(projectile),
      });
    }
  }

  function putFires(fires: readonly Fire[]): void {
    const now = new Set(fires.map(({ entityIndex }) => entityIndex));
    for (const index of burning) if (!now.has(index)) entities.remove(index);
    burning = now;
    for (const { entityIndex, thrower, flames, ...at } of fires) {
      const sent = flames.flatMap(({ x, y, z }, i): [string, boolean | Vector3][] => [
        [`m_firePositions.${i}`, [x, y, z]],
        [`m_bFireIsBurning.${i}`, true],
      ]);
      entities.put(entityIndex, SERIAL, 'CInferno', {
        ...bodyFields(at),
        m_hOwnerEntity: pawnHandle(thrower),
        m_fireCount: flames.length,
        ...Object.fromEntries(sent),
      });
    }
  }

  return {
    entities,
    pawnHandle,
    apply({ tick, players, rules, projectiles, fires, bomb }) {
      const clock = SERVER_START_TICK + tick;
      if (tick === 1) entities.put(WORLD_INDEX, SERIAL, 'CWorld', NONE);
      if (!lacks.includes('teams')) putTeams(entities, rules);
      if (!lacks.includes('rules')) {
        entities.put(RULES_INDEX, SERIAL, 'CCSGameRulesProxy', rulesFields(rules, isDeathmatch));
      }
      match.players.forEach((player, at) => {
        const state = players[at];
        if (state === undefined) throw new Error(`no state of player ${player.name} at tick ${tick}`);
        const slot = slotOf(player, state);
        const before = seated.get(player.userId) ?? null;
        if (before !== slot && before !== null) entities.remove(controllerIndex(before));
        seated.set(player.userId, slot);
        if (slot === null) {
          entities.remove(pawnIndex(player.userId));
          return;
        }
        const alive = state.health > 0;
        const driver = match.players.findIndex((_, other) => players[other]?.controls === player.userId);
        if (before !== slot) {
          entities.put(controllerIndex(slot), SERIAL, 'CCSPlayerController', introduction(player));
        }
        entities.put(controllerIndex(slot), SERIAL, 'CCSPlayerController', {
          m_hPawn: pawnHandle(state.controls ?? player.userId),
          m_flSimulationTime: clock,
          m_nTickBase: clock,
          m_iTeamNum: TEAM_NUMBER[state.team],
          m_bPawnIsAlive: alive,
          m_iConnected: state.isLost === true ? CONNECTION_LOST : 0,
          m_iCoachingTeam: state.isCoach === true ? TEAM_NUMBER[state.team] : 0,
          m_iScore: state.score,
          m_iPawnHealth: state.health,
          m_iPawnArmor: state.armor,
          'm_pInGameMoneyServices.m_iAccount': state.money,
        });
        // One by one, always the same fields: spreading them into one object takes longer than all the rest.
        const put = (fields: Fields) => entities.put(pawnIndex(player.userId), SERIAL, 'CCSPlayerPawn', fields);
        if (alive) put({ m_flSimulationTime: clock });
        put(bodyFields(state));
        put({
          m_angEyeAngles: [state.pitch, state.yaw, 0],
          m_fFlags: FLAGS_OF_PLAYERS | FLAG_ON_GROUND | (state.ducking ? FLAG_DUCKING : 0),
          m_iHealth: state.health,
          m_lifeState: alive ? LIFE_ALIVE : LIFE_DEAD,
          m_iTeamNum: TEAM_NUMBER[state.team],
          m_hController: controllerHandle(seated.get(match.players[driver]?.userId ?? player.userId) ?? slot),
          m_flFlashDuration: Math.fround(state.flashDuration),
          m_szLastPlaceName: state.place,
          m_bIsScoped: state.scoped,
          m_bIsDefusing: state.defusing,
          m_ArmorValue: state.armor,
          'm_bSpottedByMask.0': state.spottedBy ?? 0,
        });
      });
      putProjectiles(projectiles, players, clock);
      putFires(fires);
      ballast?.apply(
        tick,
        clock,
        match.players.map(({ userId }) => pawnIndex(userId)),
      );
      if (bomb === null) entities.remove(BOMB_INDEX);
      else entities.put(BOMB_INDEX, SERIAL, 'CPlantedC4', bombFields(bomb, clock));
    },
  };
}

function pawnIndex(userId: number): number {
  return FIRST_PAWN_INDEX + userId * PAWN_STRIDE;
}

function pawnHandle(userId: number): number {
  return entityHandle(pawnIndex(userId), SERIAL);
}

function controllerIndex(userId: number): number {
  return FIRST_CONTROLLER_INDEX + userId;
}

function controllerHandle(userId: number): number {
  return entityHandle(controllerIndex(userId), SERIAL);
}

/** Share codes: a cyan crosshair with an outline, a smaller green one, and none, as of a bot. */
const CROSSHAIRS = ['CSGO-rLmOq-feWcK-PQ4jq-Z2ETV-tzAkE', 'CSGO-X6miS-CuavU-w62d9-5XcWr-jZxTC', ''];

function introduction(player: ScriptedPlayer): Fields {
  return {
    m_iszPlayerName: player.name,
    m_steamID: BigInt(player.steamId),
    m_hPlayerPawn: pawnHandle(player.userId),
    m_iCompTeammateColor: player.color ?? player.userId % 5,
    m_iPing: 8 + ((player.userId * 7) % 30),
    m_szCrosshairCodes: CROSSHAIRS[player.userId % CROSSHAIRS.length] ?? '',
  };
}

function bodyFields({ x, y, z }: { readonly x: number; readonly y: number; readonly z: number }): Fields {
  const cellX = Math.floor(x / CELL_UNITS);
  const cellY = Math.floor(y / CELL_UNITS);
  const cellZ = Math.floor(z / CELL_UNITS);
  return {
    'CBodyComponent.m_cellX': cellX + ORIGIN_CELL,
    'CBodyComponent.m_cellY': cellY + ORIGIN_CELL,
    'CBodyComponent.m_cellZ': cellZ + ORIGIN_CELL,
    'CBodyComponent.m_vecX': Math.fround(x - cellX * CELL_UNITS),
    'CBodyComponent.m_vecY': Math.fround(y - cellY * CELL_UNITS),
    'CBodyComponent.m_vecZ': Math.fround(z - cellZ * CELL_UNITS),
  };
}

function bombFields(bomb: PlantedBomb, clock: number): Fields {
  return {
    m_flSimulationTime: clock,
    m_hOwnerEntity: pawnHandle(bomb.planter),
    m_bBombTicking: bomb.state === 'ticking',
    m_flC4Blow: Math.fround((SERVER_START_TICK + bomb.blowTick) / TICK_RATE),
    m_nBombSite: bomb.site,
    m_flTimerLength: bomb.fuseSeconds,
    m_bHasExploded: bomb.state === 'exploded',
    m_bBombDefused: bomb.state === 'defused',
    ...bodyFields(bomb),
  };
}

/** Returns a player's slot; null if they are not there. */
export function slotOf({ userId }: ScriptedPlayer, { slot = userId }: ScriptedState): number | null {
  return slot;
}

const TEAM_NAMES = ['Unassigned', 'Spectator', 'TERRORIST', 'CT'];

function putTeams(entities: EntityList, rules: ScriptedRules): void {
  TEAM_NAMES.forEach((name, number) => {
    const score = number === TEAM_NUMBER.T ? rules.scores.T : number === TEAM_NUMBER.CT ? rules.scores.CT : 0;
    entities.put(FIRST_TEAM_INDEX + number, SERIAL, 'CCSTeam', {
      m_iTeamNum: number,
      m_szTeamname: name,
      m_iScore: score,
    });
  });
}
