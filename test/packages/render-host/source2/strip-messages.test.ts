import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEvent, parsePlayerInfo, parseTicks } from '@laihoe/demoparser2';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { BitWriter } from '#demo-format/bit-writer.ts';
import { DEMO_COMMAND } from '#demo-format/container.ts';
import { frame } from '#demo-writer/format/container.ts';
import { encodeMessage } from '#demo-writer/format/messages.ts';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { BitReader } from '#render-host/source2/bit-reader.ts';
import { decodeMessage, unpack, walkFrames } from '#render-host/source2/frames.ts';
import { stripMessages } from '#render-host/source2/strip-messages.ts';
import { haveRealDemos, realDemo, testFolder } from '../match/real-demos.ts';

const CONSOLE_CMD = 9;
let demo: Uint8Array;
beforeAll(() => {
  const match = composeMatch({
    rounds: [{ startTick: 10, endTick: 300, winner: 'T' }],
    kills: [{ tick: 200, attacker: 0, victim: 5 }],
    lastTick: 400,
  });
  demo = encodeDemo(match);
});

/** Returns a protobuf message with a text as field 1. */
function text(words: string): Uint8Array {
  const bytes = Buffer.from(words);
  const out = new BitWriter(bytes.length + 8);
  out.varUint32(0x0a);
  out.varUint32(bytes.length);
  out.bytes(bytes);
  return out.toBytes();
}

/** Returns a packet of raw messages, by type. */
function packet(messages: readonly (readonly [type: number, payload: Uint8Array])[]): Uint8Array {
  const out = new BitWriter(256);
  for (const [type, payload] of messages) {
    out.uBitVar(type);
    out.varUint32(payload.length);
    out.bytes(payload);
  }
  return out.toBytes();
}

const packetFrame = (data: Uint8Array) => frame(DEMO_COMMAND.packet, 100, encodeMessage('CDemoPacket', { data }));
const fullFrame = (data: Uint8Array) =>
  frame(DEMO_COMMAND.fullPacket, 100, encodeMessage('CDemoFullPacket', { packet: { data } }));
const consoleFrame = (words: string) => frame(CONSOLE_CMD, 100, text(words));

/** Returns the demo with frames before its first packet of tick 100, as in a player's own recording. */
async function demoWith(frames: readonly Uint8Array[]) {
  const folder = await testFolder();
  const path = join(folder, 'match.dem');
  await writeFile(path, demo);
  let at = 0;
  await walkFrames(path, { payloads: false }, ({ command, tick, start }) => {
    if (at === 0 && command === DEMO_COMMAND.packet && tick >= 100) at = start;
  });
  const added = Buffer.concat(frames);
  const whole = Buffer.concat([demo.subarray(0, at), added, demo.subarray(at)]);
  for (const field of [8, 12]) whole.writeInt32LE(whole.readInt32LE(field) + added.length, field);
  await writeFile(path, whole);
  return { path, outPath: join(folder, 'stripped.dem') };
}

/** Returns the commands at the two offsets of a preamble. */
function commandsAtOffsets(file: Buffer): number[] {
  return [8, 12].map((field) => (file[file.readInt32LE(field)] ?? 0) & 63);
}

describe('a demo that carries console commands', () => {
  it('loses them wherever they lie, and else stays the same match', async () => {
    const secret = 'quit; rcon_password hunter2';
    const messages = [
      [4, encodeMessage('CNETMsg_Tick', { tick: 100 })],
      [5, text(secret)],
      [74, text(secret)],
      [48, text(secret)],
    ] as const;
    const { path, outPath } = await demoWith([
      consoleFrame(secret),
      packetFrame(packet(messages)),
      fullFrame(packet([...messages, [5, text('x'.repeat(500))]])),
    ]);
    const { stripped } = await stripMessages(path, outPath);
    expect(stripped).toEqual({ DEM_ConsoleCmd: 1, net_StringCmd: 3, svc_Broadcast_Command: 2, svc_Print: 2 });
    const out = await readFile(outPath);
    expect(out.includes(secret)).toBe(false);
    expect(commandsAtOffsets(out)).toEqual([DEMO_COMMAND.fileInfo, DEMO_COMMAND.spawnGroups]);
    expect(await stripMessages(outPath, `${outPath}2`)).toMatchObject({ stripped: {} });
    const [before, after] = [await readMatch(path), await readMatch(outPath)];
    if (!before.ok || !after.ok) throw new Error(JSON.stringify([before, after]).slice(0, 300));
    expect(after.match.kills).toEqual(before.match.kills);
    expect(after.match.tracks).toEqual(before.match.tracks);
  });

  it('keeps each bit of the messages beside them, at any length and any bit', { tags: ['long'] }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(5, 48, 74, 138, 207), fc.integer({ min: 0, max: 40 })), { maxLength: 6 }),
        fc.string({ minLength: 0, maxLength: 3 }),
        fc.boolean(),
        async (plan, beside, decals) => {
          const messages = [
            ...plan.map(
              ([type, length]) => [type, type === 138 ? decalsOf(length) : text('A'.repeat(length))] as const,
            ),
            [207, Buffer.from(`B${beside}`)] as const,
          ];
          const stays = ([type]: (typeof messages)[number]): boolean => type === 207 || (type === 138 && !decals);
          const data = (kept: typeof messages) => Buffer.from(encodeMessage('CDemoPacket', { data: packet(kept) }));
          const { path, outPath } = await demoWith([packetFrame(packet(messages))]);
          const { stripped } = await stripMessages(path, outPath, { decals });
          const removed = messages.filter((message) => !stays(message)).length;
          expect(Object.values(stripped).reduce((sum, count) => sum + count, 0)).toBe(removed);
          if (removed === 0) return;
          let found: Buffer | null = null;
          await walkFrames(outPath, { payloads: true }, ({ command, tick, payload }) => {
            if (command === DEMO_COMMAND.packet && tick === 100) found ??= Buffer.from(payload ?? []);
          });
          expect(found).toEqual(data(messages.filter(stays)));
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([
    ['a false flag', '0800 1202 0805'],
    ['a third field', '0801 1202 0805 1801'],
    ['no entity', '0801'],
    ['an entity beyond 32 bits', '0801 1206 08ffffffff1f'],
    ['two entities', '0801 1204 0805 0806'],
    ['another order', '1202 0805 0801'],
  ])('keeps a message to remove all decals with %s', async (_, hex) => {
    const { path, outPath } = await demoWith([
      packetFrame(packet([[138, Buffer.from(hex.replaceAll(' ', ''), 'hex')]])),
    ]);
    expect((await stripMessages(path, outPath, { decals: true })).stripped).toEqual({});
  });

  it('is cut at a packet that cannot be checked', async () => {
    const cut = packet([[5, text('quit')]]).slice(0, 4);
    const { path, outPath } = await demoWith([packetFrame(cut), consoleFrame('quit')]);
    expect((await stripMessages(path, outPath)).stripped).toEqual({ 'damaged end': 1 });
    const out = await readFile(outPath);
    const at = (await readFile(path)).indexOf(packetFrame(cut));
    expect(out.subarray(16)).toEqual(Buffer.from(demo.subarray(16, at)));
    expect([8, 12].map((field) => out.readInt32LE(field))).toEqual([0, 0]);
  });
});

/** The message of old recordings that today's game stops at: a flag, and an entity's number. */
function decalsOf(entity: number): Uint8Array {
  return Uint8Array.of(0x08, 1, 0x12, 2, 0x08, entity);
}

/** The demo with a message to remove all decals in each of its packets, behind the first message. */
async function withDecals(path: string): Promise<number> {
  const preamble = Buffer.from(demo.subarray(0, 16));
  const offsets = [8, 12].map((field) => ({ field, was: preamble.readInt32LE(field) }));
  const frames: Uint8Array[] = [preamble];
  let added = 0;
  let length = preamble.length;
  const push = (bytes: Uint8Array): void => {
    frames.push(bytes);
    length += bytes.length;
  };
  const whole = join(path, '../plain.dem');
  await writeFile(whole, demo);
  await walkFrames(whole, { payloads: true }, ({ command, tick, compressed, payload, start, end }) => {
    for (const { field, was } of offsets) if (was === start) preamble.writeInt32LE(length, field);
    if (command !== DEMO_COMMAND.packet || payload === null) return push(demo.slice(start, end));
    const { data = new Uint8Array(0) } = decodeMessage('CDemoPacket', compressed ? unpack(payload) : payload);
    const bits = BitReader.of(data);
    const out = new BitWriter(data.length + 16);
    const skip = (): number => {
      const from = bits.position;
      bits.uBitVar();
      const bytes = bits.varUint32();
      bits.position += bytes * 8;
      return bits.position - from;
    };
    for (let isFirst = true; bits.position + 8 < bits.end; isFirst = false) {
      const from = bits.position;
      const size = skip();
      bits.position = from;
      for (let left = size; left > 0; left -= 32) out.bits(bits.bits(Math.min(32, left)), Math.min(32, left));
      if (!isFirst) continue;
      const decals = decalsOf(added++ % 128);
      out.uBitVar(138);
      out.varUint32(decals.length);
      out.bytes(decals);
    }
    push(frame(DEMO_COMMAND.packet, tick, encodeMessage('CDemoPacket', { data: out.toBytes() })));
  });
  await writeFile(path, Buffer.concat(frames));
  return added;
}

it('a demo without its messages to remove all decals is the same to a reader that others wrote', async () => {
  const folder = await testFolder();
  const [path, outPath] = [join(folder, 'old.dem'), join(folder, 'out.dem')];
  const added = await withDecals(path);
  expect(added).toBeGreaterThan(300);
  expect((await stripMessages(path, outPath, { decals: true })).stripped).toEqual({ RemoveAllDecals: added });
  for (const read of [
    (file: string) => parseEvent(file, 'player_death', ['X', 'Y'], ['total_rounds_played']),
    (file: string) => parseTicks(file, ['X', 'Y', 'health']),
    (file: string) => parsePlayerInfo(file),
  ]) {
    expect(read(outPath)).toEqual(read(path));
  }
});

it('a demo without commands is not written, and has the hash of its content', async () => {
  const { path, outPath } = await demoWith([]);
  const result = await stripMessages(path, outPath);
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(result).toEqual({ sha256, stripped: {}, lastTick: 400 });
  await expect(readFile(outPath)).rejects.toThrow('ENOENT');
});

it.runIf(haveRealDemos).each(['14065.dem', '14090.dem', '14160.dem'])('%s of the game carries none', async (name) => {
  const outPath = join(await testFolder(), 'out.dem');
  expect((await stripMessages(realDemo(name), outPath)).stripped).toEqual({});
});
