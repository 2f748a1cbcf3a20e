import protobuf from 'protobufjs/light.js';

type Field = readonly [id: number, type: string, rule?: 'repeated'];

/**
 * The protobuf messages that are read here with the fields that are asked for: facts of the format (Valve's demo.proto,
 * netmessages.proto, networkbasetypes.proto, gameevents.proto).
 */
const MESSAGES = {
  CDemoFileHeader: {
    patch_version: [2, 'int32'],
    server_name: [3, 'string'],
    client_name: [4, 'string'],
    map_name: [5, 'string'],
    game_directory: [6, 'string'],
    addons: [10, 'string'],
    build_num: [13, 'int32'],
  },
  CDemoFullPacket: { string_table: [1, 'CDemoStringTables'], packet: [2, 'CDemoPacket'] },
  CDemoPacket: { data: [3, 'bytes'] },
  CDemoSendTables: { data: [1, 'bytes'] },
  CDemoClassInfo: { classes: [1, 'DemoClass', 'repeated'] },
  DemoClass: { class_id: [1, 'int32'], network_name: [2, 'string'] },
  CDemoStringTables: { tables: [1, 'DemoStringTable', 'repeated'] },
  DemoStringTable: { table_name: [1, 'string'], items: [2, 'DemoStringItem', 'repeated'] },
  DemoStringItem: { str: [1, 'string'], data: [2, 'bytes'] },

  CNETMsg_SetConVar: { convars: [1, 'CMsg_CVars'] },
  CMsg_CVars: { cvars: [1, 'CVar', 'repeated'] },
  CVar: { name: [1, 'string'], value: [2, 'string'] },
  CMsgPlayerInfo: {
    name: [1, 'string'],
    xuid: [2, 'fixed64'],
    userid: [3, 'int32'],
    steamid: [4, 'fixed64'],
    fakeplayer: [5, 'bool'],
    ishltv: [6, 'bool'],
  },
  CSVCMsg_ServerInfo: {
    is_hltv: [4, 'bool'],
    max_classes: [11, 'int32'],
    player_slot: [12, 'int32'],
    tick_interval: [13, 'float'],
  },
  CSVCMsg_CreateStringTable: {
    name: [1, 'string'],
    num_entries: [2, 'int32'],
    user_data_fixed_size: [3, 'bool'],
    user_data_size_bits: [5, 'int32'],
    flags: [6, 'int32'],
    string_data: [7, 'bytes'],
    data_compressed: [9, 'bool'],
    using_varint_bitcounts: [10, 'bool'],
  },
  CSVCMsg_UpdateStringTable: { table_id: [1, 'int32'], num_changed_entries: [2, 'int32'], string_data: [3, 'bytes'] },
  CSVCMsg_FlattenedSerializer: {
    serializers: [1, 'ProtoFlattenedSerializer_t', 'repeated'],
    symbols: [2, 'string', 'repeated'],
    fields: [3, 'ProtoFlattenedSerializerField_t', 'repeated'],
  },
  ProtoFlattenedSerializer_t: {
    serializer_name_sym: [1, 'int32'],
    serializer_version: [2, 'int32'],
    fields_index: [3, 'int32', 'repeated'],
  },
  ProtoFlattenedSerializerField_t: {
    var_type_sym: [1, 'int32'],
    var_name_sym: [2, 'int32'],
    bit_count: [3, 'int32'],
    low_value: [4, 'float'],
    high_value: [5, 'float'],
    encode_flags: [6, 'int32'],
    field_serializer_name_sym: [7, 'int32'],
    field_serializer_version: [8, 'int32'],
    var_encoder_sym: [10, 'int32'],
    polymorphic_types: [11, 'PolymorphicField', 'repeated'],
  },
  PolymorphicField: { name_sym: [1, 'int32'], version: [2, 'int32'] },

  CMsgSource1LegacyGameEventList: { descriptors: [1, 'EventDescriptor', 'repeated'] },
  EventDescriptor: { eventid: [1, 'int32'], name: [2, 'string'], keys: [3, 'EventDescriptorKey', 'repeated'] },
  EventDescriptorKey: { type: [1, 'int32'], name: [2, 'string'] },
  CMsgSource1LegacyGameEvent: { eventid: [2, 'int32'], keys: [3, 'EventKey', 'repeated'] },
  EventKey: {
    type: [1, 'int32'],
    val_string: [2, 'string'],
    val_float: [3, 'float'],
    val_long: [4, 'int32'],
    val_short: [5, 'int32'],
    val_byte: [6, 'int32'],
    val_bool: [7, 'bool'],
  },
} as const satisfies Record<string, Record<string, Field>>;

type Messages = typeof MESSAGES;
type MessageName = keyof Messages;

interface Scalars {
  readonly int32: number;
  readonly float: number;
  readonly bool: boolean;
  readonly string: string;
  readonly bytes: Uint8Array;
  /** protobufjs's Long: only its digits are used. */
  readonly fixed64: { toString(): string };
}
type ValueOf<T> = T extends keyof Scalars ? Scalars[T] : T extends MessageName ? MessageOf<T> : never;
type FieldOf<F> = F extends readonly [number, infer T, 'repeated']
  ? readonly ValueOf<T>[]
  : F extends readonly [number, infer T]
    ? ValueOf<T>
    : never;

/** A decoded message. A number, text or list that was not sent reads as 0, empty or false; a message as null. */
export type MessageOf<N extends MessageName> = { readonly [K in keyof Messages[N]]: FieldOf<Messages[N][K]> };

const root = new protobuf.Root();
for (const [name, fields] of Object.entries<Record<string, Field>>(MESSAGES)) {
  const type = new protobuf.Type(name);
  for (const [field, [id, fieldType, rule]] of Object.entries(fields))
    type.add(new protobuf.Field(field, id, fieldType, rule));
  root.add(type);
}
root.resolveAll();
const types = new Map(Object.keys(MESSAGES).map((name) => [name, root.lookupType(name)]));

export function decodeMessage<N extends MessageName>(name: N, bytes: Uint8Array): MessageOf<N> {
  const type = types.get(name);
  if (type === undefined) throw new Error(`no message ${name}`);
  return type.decode(bytes) as unknown as MessageOf<N>;
}

/** Whether a message has a field that reads as its default where it was not sent. */
export function wasSent(message: object, field: string): boolean {
  return Object.hasOwn(message, field);
}
