import type { FieldSpec, Serializer } from './field-codec.ts';

/**
 * The entity classes of a written demo. Names, types, order and encodings are the game's (build 10772, patch 14160).
 * Each class has only the fields that something reads, because a demo has its own send tables.
 */

const handle = (name: string, of: string): FieldSpec => ({ name, type: `CHandle< ${of} >`, varSerializer: 'ehandle' });
const plain = (type: string, ...names: string[]): FieldSpec[] => names.map((name) => ({ name, type }));
const time = (name: string): FieldSpec => ({ name, type: 'GameTime_t', bitCount: 32 });
const simulationTime: FieldSpec = {
  name: 'm_flSimulationTime',
  type: 'float32',
  varSerializer: 'simulationTimeSerializer',
};

const ORIGIN = 'm_skeletonInstance.m_vecOrigin';
const cells: FieldSpec[] = ['X', 'Y', 'Z'].map((axis) => ({
  name: `m_cell${axis}`,
  type: 'uint16',
  sendNode: ORIGIN,
  varSerializer: `cell${axis.toLowerCase()}`,
}));
const offsets = (encoding: Pick<FieldSpec, 'bitCount' | 'high' | 'encodeFlags'>): FieldSpec[] =>
  ['X', 'Y', 'Z'].map((axis) => ({
    name: `m_vec${axis}`,
    type: 'CNetworkedQuantizedFloat',
    sendNode: ORIGIN,
    varSerializer: `pos${axis.toLowerCase()}`,
    ...encoding,
  }));

const entityIdentity: Serializer = {
  name: 'CEntityIdentity',
  version: 0,
  fields: plain('int32', 'm_nameStringTableIndex'),
};
const identity: FieldSpec = { name: 'm_pEntity', type: 'CEntityIdentity*', serializer: entityIdentity };
const body = (serializer: Serializer): FieldSpec => ({ name: 'CBodyComponent', type: 'CBodyComponent', serializer });

/** Projectiles and the bomb: a 32nd of a unit. */
const coarseBody: Serializer = {
  name: 'CBodyComponentBaseAnimGraph',
  version: 1,
  fields: [...cells, ...offsets({ bitCount: 15, high: 1024, encodeFlags: 1 })],
};

/** Players: a full float. */
const playerBody: Serializer = {
  name: 'CBodyComponentBaseAnimGraph',
  version: 3,
  fields: [...cells, ...offsets({ bitCount: 32 })],
};

/** The rules of a game mode. The value includes the type that it has. */
const modeRules = (name: string, fields: FieldSpec[]): Serializer => ({ name, version: 0, fields });
const gameModeRules: FieldSpec = {
  name: 'm_pGameModeRules',
  type: 'CCSGameModeRules*',
  serializer: modeRules('CCSGameModeRules', []),
  variants: [
    modeRules('CCSGameModeRules_ArmsRace', []),
    modeRules('CCSGameModeRules_Deathmatch', [
      time('m_flDMBonusStartTime'),
      { name: 'm_flDMBonusTimeLength', type: 'float32', bitCount: 32 },
      { name: 'm_sDMBonusWeapon', type: 'CUtlString' },
    ]),
    modeRules('CCSGameModeRules_Noop', []),
  ],
};
export const GAME_MODE_TYPE = { deathmatch: 2, none: 3 } as const;

const gameRules: Serializer = {
  name: 'CCSGameRules',
  version: 0,
  fields: [
    ...plain('bool', 'm_bFreezePeriod', 'm_bWarmupPeriod', 'm_bGamePaused'),
    ...plain('int32', 'm_iRoundTime'),
    time('m_fRoundStartTime'),
    ...plain('int32', 'm_gamePhase', 'm_totalRoundsPlayed', 'm_nOvertimePlaying'),
    ...plain('bool', 'm_bHasMatchStarted', 'm_bBombPlanted'),
    ...plain('int32', 'm_iRoundWinStatus', 'm_eRoundWinReason'),
    ...plain('uint8', 'm_nMatchEndCount'),
    ...plain('int32', 'm_iRoundEndWinnerTeam', 'm_eRoundEndReason'),
    ...plain('uint8', 'm_nRoundEndCount'),
    ...plain('int32', 'm_iRoundStartRoundNumber'),
    ...plain('uint8', 'm_nRoundStartCount'),
    gameModeRules,
  ],
};

const moneyServices: Serializer = {
  name: 'CCSPlayerController_InGameMoneyServices',
  version: 0,
  fields: plain('int32', 'm_iAccount'),
};

const projectile = (name: string): Serializer => ({
  name,
  version: 0,
  fields: [
    simulationTime,
    handle('m_hOwnerEntity', 'CBaseEntity'),
    body(coarseBody),
    identity,
    ...plain('uint8', 'm_iTeamNum'),
    { name: 'm_nOwnerId', type: 'uint32', sendNode: 'm_Collision.m_collisionAttribute' },
    handle('m_hThrower', 'CCSPlayerPawn'),
  ],
});

/** The fields of a player that change at each tick without use for a clip: most of a recording's weight. */
const movementServices: Serializer = {
  name: 'CCSPlayer_MovementServices',
  version: 0,
  fields: [
    ...plain('uint64', 'm_nToggleButtonDownMask'),
    { name: 'm_flDuckAmount', type: 'float32' },
    { name: 'm_flDuckSpeed', type: 'float32' },
    ...plain('uint32', 'm_nLadderSurfacePropIndex', 'm_nGameCodeHasMovedPlayerAfterCommand'),
  ],
};

const weapon: Serializer = {
  name: 'CWeaponCSBase',
  version: 0,
  fields: [
    simulationTime,
    handle('m_hOwnerEntity', 'CBaseEntity'),
    identity,
    ...plain('int32', 'm_iClip1', 'm_nNextPrimaryAttackTick'),
    { name: 'm_flNextPrimaryAttackTickRatio', type: 'float32' },
    { name: 'm_flRecoilIndex', type: 'float32' },
    { name: 'm_fAccuracyPenalty', type: 'float32' },
    time('m_flLastShotTime'),
  ],
};

/**
 * In the game's order, except for CCSPlayerPawn: it is last, because some readers identify a nested serializer by its
 * name alone, and have to find its kind of body last.
 */
export const CLASSES = {
  CCSGameRulesProxy: {
    name: 'CCSGameRulesProxy',
    version: 0,
    fields: [{ name: 'm_pGameRules', type: 'CCSGameRules*', serializer: gameRules }],
  },
  CCSPlayerController: {
    name: 'CCSPlayerController',
    version: 0,
    fields: [
      simulationTime,
      ...plain('uint32', 'm_nTickBase'),
      identity,
      ...plain('uint8', 'm_iTeamNum'),
      handle('m_hPawn', 'CBasePlayerPawn'),
      ...plain('PlayerConnectedState', 'm_iConnected'),
      ...plain('char[128]', 'm_iszPlayerName'),
      { name: 'm_steamID', type: 'uint64', encoder: 'fixed64' },
      ...plain('uint32', 'm_iPing'),
      handle('m_hPlayerPawn', 'CCSPlayerPawn'),
      ...plain('bool', 'm_bPawnIsAlive'),
      ...plain('int32', 'm_iScore', 'm_iMVPs'),
      ...plain('uint32', 'm_iPawnHealth'),
      ...plain('int32', 'm_iPawnArmor'),
      ...plain('CUtlSymbolLarge', 'm_szCrosshairCodes'),
      ...plain('int32', 'm_iCoachingTeam', 'm_iCompTeammateColor'),
      {
        name: 'm_pInGameMoneyServices',
        type: 'CCSPlayerController_InGameMoneyServices*',
        serializer: moneyServices,
      },
    ],
  },
  CCSTeam: {
    name: 'CCSTeam',
    version: 0,
    fields: [
      ...plain('uint8', 'm_iTeamNum'),
      ...plain('int32', 'm_iScore'),
      ...plain('char[129]', 'm_szTeamname'),
      ...plain('int32', 'm_scoreFirstHalf', 'm_scoreSecondHalf'),
      ...plain('char[129]', 'm_szClanTeamname'),
    ],
  },
  CAK47: { ...weapon, name: 'CAK47' },
  CFlashbangProjectile: projectile('CFlashbangProjectile'),
  CHEGrenadeProjectile: projectile('CHEGrenadeProjectile'),
  CInferno: {
    name: 'CInferno',
    version: 0,
    fields: [
      handle('m_hOwnerEntity', 'CBaseEntity'),
      body(coarseBody),
      identity,
      ...plain('Vector[64]', 'm_firePositions'),
      ...plain('bool[64]', 'm_bFireIsBurning'),
      ...plain('int32', 'm_fireCount'),
    ],
  },
  CMolotovProjectile: projectile('CMolotovProjectile'),
  CPhysicsPropMultiplayer: projectile('CPhysicsPropMultiplayer'),
  CPlantedC4: {
    name: 'CPlantedC4',
    version: 0,
    fields: [
      simulationTime,
      handle('m_hOwnerEntity', 'CBaseEntity'),
      body(coarseBody),
      identity,
      ...plain('bool', 'm_bBombTicking'),
      time('m_flC4Blow'),
      ...plain('int32', 'm_nBombSite'),
      { name: 'm_flTimerLength', type: 'float32' },
      ...plain('bool', 'm_bHasExploded', 'm_bBombDefused'),
    ],
  },
  CSmokeGrenadeProjectile: projectile('CSmokeGrenadeProjectile'),
  CWorld: {
    name: 'CWorld',
    version: 0,
    fields: [identity, ...plain('uint8', 'm_iTeamNum')],
  },
  CCSPlayerPawn: {
    name: 'CCSPlayerPawn',
    version: 0,
    fields: [
      simulationTime,
      handle('m_hOwnerEntity', 'CBaseEntity'),
      { name: 'm_angEyeAngles', type: 'QAngle', encoder: 'qangle_precise', bitCount: 0 },
      { name: 'm_iHealth', type: 'int32', varSerializer: 'ClampHealth' },
      ...plain('uint8', 'm_lifeState'),
      ...plain('uint32', 'm_fFlags'),
      body(playerBody),
      identity,
      ...plain('int32', 'm_iMaxHealth'),
      ...plain('uint8', 'm_iTeamNum'),
      handle('m_hController', 'CBasePlayerController'),
      { name: 'm_flFlashDuration', type: 'float32', bitCount: 32 },
      ...plain('char[18]', 'm_szLastPlaceName'),
      ...plain('bool', 'm_bIsScoped', 'm_bIsDefusing'),
      ...plain('int32', 'm_ArmorValue'),
      { name: 'm_bSpottedByMask', type: 'uint32[2]', sendNode: 'm_entitySpottedState' },
      { name: 'm_vecBaseVelocity', type: 'Vector' },
      { name: 'm_flVelocityModifier', type: 'float32' },
      { name: 'm_pMovementServices', type: 'CCSPlayer_MovementServices*', serializer: movementServices },
    ],
  },
} as const satisfies Record<string, Serializer>;

export type ClassName = keyof typeof CLASSES;

/** Class ids are positions in this list. */
export const CLASS_NAMES = Object.keys(CLASSES) as readonly ClassName[];

/** Bits of a class id. Readers take the count from the server info or from the list, so both must agree. */
export const CLASS_ID_BITS = Math.floor(Math.log2(CLASS_NAMES.length)) + 1;
