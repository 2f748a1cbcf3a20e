/** The part of `@deademx/cs2` 3.4.1 (plain JavaScript, no types of its own) that the tests read demos with. */
declare module '@deademx/cs2' {
  import type { Readable } from 'node:stream';

  /** A 64-bit integer of protobufjs. */
  export interface Long {
    toString(): string;
  }

  export interface DemoPacketType {
    readonly code: string;
  }
  export const DemoPacketType: Readonly<Record<'DEM_FILE_HEADER' | 'DEM_PACKET' | 'DEM_FULL_PACKET', DemoPacketType>>;

  export interface MessagePacketType {
    readonly code: string;
  }
  export const MessagePacketType: Readonly<
    Record<
      'SVC_PACKET_ENTITIES' | 'GE_SOURCE1_LEGACY_GAME_EVENT' | 'GE_SOURCE1_LEGACY_GAME_EVENT_LIST',
      MessagePacketType
    >
  >;

  export interface DemoPacket {
    readonly type: DemoPacketType;
    /** -1 before the recording starts. */
    readonly tick: number;
    readonly data: unknown;
  }

  export interface MessagePacket {
    readonly type: MessagePacketType;
    readonly data: unknown;
  }

  export interface EntityClass {
    readonly name: string;
    /** null for a field that the class does not have in this build of the game. */
    getFieldAccessor(name: string): { readonly fieldPath: { readonly id: number } } | null;
  }

  export interface Entity {
    readonly index: number;
    readonly serial: number;
    readonly active: boolean;
    readonly class: EntityClass;
    getField(name: string): unknown;
    /** The same for a field without parts, by the id of its path, without an allocation. */
    getFieldById(fieldPathId: number): unknown;
  }

  export interface StringTableEntry {
    readonly id: number;
    readonly value: unknown;
  }

  export interface StringTable {
    readonly type: StringTableType;
  }

  export interface StringTableType {
    readonly name: string;
  }
  export const StringTableType: Readonly<Record<'USER_INFO', StringTableType>>;

  export interface StringTableEvent {
    readonly name: string;
  }
  export const StringTableEvent: Readonly<Record<'TABLE_CHANGED', StringTableEvent>>;

  export interface StringTableContainer {
    subscribe(
      event: StringTableEvent,
      callback: (container: StringTableContainer, table: StringTable, entries: readonly StringTableEntry[]) => void,
    ): void;
  }

  export interface Demo {
    readonly stringTableContainer: StringTableContainer;
    getEntity(index: number): Entity | null;
    getEntitiesByClassNameIterator(className: string): Iterable<Entity>;
  }

  export interface InterceptorStage {
    readonly code: string;
  }
  export const InterceptorStage: Readonly<Record<'DEMO_PACKET' | 'MESSAGE_PACKET', InterceptorStage>>;

  export interface Logger {
    readonly info: (message: string) => void;
  }
  export const Logger: Readonly<Record<'NOOP', Logger>>;

  export class ParserConfiguration {
    constructor(options: {
      entityClasses?: readonly string[];
      messagePacketTypes?: readonly MessagePacketType[];
    });
  }

  export class Parser {
    constructor(configuration: ParserConfiguration, logger: Logger);
    getDemo(): Demo;
    parse(reader: Readable): Promise<void>;
    registerPostInterceptor(
      stage: InterceptorStage,
      callback: (packet: DemoPacket, message: MessagePacket) => void,
    ): void;
  }
}
