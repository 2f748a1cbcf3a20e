import { BitReader } from './bit-reader.ts';
import {
  charDecoder,
  type DecodeField,
  decodeBoolean,
  decoderOf,
  decodeUint,
  type FieldEncoding,
} from './field-decoder.ts';
import { decodeMessage, type MessageOf, unpack, wasSent } from './frames.ts';

type RawField = MessageOf<'ProtoFlattenedSerializerField_t'>;
type Tables = MessageOf<'CSVCMsg_FlattenedSerializer'>;

/** A field of a class, with its parts. Each class has its own, because `place` is the class's. */
export interface FieldNode {
  readonly name: string;
  readonly decode: DecodeField;
  /** The position of its value; -1 if it is not wanted. */
  place: number;
  /** Whether it is a part of a list that is kept. */
  isListed: boolean;
  /** Parts by index; null for a field without parts, or with equal ones. */
  readonly children: readonly FieldNode[] | null;
  /** The node of all parts of a list. */
  readonly element: FieldNode | null;
  /**
   * The parts of a pointer of several types (`m_pGameModeRules`: deathmatch, arms race, none) by the type that is sent,
   * 0 being the declared one; null for other fields.
   */
  readonly variants: readonly (readonly FieldNode[])[] | null;
}

/** Structs that are sent as one part of their owner, although they are not pointers. */
const EMBEDDED: ReadonlySet<string> = new Set([
  'CBodyComponent',
  'CEntityComponent',
  'CEntityIdentity',
  'CEntityInstance',
  'CLightComponent',
  'CPhysicsComponent',
  'CPlayerLocalData',
  'CRenderComponent',
  'CScriptComponent',
]);
const LISTS: ReadonlySet<string> = new Set(['CUtlVector', 'CUtlVectorEmbeddedNetworkVar', 'CNetworkUtlVectorBase']);

/** `CNetworkUtlVectorBase< CHandle< CBaseEntity > >`, `char[128]`, `CCSGameRules*`. */
const TYPE = /^(?<base>[^<[*]+?)\s*(?:<\s*(?<of>.*)\s*>)?\s*(?<pointer>\*)?\s*(?:\[(?<count>.*)\])?$/;

/** Reads a pointer of several types: whether it is set, and its type. Both are always sent. */
const decodePolymorphic: DecodeField = (bits) => {
  const isSet = bits.bit();
  const type = bits.uBitVar();
  return isSet ? type : 0;
};

/** The classes of a demo, by its DEM_SendTables. */
export interface SendTables {
  /** Returns new nodes of a class at each call; null for an unknown class. */
  fieldsOf(className: string): readonly FieldNode[] | null;
}

export function readSendTables(payload: Uint8Array): SendTables {
  const { data } = decodeMessage('CDemoSendTables', payload);
  const bits = BitReader.of(data);
  const tables = decodeMessage('CSVCMsg_FlattenedSerializer', bits.bytes(bits.varUint32()));
  const serializers = new Map(
    tables.serializers.map((one) => [keyOf(tables, one.serializer_name_sym, one.serializer_version), one]),
  );

  let made = 0;

  function fields(key: string, depth: number): readonly FieldNode[] {
    const serializer = serializers.get(key);
    if (serializer === undefined || depth > MOST_DEPTH) throw new Error(`no fields of ${key}`);
    return serializer.fields_index.map((index) => {
      const raw = tables.fields[index];
      if (raw === undefined) throw new Error(`no field ${index}`);
      return fieldNode(raw, depth);
    });
  }

  function fieldNode(raw: RawField, depth: number): FieldNode {
    made += 1;
    if (made > MOST_FIELDS) throw new Error('the fields of the classes have no end');
    const symbol = (index: number): string => tables.symbols[index] ?? '';
    const name = symbol(raw.var_name_sym);
    const { base = '', of, pointer, count } = TYPE.exec(typeText(symbol(raw.var_type_sym)))?.groups ?? {};
    const encoding: FieldEncoding = {
      name,
      encoder: wasSent(raw, 'var_encoder_sym') ? symbol(raw.var_encoder_sym) : '',
      bitCount: raw.bit_count,
      low: wasSent(raw, 'low_value') ? raw.low_value : 0,
      high: wasSent(raw, 'high_value') ? raw.high_value : 1,
      encodeFlags: raw.encode_flags,
    };
    const node = (decode: DecodeField, parts: Partial<FieldNode> = {}): FieldNode => ({
      name,
      decode,
      place: -1,
      isListed: false,
      children: null,
      element: null,
      variants: null,
      ...parts,
    });
    if (wasSent(raw, 'field_serializer_name_sym')) {
      const children = fields(keyOf(tables, raw.field_serializer_name_sym, raw.field_serializer_version), depth + 1);
      if (raw.polymorphic_types.length > 0) {
        const types = raw.polymorphic_types.map((type) =>
          fields(keyOf(tables, type.name_sym, type.version), depth + 1),
        );
        return node(decodePolymorphic, { variants: [children, ...types] });
      }
      if (pointer !== undefined || EMBEDDED.has(base)) return node(decodeBoolean, { children });
      return node(decodeUint, { element: node(decodeUint, { children }) });
    }
    if (base === 'char') return node(charDecoder(count !== undefined));
    if (count !== undefined) {
      const decode = decoderOf(base, encoding);
      return node(decode, { element: node(decode) });
    }
    if (LISTS.has(base)) {
      const item = TYPE.exec(of ?? '')?.groups?.base ?? '';
      return node(decodeUint, { element: node(item === 'char' ? charDecoder(false) : decoderOf(item, encoding)) });
    }
    return node(decoderOf(base, encoding));
  }

  return {
    fieldsOf(className) {
      const key = `${className};0`;
      return serializers.has(key) ? fields(key, 0) : null;
    },
  };
}

/** The deepest nesting of serializers. Real ones nest a few levels. Deeper tables are damaged. */
const MOST_DEPTH = 16;

/**
 * All followed classes together have some ten thousand. A class that contains itself, sixteen deep, can have any
 * number.
 */
const MOST_FIELDS = 1_000_000;

const LONGEST_TYPE = 512;

/** Returns a declared type without rows of blanks, over which `TYPE` would backtrack. */
function typeText(declared: string): string {
  return declared.slice(0, LONGEST_TYPE).replace(/\s+/g, ' ');
}

function keyOf({ symbols }: Tables, name: number, version: number): string {
  return `${symbols[name] ?? ''};${version}`;
}

/** Gets each new or changed entry of a table. `value` is null for an emptied one. */
export type EntryListener = (index: number, key: string, value: Uint8Array | null) => void;

interface Table {
  readonly listener: EntryListener | null;
  /** Keys by index, because an update may leave them out. */
  readonly keys: string[];
  /** The bits of each value; null if each value has its own size. */
  readonly fixedBits: number | null;
  readonly maySayCompressed: boolean;
  readonly varintSizes: boolean;
}

const FLAG_COMPRESSED_VALUES = 1;
const HISTORY = 32;
/** The largest value with its own size. */
const MOST_VALUE_BITS = 1 << 20;

export interface StringTables {
  create(message: Uint8Array): void;
  update(message: Uint8Array): void;
  clear(): void;
  /** All tables at once, as in DEM_StringTables and full packets. */
  snapshot(tables: MessageOf<'CDemoStringTables'>): void;
}

/**
 * Follows the tables that have listeners. Of the others only the order matters, because updates name a table by number.
 */
export function createStringTables(listeners: Readonly<Record<string, EntryListener>>): StringTables {
  let tables: Table[] = [];

  function read(table: Table, data: Uint8Array, count: number): void {
    const bits = BitReader.of(data);
    const history: string[] = [];
    let index = -1;
    for (let i = 0; i < count; i++) {
      index += bits.bit() ? 1 : bits.varUint32() + 2;
      if (bits.overrun) throw new Error('a string table ends early');
      if (bits.bit()) {
        const key = readKey(bits, history);
        table.keys[index] = key;
        history.push(key);
        if (history.length > HISTORY) history.shift();
      }
      const value = bits.bit() ? readValue(bits, table) : null;
      table.listener?.(index, table.keys[index] ?? '', value);
    }
  }

  return {
    create(payload) {
      const message = decodeMessage('CSVCMsg_CreateStringTable', payload);
      const listener = Object.hasOwn(listeners, message.name) ? (listeners[message.name] ?? null) : null;
      if (message.user_data_size_bits > MOST_VALUE_BITS) throw new Error('a string table of values without end');
      const table: Table = {
        listener,
        keys: [],
        fixedBits: message.user_data_fixed_size ? message.user_data_size_bits : null,
        maySayCompressed: (message.flags & FLAG_COMPRESSED_VALUES) !== 0,
        varintSizes: message.using_varint_bitcounts,
      };
      tables.push(table);
      if (listener === null) return;
      const data = message.data_compressed ? unpack(message.string_data) : message.string_data;
      read(table, data, message.num_entries);
    },

    update(payload) {
      const message = decodeMessage('CSVCMsg_UpdateStringTable', payload);
      const table = tables[message.table_id];
      if (table?.listener) read(table, message.string_data, message.num_changed_entries);
    },

    clear() {
      tables = [];
    },

    snapshot(all) {
      for (const { table_name, items } of all.tables) {
        if (!Object.hasOwn(listeners, table_name)) continue;
        items.forEach(({ str, data }, index) => {
          listeners[table_name]?.(index, str, data.length === 0 ? null : data);
        });
      }
    },
  };
}

function readKey(bits: BitReader, history: readonly string[]): string {
  if (!bits.bit()) return bits.string();
  const from = bits.bits(5);
  const length = bits.bits(5);
  return (history[from] ?? '').slice(0, length) + bits.string();
}

function readValue(bits: BitReader, table: Table): Uint8Array {
  if (table.fixedBits !== null) {
    const bytes = new Uint8Array(Math.ceil(table.fixedBits / 8));
    for (let left = table.fixedBits, i = 0; left > 0; left -= 8, i++) bytes[i] = bits.bits(Math.min(8, left));
    return bytes;
  }
  const compressed = table.maySayCompressed && bits.bit();
  const bytes = bits.bytes(table.varintSizes ? bits.uBitVar() : bits.bits(17));
  return compressed ? unpack(bytes) : bytes;
}
