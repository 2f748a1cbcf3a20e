import { DEMO_COMMAND } from '#demo-format/container.ts';
import { CELL_UNITS, ORIGIN_CELL } from '#demo-format/game.ts';
import { createRandom, type Random } from '../script/random.ts';
import { frame, type NetMessage } from './container.ts';
import type { EntityList } from './entity-list.ts';
import { encodeMessage } from './messages.ts';

/**
 * Makes a recording as heavy as the game's: some 430 entities, 29 of which change at each tick, players with a dozen
 * more fields than a clip needs, the players' commands, and animation data. In all 1.2 to 1.3 kB a tick, like the
 * game's recordings.
 */
export interface Ballast {
  /** @param pawns entity indices of the players' bodies */
  apply(tick: number, clock: number, pawns: readonly number[]): void;
}

const SERIAL = 211;
/** The first index of the props: above each entity of a match, including grenades. */
const FIRST_PROP_INDEX = 1200;
const PROPS = 360;
const FIRST_WEAPON_INDEX = 1600;
const WEAPONS = 30;
const MOVING_PROPS = 4;
const FIRED_WEAPONS = 5;

export function createBallast(entities: EntityList): Ballast {
  const random = createRandom(0xba11a57);

  function putProp(index: number, clock: number): void {
    entities.put(FIRST_PROP_INDEX + index, SERIAL, 'CPhysicsPropMultiplayer', {
      m_flSimulationTime: clock,
      'CBodyComponent.m_cellX': ORIGIN_CELL + (index % 7) - 3,
      'CBodyComponent.m_cellY': ORIGIN_CELL + (index % 5) - 2,
      'CBodyComponent.m_cellZ': ORIGIN_CELL,
      'CBodyComponent.m_vecX': Math.fround(random.between(0, CELL_UNITS)),
      'CBodyComponent.m_vecY': Math.fround(random.between(0, CELL_UNITS)),
      'CBodyComponent.m_vecZ': Math.fround(random.between(0, CELL_UNITS)),
    });
  }

  function putWeapon(index: number, clock: number): void {
    entities.put(FIRST_WEAPON_INDEX + index, SERIAL, 'CAK47', {
      m_flSimulationTime: clock,
      m_iClip1: random.whole(0, 30),
      m_nNextPrimaryAttackTick: clock + random.whole(1, 60),
      m_flNextPrimaryAttackTickRatio: Math.fround(random.next()),
      m_flRecoilIndex: Math.fround(random.between(0, 10)),
      m_fAccuracyPenalty: Math.fround(random.next()),
      m_flLastShotTime: Math.fround(clock / 64),
    });
  }

  return {
    apply(tick, clock, pawns) {
      if (tick === 1) {
        for (let index = 0; index < PROPS; index++) putProp(index, clock);
        for (let index = 0; index < WEAPONS; index++) putWeapon(index, clock);
      }
      for (let i = 0; i < MOVING_PROPS; i++) putProp(random.whole(0, PROPS - 1), clock);
      for (let i = 0; i < FIRED_WEAPONS; i++) putWeapon(random.whole(0, WEAPONS - 1), clock);
      for (const index of pawns) {
        if (entities.has(index)) entities.put(index, 0, 'CCSPlayerPawn', motion(random));
      }
    },
  };
}

function motion(random: Random) {
  const some = (): number => Math.fround(random.between(-250, 250));
  return {
    m_vecBaseVelocity: [some(), some(), some()] as const,
    m_flVelocityModifier: Math.fround(random.next()),
    'm_pMovementServices.m_nToggleButtonDownMask': BigInt(random.whole(0, 1 << 20)),
    'm_pMovementServices.m_flDuckAmount': Math.fround(random.next()),
    'm_pMovementServices.m_flDuckSpeed': Math.fround(random.next()),
    'm_pMovementServices.m_nLadderSurfacePropIndex': random.whole(0, 255),
    'm_pMovementServices.m_nGameCodeHasMovedPlayerAfterCommand': random.whole(0, 1 << 20),
  };
}

const COMMAND_BYTES = 160;
const ANIMATION_BYTES = 345;

/** Fakes the players' input. */
export function ballastMessages(tick: number): NetMessage[] {
  return [['CSVCMsg_UserCommands', { data: noise(tick, COMMAND_BYTES) }]];
}

export function animationFrame(tick: number): Uint8Array {
  return frame(
    DEMO_COMMAND.animationData,
    tick,
    encodeMessage('CDemoAnimationData', { data: noise(-tick, ANIMATION_BYTES) }),
  );
}

function noise(seed: number, length: number): Uint8Array {
  const random = createRandom(seed);
  return Uint8Array.from({ length }, () => random.whole(0, 255));
}
