import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEMO_COMMAND } from '#demo-format/container.ts';
import { frame } from '#demo-writer/format/container.ts';
import { encodeMessage } from '#demo-writer/format/messages.ts';
import { composeMatch, encodeDemo } from '#demo-writer/index.ts';
import { stripDemo } from '#render-host/capture/cs2/cs2-capture.ts';
import { isMachineError } from '#render-host/machine/program.ts';
import { testFolder } from '#test/packages/render-host/match/real-demos.ts';

const MEGABYTE = 1 << 20;
const never = new AbortController().signal;

/** Returns a demo with frames before its DEM_Stop, and a path for it without commands. */
async function demoWith(...frames: readonly Uint8Array[]) {
  const folder = await testFolder();
  const paths = { path: join(folder, 'match.dem'), outPath: join(folder, 'out.dem') };
  const demo = encodeDemo(composeMatch({ lastTick: 100 }));
  await writeFile(paths.path, Buffer.concat([demo.subarray(0, 16), ...frames, demo.subarray(16)]));
  return paths;
}

/** Returns a packet of so many empty messages, of two bytes each. */
const packet = (messages: number) =>
  frame(DEMO_COMMAND.packet, 1, encodeMessage('CDemoPacket', { data: Buffer.alloc(2 * messages) }));

describe('looking for console commands', () => {
  it('leaves the process free to send heartbeats while it looks through a frame made to hold it up', async () => {
    const { path, outPath } = await demoWith(packet(4 * MEGABYTE));
    const turns = { during: 0, isOver: false };
    const turn = () => {
      turns.during++;
      if (!turns.isOver) setImmediate(turn);
    };
    // The file takes some thirty reads. In this process there would be about as many turns.
    setImmediate(turn);
    await stripDemo(path, outPath, { signal: never });
    turns.isOver = true;
    expect(turns.during).toBeGreaterThan(1000);
  });

  it('ends within a frame with the job, and when its time is up', async () => {
    const { path, outPath } = await demoWith(packet(4 * MEGABYTE));
    const stopped = new AbortController();
    const stopping = stripDemo(path, outPath, { signal: stopped.signal });
    stopped.abort(new Error('the job is gone'));
    await expect(stopping).rejects.toThrow('the job is gone');
    await expect(stripDemo(path, outPath, { signal: never, timeoutMs: 1 })).rejects.toThrow('more than 1 ms');
  });

  it('takes a frame as large as the parser did, and no larger', async () => {
    const { path, outPath } = await demoWith(packet(MEGABYTE));
    const strippedWith = async (frameBytes: number) =>
      (await stripDemo(path, outPath, { signal: never, frameBytes })).stripped;
    expect(await strippedWith(MEGABYTE)).toEqual({ 'damaged end': 1 });
    expect(await strippedWith(3 * MEGABYTE)).toEqual({});
  });

  it('writes the same as in this thread, and distinguishes a machine error from a faulty demo', async () => {
    const command = frame(9, 1, Buffer.from('0a04717569740a', 'hex'));
    const { path, outPath } = await demoWith(command);
    expect(await stripDemo(path, outPath, { signal: never })).toMatchObject({ stripped: { DEM_ConsoleCmd: 1 } });
    expect((await readFile(outPath)).includes('quit')).toBe(false);
    const missing = await stripDemo(`${path}.not-there`, outPath, { signal: never }).catch((error: unknown) => error);
    expect([isMachineError(missing), String(missing)]).toEqual([true, expect.stringContaining('ENOENT')]);
  });
});
