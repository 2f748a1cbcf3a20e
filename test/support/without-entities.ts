import { readFile, writeFile } from 'node:fs/promises';
import { BitWriter } from '#demo-format/bit-writer.ts';
import { DEMO_COMMAND, NET_MESSAGE, PREAMBLE_BYTES } from '#demo-format/container.ts';
import { frame } from '#demo-writer/format/container.ts';
import { encodeMessage } from '#demo-writer/format/messages.ts';
import { BitReader } from '#render-host/source2/bit-reader.ts';
import { decodeMessage, unpack, walkFrames } from '#render-host/source2/frames.ts';

/**
 * Copies a demo without its entities. demoparser2 0.42.0 cannot decode those of 14090.dem (`IllegalPathOp`), and reads
 * the game's events of such a copy, without the names of players.
 */
export async function copyWithoutEntities(path: string, outPath: string): Promise<void> {
  const parts: Uint8Array[] = [(await readFile(path)).subarray(0, PREAMBLE_BYTES)];
  await walkFrames(path, { payloads: true }, ({ command, compressed, tick, payload }) => {
    // A full packet repeats what the packets have.
    if (payload === null || command === DEMO_COMMAND.fullPacket) return;
    const bytes = compressed ? unpack(payload) : payload;
    const isPacket = command === DEMO_COMMAND.packet || command === DEMO_COMMAND.signonPacket;
    const data = () => withoutEntities(decodeMessage('CDemoPacket', bytes).data);
    parts.push(frame(command, tick >>> 0, isPacket ? encodeMessage('CDemoPacket', { data: data() }) : bytes));
  });
  await writeFile(outPath, Buffer.concat(parts));
}

function withoutEntities(packet: Uint8Array): Uint8Array {
  const bits = new BitReader();
  const end = (packet.byteOffset + packet.length) * 8;
  bits.reset(packet.buffer, packet.byteOffset * 8, end);
  const out = new BitWriter(packet.length);
  while (bits.position + 8 < end) {
    const type = bits.uBitVar();
    const length = bits.varUint32();
    const isKept = type !== NET_MESSAGE.CSVCMsg_PacketEntities;
    if (isKept) out.uBitVar(type);
    if (isKept) out.varUint32(length);
    for (let at = 0; at < length; at++) {
      const byte = bits.bits(8);
      if (isKept) out.bits(byte, 8);
    }
  }
  return out.toBytes();
}
