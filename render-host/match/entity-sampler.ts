import type { Demo, Entity, EntityClass } from '@deademx/cs2';
import type { Team } from './match.ts';
import type { Sample } from './track-recorder.ts';

/** The entity classes that hold everything the samples need; decoding only these keeps old builds' demos readable. */
export const SAMPLED_CLASSES = ['CCSPlayerPawn', 'CCSPlayerController'] as const;

const INDEX_BITS = 14;
const INDEX_MASK = (1 << INDEX_BITS) - 1;
/** Handles travel with the low ten bits of the serial number. */
const SERIAL_MASK = 0x3ff;

/** Positions are sent as a cell of 512 units and an offset in it; cell 32 holds the origin of the map. */
const CELL_UNITS = 512;
const ORIGIN_CELL = 32;

const LIFE_ALIVE = 0;
const FLAG_DUCKING = 1 << 1;

/** Every controller with a side, and what its pawn does at this moment; `null` while it has no body in the demo. */
export function* sampleEntities(demo: Demo): Generator<{ slot: number; team: Team; sample: Sample | null }> {
  for (const controller of demo.getEntitiesByClassNameIterator('CCSPlayerController')) {
    const team = teamOf(controller);
    if (!controller.active || team === null) continue;
    const pawn = pawnOf(demo, controller);
    yield { slot: controller.index - 1, team, sample: pawn === null ? null : samplePawn(pawn, team) };
  }
}

/** Where the player in a slot stands; null without a body in the demo. */
export function sampleSlot(demo: Demo, slot: number): Sample | null {
  const controller = demo.getEntity(slot + 1);
  const team = teamOfSlot(demo, slot);
  const pawn = controller === null || team === null ? null : pawnOf(demo, controller);
  return pawn === null || team === null ? null : samplePawn(pawn, team);
}

/** The side of the player in a slot, by his controller: null for spectators and empty slots. */
export function teamOfSlot(demo: Demo, slot: number): Team | null {
  const controller = demo.getEntity(slot + 1);
  return controller?.class.name === 'CCSPlayerController' ? teamOf(controller) : null;
}

function teamOf(controller: Entity): Team | null {
  switch (read(controller, 'm_iTeamNum')) {
    case 2:
      return 'T';
    case 3:
      return 'CT';
    default:
      return null;
  }
}

/** `m_hPlayerPawn` stays the player's own body; `m_hPawn` becomes an observer after death. */
function pawnOf(demo: Demo, controller: Entity): Entity | null {
  const handle = Number(read(controller, 'm_hPlayerPawn') ?? -1);
  if (handle < 0) return null;
  const pawn = demo.getEntity(handle & INDEX_MASK);
  if (pawn === null || !pawn.active || pawn.class.name !== 'CCSPlayerPawn') return null;
  return (pawn.serial & SERIAL_MASK) === ((handle >>> INDEX_BITS) & SERIAL_MASK) ? pawn : null;
}

function samplePawn(pawn: Entity, team: Team): Sample | null {
  const x = coordinate(pawn, 'CBodyComponent.m_cellX', 'CBodyComponent.m_vecX');
  const y = coordinate(pawn, 'CBodyComponent.m_cellY', 'CBodyComponent.m_vecY');
  const z = coordinate(pawn, 'CBodyComponent.m_cellZ', 'CBodyComponent.m_vecZ');
  if (x === null || y === null || z === null) return null;
  const angles = read(pawn, 'm_angEyeAngles') as ArrayLike<number> | undefined;
  const health = numberField(pawn, 'm_iHealth');
  return {
    x,
    y,
    z,
    yaw: normalizeAngle(angles?.[1] ?? 0),
    pitch: normalizeAngle(angles?.[0] ?? 0),
    health,
    alive: numberField(pawn, 'm_lifeState') === LIFE_ALIVE && health > 0,
    ducking: (numberField(pawn, 'm_fFlags') & FLAG_DUCKING) !== 0,
    team,
  };
}

function coordinate(pawn: Entity, cellField: string, offsetField: string): number | null {
  const cell = read(pawn, cellField);
  const offset = read(pawn, offsetField);
  if (typeof cell !== 'number' || typeof offset !== 'number') return null;
  return (cell - ORIGIN_CELL) * CELL_UNITS + offset;
}

function numberField(entity: Entity, name: string): number {
  const value = read(entity, name);
  return typeof value === 'number' ? value : 0;
}

/** Ids of fields by class and name; null for one that the class lacks. */
const fieldIds = new WeakMap<EntityClass, Map<string, number | null>>();

/** Reads a field. Twenty million times in a match, so its path is looked up once for each class: `getField` does it every time. */
function read(entity: Entity, name: string): unknown {
  let ids = fieldIds.get(entity.class);
  if (ids === undefined) {
    ids = new Map();
    fieldIds.set(entity.class, ids);
  }
  let id = ids.get(name);
  if (id === undefined) {
    id = entity.class.getFieldAccessor(name)?.fieldPath.id ?? null;
    ids.set(name, id);
  }
  return id === null ? undefined : entity.getFieldById(id);
}

/** Degrees in -180 to 180; the demo sends some angles as 0 to 360. */
function normalizeAngle(degrees: number): number {
  const turned = ((((degrees + 180) % 360) + 360) % 360) - 180;
  return turned === -180 && degrees > 0 ? 180 : turned;
}
