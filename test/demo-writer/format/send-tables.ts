import { BitWriter } from '#demo-format/bit-writer.ts';
import { CLASS_NAMES, CLASSES } from './classes.ts';
import type { FieldSpec, Serializer } from './field-codec.ts';
import { encodeMessage } from './messages.ts';

/** Returns the DEM_SendTables payload: each serializer with its fields, nested ones first. */
export function sendTables(): Uint8Array {
  const symbols: string[] = [];
  const symbolIndex = new Map<string, number>();
  const symbol = (text: string): number => {
    const known = symbolIndex.get(text);
    if (known !== undefined) return known;
    symbolIndex.set(text, symbols.length);
    return symbols.push(text) - 1;
  };

  const fields: Record<string, unknown>[] = [];
  const addField = (field: FieldSpec): number =>
    fields.push({
      var_type_sym: symbol(field.type),
      var_name_sym: symbol(field.name),
      send_node_sym: symbol(field.sendNode ?? ''),
      ...(field.bitCount === undefined ? {} : { bit_count: field.bitCount }),
      ...(field.low === undefined ? {} : { low_value: field.low }),
      ...(field.high === undefined ? {} : { high_value: field.high }),
      ...(field.encodeFlags === undefined ? {} : { encode_flags: field.encodeFlags }),
      ...(field.encoder === undefined ? {} : { var_encoder_sym: symbol(field.encoder) }),
      ...(field.varSerializer === undefined ? {} : { var_serializer_sym: symbol(field.varSerializer) }),
      ...(field.serializer === undefined
        ? {}
        : {
            field_serializer_name_sym: symbol(field.serializer.name),
            field_serializer_version: field.serializer.version,
          }),
      polymorphic_types: (field.variants ?? []).map(({ name, version }) => ({
        name_sym: symbol(name),
        version,
      })),
    }) - 1;

  const serializers: Record<string, unknown>[] = [];
  const added = new Set<Serializer>();
  const addSerializer = (serializer: Serializer): void => {
    if (added.has(serializer)) return;
    added.add(serializer);
    for (const { serializer: parts, variants = [] } of serializer.fields) {
      for (const part of [parts, ...variants]) if (part !== undefined) addSerializer(part);
    }
    serializers.push({
      serializer_name_sym: symbol(serializer.name),
      serializer_version: serializer.version,
      fields_index: serializer.fields.map(addField),
    });
  };
  for (const name of CLASS_NAMES) addSerializer(CLASSES[name]);

  const message = encodeMessage('CSVCMsg_FlattenedSerializer', { serializers, symbols, fields });
  const data = new BitWriter(message.length + 8);
  data.varUint32(message.length);
  data.bytes(message);
  return encodeMessage('CDemoSendTables', { data: data.toBytes() });
}

/** Returns the DEM_ClassInfo payload: the class of each id. */
export function classInfo(names: Readonly<Record<string, string>> = {}): Uint8Array {
  return encodeMessage('CDemoClassInfo', {
    classes: CLASS_NAMES.map((name, id) => ({ class_id: id, network_name: names[name] ?? name })),
  });
}
