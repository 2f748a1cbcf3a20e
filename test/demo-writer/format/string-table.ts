/// <reference path="./snappyjs.d.ts" />
import snappy from 'snappyjs';
import { BitWriter } from '#demo-format/bit-writer.ts';
import type { NetMessage } from './container.ts';

export interface StringTable {
  readonly name: string;
  /** Bit 0: each value says whether it is compressed. */
  readonly flags: number;
  readonly entries: readonly { readonly key: string; readonly value: Uint8Array | null }[];
}

const PER_VALUE_COMPRESSION = 1;
/** The least bytes of a table that is compressed. */
const WORTH_COMPRESSING_BYTES = 256;

/** Returns the message that creates the table with its entries. */
export function createStringTable(table: StringTable): NetMessage {
  const out = new BitWriter(1024);
  for (const { key, value } of table.entries) {
    out.bit(true); // the index follows the last one
    out.bit(true); // has a key
    out.bit(false); // that repeats no earlier one
    out.string(key);
    out.bit(value !== null);
    if (value === null) continue;
    if ((table.flags & PER_VALUE_COMPRESSION) !== 0) out.bit(false);
    out.uBitVar(value.length);
    out.bytes(value);
  }
  const plain = out.toBytes();
  const compressed = plain.length > WORTH_COMPRESSING_BYTES;
  return [
    'CSVCMsg_CreateStringTable',
    {
      name: table.name,
      num_entries: table.entries.length,
      user_data_fixed_size: false,
      user_data_size: 0,
      user_data_size_bits: 0,
      flags: table.flags,
      string_data: compressed ? snappy.compress(plain) : plain,
      ...(compressed ? { uncompressed_size: plain.length } : {}),
      data_compressed: compressed,
      using_varint_bitcounts: true,
    },
  ];
}

/** Returns the message that changes one value of a table; null empties it. */
export function updateStringTable(tableId: number, index: number, value: Uint8Array | null): NetMessage {
  const out = new BitWriter(256);
  out.bit(index === 0); // set: the first index; clear: the number below
  if (index > 0) out.varUint32(index - 1);
  out.bit(false); // the key stays
  out.bit(value !== null);
  if (value !== null) {
    out.uBitVar(value.length);
    out.bytes(value);
  }
  return ['CSVCMsg_UpdateStringTable', { table_id: tableId, num_changed_entries: 1, string_data: out.toBytes() }];
}

/** Returns the tables for the frames at which a reader can start. */
export function stringTablesSnapshot(tables: readonly StringTable[]): Record<string, unknown> {
  return {
    tables: tables.map(({ name, flags, entries }) => ({
      table_name: name,
      items: entries.map(({ key, value }) => (value === null ? { str: key } : { str: key, data: value })),
      table_flags: flags,
    })),
  };
}
