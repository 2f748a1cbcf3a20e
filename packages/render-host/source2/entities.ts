import { reasonOf } from '#domain/lib/text.ts';
import { BitReader } from './bit-reader.ts';
import type { FieldList, FieldValue, Vector } from './field-decoder.ts';
import { createFieldPathReader, PATH_DEPTH } from './field-path.ts';
import type { FieldNode, SendTables } from './send-tables.ts';

/**
 * The fields to keep of each class, by flattened name such as `CBodyComponent.m_cellX`. `[]` at the end keeps the parts
 * of a list, up to `MOST_PARTS`.
 */
export type WantedFields = Readonly<Record<string, readonly string[]>>;

/** An entity of a followed class. */
export interface Entity {
  readonly index: number;
  readonly serial: number;
  readonly className: string;
  /** Values by position in the class's wanted fields; undefined if never sent. */
  readonly values: (FieldValue | undefined)[];
  /** False while it is out of sight of the recording. */
  active: boolean;
  /** The type of each polymorphic part. */
  variants: Map<FieldNode, number> | null;
}

/** One svc_PacketEntities. The readers are at the start of its entity data and of its payload sizes. */
export interface EntityMessage {
  readonly updatedEntries: number;
  readonly isDelta: boolean;
  readonly hasVisBits: boolean;
  readonly data: BitReader;
  /** null in recordings without sizes: all classes are decoded then. */
  readonly sizes: BitReader | null;
}

interface EntityClass {
  readonly name: string;
  readonly wanted: readonly string[] | null;
  fields: readonly FieldNode[] | null;
  baseline: Pick<Entity, 'values' | 'variants'> | null;
  /** Why the class cannot be decoded. */
  fault: string | null;
}

export interface Entities {
  /** Returns each existing entity of a followed class; none of a class that cannot be decoded. */
  ofClass(className: string): Iterable<Entity>;
  at(index: number): Entity | null;
  /** Whether there is an entity of a class, followed or not. Looks at all entities. */
  has(className: string): boolean;
  setClasses(
    tables: SendTables,
    classes: readonly { readonly class_id: number; readonly network_name: string }[],
  ): void;
  setBaseline(key: string, value: Uint8Array | null): void;
  /** @param maxClasses of the server info. It determines the bits of a class id. */
  setMaxClasses(maxClasses: number): void;
  /** Returns false if the message needs a state that the recording does not have. Then only a full packet helps. */
  apply(message: EntityMessage): boolean;
  /** Returns the classes that could not be decoded, each with the reason. */
  faults(): ReadonlyMap<string, string>;
}

const MOST_ENTITIES = 1 << 14;
/** The game has some three hundred. The list is as long as its highest id. */
const MOST_CLASSES = 1 << 14;
/** The most parts of a list that is kept. */
const MOST_PARTS = 64;
const SERIAL_BITS = 17;
const NO_CLASS = -1;
const LEAVE = 1;
const CREATE = 2;
const DELETE = 3;

/**
 * Follows the entities of some classes and skips others by the sizes in a packet. A class whose fields cannot be
 * decoded is skipped in the same way. Only in a recording without sizes is it an error.
 */
export function createEntities(wanted: WantedFields): Entities {
  const readPaths = createFieldPathReader();
  const classAt = new Int16Array(MOST_ENTITIES).fill(NO_CLASS);
  const followed: (Entity | null)[] = new Array(MOST_ENTITIES).fill(null);
  const byClass = new Map(Object.keys(wanted).map((name) => [name, new Map<number, Entity>()]));
  const baselines = new Map<number, Uint8Array>();
  const faults = new Map<string, string>();
  let tables: SendTables | null = null;
  let classes: EntityClass[] = [];
  let classIdBits = 0;

  function fieldsOf(type: EntityClass): readonly FieldNode[] {
    if (type.fields !== null) return type.fields;
    const fields = tables?.fieldsOf(type.name) ?? null;
    if (fields === null) throw new Error(`no fields of ${type.name}`);
    type.wanted?.forEach((name, place) => {
      const isListed = name.endsWith('[]');
      const field = findField(fields, name.replace('[]', '').split('.'));
      const node = isListed ? field?.element : field;
      if (node != null) Object.assign(node, { place, isListed });
    });
    type.fields = fields;
    return fields;
  }

  /** Decodes one update. Without an entity the values are dropped. */
  function decode(bits: BitReader, type: EntityClass, entity: Pick<Entity, 'values' | 'variants'> | null): void {
    const fields = fieldsOf(type);
    const paths = readPaths(bits);
    const { count, depths, parts } = paths;
    let variants = entity?.variants ?? null;
    for (let i = 0; i < count; i++) {
      const start = i * PATH_DEPTH;
      const depth = depths[i] ?? 0;
      let node = fields[parts[start] ?? 0];
      for (let level = 1; level < depth && node !== undefined; level++) {
        node = partOf(node, parts[start + level] ?? 0, variants);
      }
      if (node === undefined)
        throw new Error(`${type.name} has no field ${parts.subarray(start, start + depth).join('.')}`);
      const value = node.decode(bits);
      if (node.place >= 0 && entity !== null) {
        const index = parts[start + depth - 1] ?? 0;
        entity.values[node.place] = node.isListed ? withPart(entity.values[node.place], index, value) : value;
      }
      if (node.variants !== null) {
        variants ??= new Map();
        variants.set(node, value as number);
      }
    }
    if (entity !== null) entity.variants = variants;
    if (bits.overrun) throw new Error(`${type.name} is longer than its packet`);
  }

  function baselineOf(classId: number, type: EntityClass): Pick<Entity, 'values' | 'variants'> {
    if (type.baseline !== null) return type.baseline;
    const baseline = { values: new Array(type.wanted?.length ?? 0).fill(undefined), variants: null };
    const bytes = baselines.get(classId);
    if (bytes !== undefined) decode(BitReader.of(bytes), type, baseline);
    type.baseline = baseline;
    return baseline;
  }

  function create(index: number, serial: number, classId: number, type: EntityClass): Entity | null {
    forget(index);
    classAt[index] = classId;
    if (type.wanted === null || type.fault !== null) return null;
    const { values, variants } = baselineOf(classId, type);
    const entity: Entity = {
      index,
      serial,
      className: type.name,
      values: values.slice(),
      active: true,
      variants: variants === null ? null : new Map(variants),
    };
    followed[index] = entity;
    byClass.get(type.name)?.set(index, entity);
    return entity;
  }

  function forget(index: number): void {
    const old = followed[index];
    classAt[index] = NO_CLASS;
    if (old == null) return;
    followed[index] = null;
    byClass.get(old.className)?.delete(index);
  }

  function giveUp(type: EntityClass, error: unknown): void {
    type.fault = reasonOf(error);
    faults.set(type.name, type.fault);
    for (const entity of byClass.get(type.name)?.values() ?? []) followed[entity.index] = null;
    byClass.get(type.name)?.clear();
  }

  /** Reads or skips an entity's payload. */
  function payload({ data, sizes }: EntityMessage, type: EntityClass, entity: Entity | null): void {
    if (sizes === null) {
      decode(data, type, entity);
      return;
    }
    const end = sizes.varUint32() + data.position;
    if (entity !== null) {
      try {
        decode(data, type, entity);
        if (data.position !== end) throw new Error(`${type.name} is of another length than its packet says`);
      } catch (error) {
        giveUp(type, error);
      }
    }
    data.position = end;
  }

  return {
    ofClass: (className) => byClass.get(className)?.values() ?? [],
    at: (index) => followed[index] ?? null,
    has: (className) => classAt.some((id) => classes[id]?.name === className),

    setClasses(sendTables, list) {
      tables = sendTables;
      classes = [];
      faults.clear();
      for (const { class_id, network_name: name } of list) {
        if (class_id < 0 || class_id >= MOST_CLASSES) throw new Error(`there is no class ${class_id}`);
        const fields = Object.hasOwn(wanted, name) ? (wanted[name] ?? null) : null;
        classes[class_id] = { name, wanted: fields, fields: null, baseline: null, fault: null };
      }
    },

    setBaseline(key, value) {
      const classId = Number(key);
      if (!Number.isInteger(classId) || value === null) return;
      // A copy, because the next frame reuses the memory.
      baselines.set(classId, new Uint8Array(value));
      const type = classes[classId];
      if (type !== undefined) type.baseline = null;
    },

    setMaxClasses(maxClasses) {
      classIdBits = Math.floor(Math.log2(Math.max(1, maxClasses))) + 1;
    },

    apply(message) {
      const { data, updatedEntries, isDelta, hasVisBits } = message;
      if (!isDelta) for (let index = 0; index < MOST_ENTITIES; index++) if (classAt[index] !== NO_CLASS) forget(index);
      let index = -1;
      for (let i = 0; i < updatedEntries; i++) {
        index += data.uBitVar() + 1;
        if (index >= MOST_ENTITIES || data.overrun) throw new Error('the entities of a packet have no end');
        const command = data.bits(2);
        if (command === DELETE) {
          forget(index);
        } else if (command === LEAVE) {
          const entity = followed[index];
          if (entity != null) entity.active = false;
        } else if (command === CREATE) {
          const classId = data.bits(classIdBits);
          const serial = data.bits(SERIAL_BITS);
          data.varUint32();
          const type = classes[classId];
          if (type === undefined) throw new Error(`no class ${classId}`);
          let entity: Entity | null = null;
          try {
            entity = create(index, serial, classId, type);
          } catch (error) {
            if (message.sizes === null) throw error;
            giveUp(type, error);
          }
          payload(message, type, entity);
        } else {
          if (hasVisBits && (data.bits(2) & 1) !== 0) continue;
          const type = classes[classAt[index] ?? NO_CLASS];
          if (type === undefined) return false;
          const entity = followed[index] ?? null;
          if (entity !== null) entity.active = true;
          payload(message, type, entity);
        }
      }
      return true;
    },

    faults: () => faults,
  };
}

/** A copy, because entities share the lists of their baseline. */
function withPart(list: FieldValue | undefined, index: number, value: FieldValue): FieldList {
  const parts = Array.isArray(list) ? (list as FieldList).slice() : [];
  const isPart = typeof value === 'number' || typeof value === 'boolean' || Array.isArray(value);
  if (index < MOST_PARTS && isPart) parts[index] = value as number | boolean | Vector;
  return parts;
}

function partOf(node: FieldNode, index: number, variants: Map<FieldNode, number> | null): FieldNode | undefined {
  if (node.element !== null) return node.element;
  if (node.variants !== null) return node.variants[variants?.get(node) ?? 0]?.[index];
  return node.children?.[index];
}

function findField(fields: readonly FieldNode[], path: readonly string[]): FieldNode | null {
  const [name, ...rest] = path;
  const node = fields.find((candidate) => candidate.name === name) ?? null;
  return rest.length === 0 || node === null ? node : findField(node.children ?? [], rest);
}
