import protobuf from 'protobufjs/light.js';

type Field = readonly [id: number, type: string, rule?: 'repeated'];

/**
 * The protobuf messages of a demo, with the fields that the writer sets or the reader asks for (Valve's demo.proto,
 * netmessages.proto, networkbasetypes.proto and gameevents.proto, proto2).
 */
export const MESSAGES = {
  CDemoFileHeader: {
    demo_file_stamp: [1, 'string'],
    patch_version: [2, 'int32'],
    server_name: [3, 'string'],
    client_name: [4, 'string'],
    map_name: [5, 'string'],
    game_directory: [6, 'string'],
    fullpackets_version: [7, 'int32'],
    allow_clientside_entities: [8, 'bool'],
    allow_clientside_particles: [9, 'bool'],
    addons: [10, 'string'],
    demo_version_name: [11, 'string'],
    demo_version_guid: [12, 'string'],
    build_num: [13, 'int32'],
    server_start_tick: [15, 'int32'],
  },
  CDemoFileInfo: { playback_time: [1, 'float'], playback_ticks: [2, 'int32'], playback_frames: [3, 'int32'] },
  CDemoPacket: { data: [3, 'bytes'] },
  CDemoFullPacket: { string_table: [1, 'CDemoStringTables'], packet: [2, 'CDemoPacket'] },
  CDemoSendTables: { data: [1, 'bytes'] },
  CDemoClassInfo: { classes: [1, 'DemoClass', 'repeated'] },
  DemoClass: { class_id: [1, 'int32'], network_name: [2, 'string'] },
  CDemoStringTables: { tables: [1, 'DemoStringTable', 'repeated'] },
  DemoStringTable: { table_name: [1, 'string'], items: [2, 'DemoStringItem', 'repeated'], table_flags: [4, 'int32'] },
  DemoStringItem: { str: [1, 'string'], data: [2, 'bytes'] },

  CNETMsg_Tick: { tick: [1, 'uint32'] },
  CNETMsg_SetConVar: { convars: [1, 'CMsg_CVars'] },
  CMsg_CVars: { cvars: [1, 'CVar', 'repeated'] },
  CVar: { name: [1, 'string'], value: [2, 'string'] },
  CNETMsg_SignonState: { signon_state: [1, 'int32'], spawn_count: [2, 'uint32'], num_server_players: [3, 'uint32'] },
  CMsgPlayerInfo: {
    name: [1, 'string'],
    xuid: [2, 'fixed64'],
    userid: [3, 'int32'],
    steamid: [4, 'fixed64'],
    fakeplayer: [5, 'bool'],
    ishltv: [6, 'bool'],
  },

  CSVCMsg_ServerInfo: {
    protocol: [1, 'int32'],
    server_count: [2, 'int32'],
    is_dedicated: [3, 'bool'],
    is_hltv: [4, 'bool'],
    c_os: [6, 'int32'],
    max_clients: [10, 'int32'],
    max_classes: [11, 'int32'],
    player_slot: [12, 'int32'],
    tick_interval: [13, 'float'],
    game_dir: [14, 'string'],
    map_name: [15, 'string'],
    host_name: [17, 'string'],
    addon_name: [18, 'string'],
  },
  CSVCMsg_ClassInfo: { create_on_client: [1, 'bool'] },
  CSVCMsg_ClearAllStringTables: { mapname: [1, 'string'] },
  CSVCMsg_CreateStringTable: {
    name: [1, 'string'],
    num_entries: [2, 'int32'],
    user_data_fixed_size: [3, 'bool'],
    user_data_size: [4, 'int32'],
    user_data_size_bits: [5, 'int32'],
    flags: [6, 'int32'],
    string_data: [7, 'bytes'],
    uncompressed_size: [8, 'int32'],
    data_compressed: [9, 'bool'],
    using_varint_bitcounts: [10, 'bool'],
  },
  CSVCMsg_UpdateStringTable: { table_id: [1, 'int32'], num_changed_entries: [2, 'int32'], string_data: [3, 'bytes'] },
  CSVCMsg_UserCommands: { data: [1, 'bytes'] },
  CDemoAnimationData: { data: [5, 'bytes'] },
  CSVCMsg_VoiceInit: { quality: [1, 'int32'], codec: [2, 'string'] },
  CSVCMsg_PacketEntities: {
    max_entries: [1, 'int32'],
    updated_entries: [2, 'int32'],
    legacy_is_delta: [3, 'bool'],
    update_baseline: [4, 'bool'],
    baseline: [5, 'int32'],
    delta_from: [6, 'int32'],
    entity_data: [7, 'bytes'],
    active_spawngroup_handle: [9, 'uint32'],
    max_spawngroup_creationsequence: [10, 'uint32'],
    last_cmd_number_executed: [11, 'uint32'],
    server_tick: [12, 'uint32'],
    serialized_entities: [13, 'bytes'],
    has_pvs_vis_bits_deprecated: [16, 'uint32'],
  },
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
    send_node_sym: [9, 'int32'],
    var_encoder_sym: [10, 'int32'],
    polymorphic_types: [11, 'PolymorphicField', 'repeated'],
    var_serializer_sym: [12, 'int32'],
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
    val_uint64: [8, 'uint64'],
  },
} as const satisfies Record<string, Record<string, Field>>;

export type MessageName = keyof typeof MESSAGES;

const root = new protobuf.Root();
for (const [name, fields] of Object.entries<Record<string, Field>>(MESSAGES)) {
  const type = new protobuf.Type(name);
  for (const [field, [id, fieldType, rule]] of Object.entries(fields)) {
    // The format is older than packed encoding: each repeated number has its own tag.
    type.add(new protobuf.Field(field, id, fieldType, rule, undefined, rule === 'repeated' ? { packed: false } : {}));
  }
  root.add(type);
}
root.resolveAll();

const types = new Map(Object.keys(MESSAGES).map((name) => [name, root.lookupType(name)]));

export function messageType(name: MessageName): protobuf.Type {
  const type = types.get(name);
  if (type === undefined) throw new Error(`no message ${name}`);
  return type;
}
