import { type MESSAGES, type MessageName, messageType } from '#demo-format/messages.ts';

type Messages = typeof MESSAGES;

interface Scalars {
  readonly int32: number;
  readonly uint32: number;
  readonly float: number;
  readonly bool: boolean;
  readonly string: string;
  readonly bytes: Uint8Array;
  /** protobufjs's Long. Only its digits are used. */
  readonly fixed64: { toString(): string };
  readonly uint64: { toString(): string };
}
type ValueOf<T> = T extends keyof Scalars ? Scalars[T] : T extends MessageName ? MessageOf<T> : never;
type FieldOf<F> = F extends readonly [number, infer T, 'repeated']
  ? readonly ValueOf<T>[]
  : F extends readonly [number, infer T]
    ? ValueOf<T>
    : never;

/** A decoded message. A number, text or list that was not sent is 0, empty or false; a message is null. */
export type MessageOf<N extends MessageName> = { readonly [K in keyof Messages[N]]: FieldOf<Messages[N][K]> };

export function decodeMessage<N extends MessageName>(name: N, bytes: Uint8Array): MessageOf<N> {
  return messageType(name).decode(bytes) as unknown as MessageOf<N>;
}

/** Whether a field was sent, for fields whose default is a value too. */
export function wasSent(message: object, field: string): boolean {
  return Object.hasOwn(message, field);
}
