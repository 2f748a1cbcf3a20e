import { type MessageName, messageType } from '#demo-format/messages.ts';

/**
 * Encodes a message.
 *
 * @param fields by name as in the format's own .proto files. 64-bit numbers as decimal strings.
 */
export function encodeMessage(name: MessageName, fields: Readonly<Record<string, unknown>>): Uint8Array {
  return messageType(name).encode(fields).finish();
}
