import { QUANTIZED, type QuantizedFloatSpec } from '#demo-format/game.ts';
import type { BitReader } from './bit-reader.ts';

const {
  roundDown: ROUND_DOWN,
  roundUp: ROUND_UP,
  encodeZero: ENCODE_ZERO,
  encodeIntegers: ENCODE_INTEGERS,
} = QUANTIZED;

/**
 * Returns a reader of a float that is sent as a count of equal steps between two ends. Some ends, and zero, may have
 * bits of their own.
 */
function quantizedFloat({ bitCount, low, high, encodeFlags }: QuantizedFloatSpec): (bits: BitReader) => number {
  let flags = usefulFlags(encodeFlags, low, high);
  let width = bitCount;
  let top = high;
  let bottom = low;
  const step = (high - low) / 2 ** bitCount;
  if ((flags & ROUND_DOWN) !== 0) top -= step;
  else if ((flags & ROUND_UP) !== 0) bottom += step;
  if ((flags & ENCODE_INTEGERS) !== 0) {
    const exponent = Math.ceil(Math.log2(Math.max(top - bottom, 1)));
    width = Math.max(bitCount, exponent);
    top = bottom + 2 ** exponent - 2 ** (exponent - width);
  }
  const steps = 2 ** width - 1;
  const perUnit = multiplier(steps, top - bottom);
  const quantized = (value: number): number =>
    bottom + ((top - bottom) * Math.floor((value - bottom) * perUnit)) / steps;
  // A value on a step needs no bit of its own.
  if ((flags & ROUND_DOWN) !== 0 && quantized(bottom) === bottom) flags &= ~ROUND_DOWN;
  if ((flags & ROUND_UP) !== 0 && quantized(top) === top) flags &= ~ROUND_UP;
  if ((flags & ENCODE_ZERO) !== 0 && quantized(0) === 0) flags &= ~ENCODE_ZERO;
  const range = top - bottom;
  return (bits) => {
    if ((flags & ROUND_DOWN) !== 0 && bits.bit()) return bottom;
    if ((flags & ROUND_UP) !== 0 && bits.bit()) return top;
    if ((flags & ENCODE_ZERO) !== 0 && bits.bit()) return 0;
    return bottom + (range * bits.bits(width)) / steps;
  };
}

function usefulFlags(given: number, low: number, high: number): number {
  let flags = given;
  if (flags === 0) return 0;
  if ((low === 0 && (flags & ROUND_DOWN) !== 0) || (high === 0 && (flags & ROUND_UP) !== 0)) flags &= ~ENCODE_ZERO;
  if (low === 0 && (flags & ENCODE_ZERO) !== 0) flags = (flags | ROUND_DOWN) & ~ENCODE_ZERO;
  if (high === 0 && (flags & ENCODE_ZERO) !== 0) flags = (flags | ROUND_UP) & ~ENCODE_ZERO;
  if (low > 0 || high < 0) flags &= ~ENCODE_ZERO;
  if ((flags & ENCODE_INTEGERS) !== 0) flags &= ~(ROUND_UP | ROUND_DOWN | ENCODE_ZERO);
  return flags;
}

/** Returns the steps a unit, slightly reduced if rounding would put the top value past the last step. */
function multiplier(steps: number, range: number): number {
  if (range <= 0) return steps;
  const exact = steps / range;
  if (exact * range <= steps) return exact;
  return [0.9999, 0.99, 0.9, 0.8, 0.7].map((part) => exact * part).find((value) => value * range <= steps) ?? exact;
}

export type Vector = readonly number[];
/** The sent parts of a list, by number. */
export type FieldList = readonly (number | boolean | Vector | undefined)[];
export type FieldValue = number | bigint | boolean | string | Vector | Uint8Array | FieldList;
export type DecodeField = (bits: BitReader) => FieldValue;

/** The encoding of a field, as the send tables describe it. */
export interface FieldEncoding {
  readonly name: string;
  readonly encoder: string;
  readonly bitCount: number;
  readonly low: number;
  readonly high: number;
  readonly encodeFlags: number;
}

export const decodeBoolean: DecodeField = (bits) => bits.bit();
export const decodeUint: DecodeField = (bits) => bits.varUint32();
const decodeInt: DecodeField = (bits) => bits.varInt32();
const decodeFloat = (bits: BitReader): number => bits.float32();
const decodeString: DecodeField = (bits) => bits.string();
const decodeBlock: DecodeField = (bits) => bits.bytes(bits.varUint32());

/** Sent as a count of ticks, whatever their declared type. */
const COUNTED_IN_TICKS: ReadonlySet<string> = new Set(['m_flSimulationTime', 'm_flAnimTime']);

/**
 * Returns the decoder of a field without parts, by its C++ type, as the game's reader does. Small integers, handles and
 * enumerations are plain varints.
 */
export function decoderOf(type: string, encoding: FieldEncoding): DecodeField {
  switch (type) {
    case 'bool':
    case 'CBodyComponent':
    case 'CPhysicsComponent':
    case 'CRenderComponent':
      return decodeBoolean;
    case 'int8':
    case 'int16':
    case 'int32':
      return decodeInt;
    case 'int64':
      return (bits) => {
        const value = bits.varUint64();
        return (value >> 1n) ^ -(value & 1n);
      };
    case 'uint64':
    case 'CStrongHandle':
    case 'ResourceId_t':
      return encoding.encoder === 'fixed64' ? (bits) => bits.fixed64() : (bits) => bits.varUint64();
    case 'CUtlString':
    case 'CUtlSymbolLarge':
    case 'CGlobalSymbol':
      return decodeString;
    case 'CUtlBinaryBlock':
      return decodeBlock;
    case 'GameTime_t':
      return decodeFloat;
    case 'float32':
      return floatDecoder(encoding);
    case 'CNetworkedQuantizedFloat':
      return quantizedOrPlain(encoding);
    case 'Vector2D':
      return vectorDecoder(encoding, 2);
    case 'Vector':
    case 'VectorWS':
      return encoding.encoder === 'normal' ? decodeNormal : vectorDecoder(encoding, 3);
    case 'Vector4D':
    case 'Quaternion':
      return vectorDecoder(encoding, 4);
    case 'QAngle':
      return angleDecoder(encoding);
    default:
      return decodeUint;
  }
}

/** `char[128]` is a string, a single `char` a number. */
export function charDecoder(isArray: boolean): DecodeField {
  return isArray ? decodeString : decodeUint;
}

function floatDecoder(encoding: FieldEncoding): (bits: BitReader) => number {
  if (COUNTED_IN_TICKS.has(encoding.name)) return (bits) => bits.varUint32();
  return encoding.encoder === 'coord' ? readCoordinate : quantizedOrPlain(encoding);
}

function quantizedOrPlain(encoding: FieldEncoding): (bits: BitReader) => number {
  return encoding.bitCount <= 0 || encoding.bitCount >= 32 ? decodeFloat : quantizedFloat(encoding);
}

function vectorDecoder(encoding: FieldEncoding, length: 2 | 3 | 4): DecodeField {
  const part = floatDecoder(encoding);
  if (length === 2) return (bits) => [part(bits), part(bits)];
  if (length === 3) return (bits) => [part(bits), part(bits), part(bits)];
  return (bits) => [part(bits), part(bits), part(bits), part(bits)];
}

function angleDecoder({ encoder, bitCount }: FieldEncoding): DecodeField {
  const whole = bitCount >= 32 ? decodeFloat : (bits: BitReader) => (bits.bits(bitCount) * 360) / 2 ** bitCount;
  if (encoder === 'qangle_pitch_yaw') return (bits) => [whole(bits), whole(bits), 0];
  if (bitCount > 0) return (bits) => [whole(bits), whole(bits), whole(bits)];
  const part = encoder === 'qangle_precise' ? readPreciseAngle : readCoordinate;
  return (bits) => {
    const [pitch, yaw, roll] = [bits.bit(), bits.bit(), bits.bit()];
    return [pitch ? part(bits) : 0, yaw ? part(bits) : 0, roll ? part(bits) : 0];
  };
}

function readPreciseAngle(bits: BitReader): number {
  return (bits.bits(20) * 360) / 2 ** 20 - 180;
}

function readCoordinate(bits: BitReader): number {
  const [whole, part] = [bits.bit(), bits.bit()];
  if (!whole && !part) return 0;
  const negative = bits.bit();
  const value = (whole ? bits.bits(14) + 1 : 0) + (part ? bits.bits(5) / 32 : 0);
  return negative ? -value : value;
}

function readNormalPart(bits: BitReader): number {
  const negative = bits.bit();
  const value = bits.bits(11) / (2 ** 11 - 1);
  return negative ? -value : value;
}

const decodeNormal: DecodeField = (bits) => {
  const [hasX, hasY] = [bits.bit(), bits.bit()];
  const x = hasX ? readNormalPart(bits) : 0;
  const y = hasY ? readNormalPart(bits) : 0;
  const down = bits.bit();
  const z = Math.sqrt(Math.max(0, 1 - x * x - y * y));
  return [x, y, down ? -z : z];
};
