import { BitReader } from './bit-reader.ts';
import { decodeMessage, type MessageOf } from './messages.ts';
import { unpack } from './snappy.ts';

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
