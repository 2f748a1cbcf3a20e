import { BitWriter } from '#demo-format/bit-writer.ts';
import { HANDLE_INDEX_BITS } from '#demo-format/game.ts';
import { CLASS_ID_BITS, CLASS_NAMES, type ClassName } from './classes.ts';
import { type EntityClass, entityClass, type FieldValues, writeFields } from './entity-class.ts';
import type { Vector3, WrittenValue } from './field-codec.ts';

/** Fields by flattened name. */
export type Fields = Readonly<Record<string, WrittenValue>>;

/** The parts of svc_PacketEntities that carry entities. */
export interface EntityPacket {
  readonly updatedEntries: number;
  readonly entityData: Uint8Array;
  /** The length in bits of each created or updated entity's payload, one varint each, so that a reader can skip it. */
  readonly serializedEntities: Uint8Array;
}

interface Entity {
  readonly type: EntityClass;
  readonly serial: number;
  readonly values: FieldValues;
  created: boolean;
  readonly changed: Set<number>;
}

const UPDATE = 0;
const CREATE = 2;
const DELETE = 3;
const SERIAL_BITS = 17;

/** Returns a handle as networked fields hold it. */
export function entityHandle(index: number, serial: number): number {
  return ((serial << HANDLE_INDEX_BITS) | index) >>> 0;
}

/** The handle of no entity. */
export const NO_HANDLE = 0xffffff;

export interface EntityList {
  /** Encoded start values by class id, for the `instancebaseline` string table. */
  readonly baselines: ReadonlyMap<number, Uint8Array>;
  /** Creates the entity at the first call, then records its changes. */
  put(index: number, serial: number, className: ClassName, fields: Fields): void;
  has(index: number): boolean;
  remove(index: number): void;
  /** Returns all changes since the last delta. */
  delta(): EntityPacket;
  /** Returns each entity as if new, for a reader that starts here. Records nothing. */
  snapshot(): EntityPacket;
}

/**
 * Stores what a reader of the demo has for each entity, and encodes the difference.
 *
 * @param defaults the start values of each class. Values that equal them are not written.
 */
export function createEntityList(defaults: Readonly<Record<ClassName, Fields>>): EntityList {
  const entities = new Map<number, Entity>();
  const removed = new Set<number>();
  const startValues = new Map<ClassName, FieldValues>();
  const baselines = new Map<number, Uint8Array>();
  for (const name of CLASS_NAMES) {
    const type = entityClass(name);
    const values = valuesOf(type, defaults[name]);
    startValues.set(name, values);
    const out = new BitWriter();
    writeFields(out, type, values, setLeaves(values));
    baselines.set(type.id, out.toBytes());
  }

  const payload = new BitWriter(256);
  const data = new BitWriter(4096);
  const sizes = new BitWriter(256);

  function writeCreation(entity: Entity): void {
    data.bits(entity.type.id, CLASS_ID_BITS);
    data.bits(entity.serial, SERIAL_BITS);
    data.varUint32(0);
    const start = startValues.get(entity.type.name) ?? [];
    writePayload(
      entity,
      setLeaves(entity.values).filter((leaf) => !sameValue(entity.values[leaf], start[leaf])),
    );
  }

  function writePayload(entity: Entity, leaves: readonly number[]): void {
    payload.clear();
    writeFields(payload, entity.type, entity.values, leaves);
    sizes.varUint32(payload.bitLength);
    data.append(payload);
  }

  function encode(indices: readonly number[], write: (index: number) => void): EntityPacket {
    data.clear();
    sizes.clear();
    let previous = -1;
    for (const index of indices) {
      data.uBitVar(index - previous - 1);
      write(index);
      previous = index;
    }
    return { updatedEntries: indices.length, entityData: data.toBytes(), serializedEntities: sizes.toBytes() };
  }

  return {
    baselines,

    put(index, serial, className, fields) {
      let entity = entities.get(index);
      if (entity === undefined) {
        const values = (startValues.get(className) ?? []).slice();
        entity = { type: entityClass(className), serial, values, created: false, changed: new Set() };
        entities.set(index, entity);
      }
      if (entity.type.name !== className)
        throw new Error(`entity ${index} is ${entity.type.name}, and cannot become ${className}`);
      for (const name in fields) {
        const value = fields[name];
        const leaf = entity.type.indexByField.get(name);
        if (leaf === undefined || value === undefined) throw new Error(`${className} has no field ${name}`);
        if (sameValue(entity.values[leaf], value)) continue;
        entity.values[leaf] = value;
        entity.changed.add(leaf);
      }
    },

    has: (index) => entities.has(index),

    remove(index) {
      if (entities.get(index)?.created === true) removed.add(index);
      entities.delete(index);
    },

    delta() {
      const touched = [...entities].filter(([, entity]) => !entity.created || entity.changed.size > 0);
      const indices = ascending(new Set([...touched.map(([index]) => index), ...removed]));
      const packet = encode(indices, (index) => {
        const entity = entities.get(index);
        if (entity === undefined) {
          data.bits(DELETE, 2);
          return;
        }
        data.bits(entity.created ? UPDATE : CREATE, 2);
        if (entity.created) writePayload(entity, ascending(entity.changed));
        else writeCreation(entity);
        entity.created = true;
        entity.changed.clear();
      });
      removed.clear();
      return packet;
    },

    snapshot() {
      return encode(ascending(entities.keys()), (index) => {
        const entity = entities.get(index);
        if (entity === undefined) return;
        data.bits(CREATE, 2);
        writeCreation(entity);
      });
    },
  };
}

function ascending(numbers: Iterable<number>): number[] {
  return [...numbers].sort((a, b) => a - b);
}

function valuesOf(type: EntityClass, fields: Fields): FieldValues {
  const values: FieldValues = type.leaves.map(() => undefined);
  for (const [name, value] of Object.entries(fields)) {
    const leaf = type.indexByField.get(name);
    if (leaf === undefined) throw new Error(`${type.name} has no field ${name}`);
    values[leaf] = value;
  }
  return values;
}

function setLeaves(values: FieldValues): number[] {
  return values.flatMap((value, leaf) => (value === undefined ? [] : [leaf]));
}

function sameValue(a: WrittenValue | undefined, b: WrittenValue | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return Object.is(a, b);
  return sameVector(a, b);
}

function sameVector(a: Vector3, b: Vector3): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}
