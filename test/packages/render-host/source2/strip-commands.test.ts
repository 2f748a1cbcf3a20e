import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEMO_COMMAND } from '#demo-writer/facts/container.ts';
import { BitWriter } from '#demo-writer/format/bit-writer.ts';
import { frame } from '#demo-writer/format/container.ts';
import { encodeMessage } from '#demo-writer/format/messages.ts';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { walkFrames } from '#render-host/source2/frames.ts';
import { stripCommands } from '#render-host/source2/strip-commands.ts';
import { testFolder } from '../match/composed-demo.ts';
import { haveRealDemos, realDemo } from '../match/real-demos.ts';

const CONSOLE_CMD = 9;
let demo: Uint8Array;
beforeAll(() => {
  demo = encodeDemo(
    composeMatch({
      rounds: [{ startTick: 10, endTick: 300, winner: 'T' }],
      kills: [{ tick: 200, attacker: 0, victim: 5 }],
      lastTick: 400,
    }),
  );
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
    const { stripped } = await stripCommands(path, outPath);
    expect(stripped).toEqual({ DEM_ConsoleCmd: 1, net_StringCmd: 3, svc_Broadcast_Command: 2, svc_Print: 2 });
    const out = await readFile(outPath);
    expect(out.includes(secret)).toBe(false);
    expect(commandsAtOffsets(out)).toEqual([DEMO_COMMAND.fileInfo, DEMO_COMMAND.spawnGroups]);
    expect(await stripCommands(outPath, `${outPath}2`)).toMatchObject({ stripped: {} });
    const [before, after] = [await readMatch(path), await readMatch(outPath)];
    if (!before.ok || !after.ok) throw new Error(JSON.stringify([before, after]).slice(0, 300));
    expect(after.match.kills).toEqual(before.match.kills);
    expect(after.match.tracks).toEqual(before.match.tracks);
  });

  it('loses their text at any length and any bit, and no bit next to them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(5, 48, 74, 207), fc.integer({ min: 0, max: 40 })), { maxLength: 6 }),
        fc.string({ minLength: 0, maxLength: 3 }),
        async (plan, beside) => {
          const data = packet([
            ...plan.map(([type, length]) => [type, text('A'.repeat(length))] as const),
            [207, Buffer.from(`B${beside}`)],
          ]);
          const { path, outPath } = await demoWith([packetFrame(data)]);
          const { stripped } = await stripCommands(path, outPath);
          const commands = plan.filter(([type]) => type !== 207).length;
          expect(Object.values(stripped).reduce((sum, count) => sum + count, 0)).toBe(commands);
          if (commands === 0) return;
          // Compared bit by bit with a packet that was written with blank commands.
          let found: Buffer | null = null;
          await walkFrames(outPath, { payloads: true }, ({ command, tick, payload }) => {
            if (command === DEMO_COMMAND.packet && tick === 100) found ??= Buffer.from(payload ?? []);
          });
          const blank = packet([
            ...plan.map(
              ([type, length]) => [type, type === 207 ? text('A'.repeat(length)) : blanked(length + 2)] as const,
            ),
            [207, Buffer.from(`B${beside}`)],
          ]);
          expect(found).toEqual(Buffer.from(encodeMessage('CDemoPacket', { data: blank })));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is refused where a packet cannot be looked through', async () => {
    const cut = packet([[5, text('quit')]]).slice(0, 4);
    const { path, outPath } = await demoWith([packetFrame(cut)]);
    await expect(stripCommands(path, outPath)).rejects.toThrow('is longer than its packet');
  });
});

/** Returns an empty command of that many bytes: an empty text, then an unknown field. */
function blanked(length: number): Uint8Array {
  if (length === 3) return Uint8Array.of(0x0a, 1, 0x20);
  const rest = Array.from({ length: Math.floor((length - 2 - (length % 2 ? 3 : 0)) / 2) }, () => [0x78, 0]).flat();
  return Uint8Array.of(0x0a, 0, ...(length % 2 ? [0x78, 0x80, 0] : []), ...rest);
}

it('a demo without commands is not written, and has the hash of its content', async () => {
  const { path, outPath } = await demoWith([]);
  const result = await stripCommands(path, outPath);
  expect(result).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), stripped: {} });
  await expect(readFile(outPath)).rejects.toThrow('ENOENT');
});

it.runIf(haveRealDemos).each(['14065.dem', '14090.dem', '14160.dem'])('%s of the game carries none', async (name) => {
  const outPath = join(await testFolder(), 'out.dem');
  expect((await stripCommands(realDemo(name), outPath)).stripped).toEqual({});
});
