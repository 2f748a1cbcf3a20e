import type { BitWriter } from '#demo-format/bit-writer.ts';
import { createQuantizedFloat } from './quantized-float.ts';

export type Vector3 = readonly [x: number, y: number, z: number];
export type WrittenValue = number | bigint | boolean | string | Vector3;

/** The description of a networked field in the send tables, with the game's names, types and encodings. */
export interface FieldSpec {
  readonly name: string;
  /** The C++ type, such as `CHandle< CBaseEntity >` or `char[128]`. */
  readonly type: string;
  /** Dotted path of the struct that contains the field; empty for the class's own fields. */
  readonly sendNode?: string;
  readonly bitCount?: number;
  readonly low?: number;
  readonly high?: number;
  readonly encodeFlags?: number;
  readonly encoder?: 'coord' | 'fixed64' | 'qangle_precise';
  readonly varSerializer?: string;
  readonly serializer?: Serializer;
  /** The types of the pointer besides its declared type. Its value is the number of the type, from 1 on. */
  readonly variants?: readonly Serializer[];
}

export interface Serializer {
  readonly name: string;
  readonly version: number;
  readonly fields: readonly FieldSpec[];
}

export type WriteValue = (out: BitWriter, value: WrittenValue) => void;

/** Returns the writer of a field's value, by its type, encoder and bit count, as the game's reader does. */
export function valueWriterOf(field: FieldSpec): WriteValue {
  if (field.variants !== undefined) {
    return (out, value) => {
      out.bit(true);
      out.uBitVar(asNumber(value));
    };
  }
  if (field.serializer !== undefined) return (out, value) => out.bit(asBoolean(value));
  if (field.type.startsWith('char[') || field.type === 'CUtlString' || field.type === 'CUtlSymbolLarge') {
    return (out, value) => out.string(asString(value));
  }
  switch (field.type) {
    case 'bool':
      return (out, value) => out.bit(asBoolean(value));
    case 'int8':
    case 'int16':
    case 'int32':
      return (out, value) => out.varInt32(asNumber(value));
    case 'uint64':
      return field.encoder === 'fixed64'
        ? (out, value) => out.fixed64(asBigInt(value))
        : (out, value) => out.varUint64(asBigInt(value));
    case 'QAngle':
      return writeAngles(field);
    case 'Vector':
      return (out, value) => {
        for (const part of asVector(value)) out.float32(part);
      };
    case 'GameTime_t':
      return (out, value) => out.float32(asNumber(value));
    case 'float32':
    case 'CNetworkedQuantizedFloat':
      return writeFloat(field);
    default:
      // Handles, enumerations, ticks, tokens and small unsigned integers are plain varints.
      return (out, value) => out.varUint32(asNumber(value));
  }
}

function writeFloat(field: FieldSpec): WriteValue {
  // The game sends these two as a count of ticks, whatever their declared type.
  if (field.name === 'm_flSimulationTime' || field.name === 'm_flAnimTime') {
    return (out, value) => out.varUint32(asNumber(value));
  }
  const bitCount = field.bitCount ?? 0;
  if (bitCount <= 0 || bitCount >= 32) return (out, value) => out.float32(asNumber(value));
  const quantized = createQuantizedFloat({
    bitCount,
    low: field.low ?? 0,
    high: field.high ?? 1,
    encodeFlags: field.encodeFlags ?? 0,
  });
  return (out, value) => quantized.write(out, asNumber(value));
}

const ANGLE_STEPS = 2 ** 20;

/** Three angles of 20 bits over the full turn from -180, each after a bit that says whether it is sent; 0 is not. */
function writeAngles(field: FieldSpec): WriteValue {
  if (field.encoder !== 'qangle_precise') throw new Error(`no encoding of ${field.name}: only qangle_precise is known`);
  return (out, value) => {
    const angles = asVector(value);
    for (const angle of angles) out.bit(angle !== 0);
    for (const angle of angles) {
      if (angle !== 0) out.bits(Math.round(((angle + 180) / 360) * ANGLE_STEPS) & (ANGLE_STEPS - 1), 20);
    }
  };
}

function asNumber(value: WrittenValue): number {
  if (typeof value !== 'number') throw new TypeError(`expected a number, got ${typeof value}`);
  return value;
}

function asBigInt(value: WrittenValue): bigint {
  if (typeof value !== 'bigint') throw new TypeError(`expected a bigint, got ${typeof value}`);
  return value;
}

function asBoolean(value: WrittenValue): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`expected a boolean, got ${typeof value}`);
  return value;
}

function asString(value: WrittenValue): string {
  if (typeof value !== 'string') throw new TypeError(`expected a string, got ${typeof value}`);
  return value;
}

function asVector(value: WrittenValue): Vector3 {
  if (typeof value !== 'object') throw new TypeError(`expected a vector, got ${typeof value}`);
  return value;
}
