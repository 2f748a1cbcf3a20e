import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createService } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { writeRecord } from '#storage/clip/public-record.ts';
import { standInMp4 } from '#test/support/test-host.ts';
import { BASE_URL, bindings } from '../support/service.ts';

const SLICE = 4 * 1024 * 1024;
const SIZE = 9_000_001;
const FIRST = 100_000;
/** Milliseconds after which viewers leave a fill that receives nothing. */
const STALLED_MS = 5000;
const video = standInMp4(SIZE);

// Only tests advance the time, so no machine is so slow that a fill stalls in another test.
beforeAll(() => {
  const now = Date.now();
  vi.useRealTimers();
  vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
});

interface Read {
  readonly from: number;
  readonly to: number;
  /** Lets storage send more than the first bytes of this read. */
  go(): void;
  fail(): void;
}

/**
 * Creates a clip in a bucket that sends the first bytes of each read, and the others once the test allows it. Each clip
 * has its own hash, so no cache has it.
 */
async function createColdClip() {
  const id = crypto.randomUUID();
  const file = { key: `clips/${id}/1/video.mp4`, bytes: SIZE, sha256: id };
  await bindings.CLIPS.put(file.key, video);
  const clip = { title: 't', resolution: 1080, fps: 30, durationSeconds: 1, createdAt: 1, renderedAt: 1 };
  const record = { version: 1, state: 'ready', clip: { ...clip, video: file, thumbnail: file } } as const;
  await writeRecord(bindings.CLIPS, id, record);
  const reads: Read[] = [];
  const held = { isHeld: true, isSilent: false };
  const get = async (key: string, options?: { range: { offset: number; length: number } }) => {
    const object = await bindings.CLIPS.get(key, options as R2GetOptions);
    if (!options || !object) return object;
    const bytes = new Uint8Array(await object.arrayBuffer());
    const gate = Promise.withResolvers<void>();
    const { offset: from, length } = options.range;
    const fail = () => gate.reject(new Error('Network connection lost.'));
    reads.push({ from, to: from + length, go: gate.resolve, fail });
    if (!held.isHeld) gate.resolve();
    gate.promise.catch(() => {});
    if (held.isSilent) await gate.promise;
    let at = 0;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (at > 0) await gate.promise;
      const next = at === 0 ? FIRST : at + 500_000;
      controller.enqueue(bytes.subarray(at, next));
      at = next;
      if (at >= bytes.byteLength) controller.close();
    };
    return { body: new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }) };
  };
  const CLIPS = new Proxy(bindings.CLIPS, {
    get: (target, name) => {
      const member = name === 'get' ? get : Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const app = createApp(createService({ ...bindings, CLIPS }));
  const context = createExecutionContext();
  return {
    reads,
    at: (from: number) => reads.find((read) => read.from === from) as Read,
    /** Storage does not answer new reads at all. */
    silence(): void {
      held.isSilent = true;
    },
    /** Storage sends everything of new reads, and no more of those that have begun. */
    stall(): void {
      Object.assign(held, { isHeld: false, isSilent: false });
    },
    /** Storage sends everything from now on. */
    release(): void {
      held.isHeld = false;
      for (const { go } of reads) go();
    },
    async load(from: number, to: number) {
      const headers = { Range: `bytes=${from}-${to - 1}` };
      const response = await app(new Request(`${BASE_URL}/clips/${id}/video.mp4`, { headers }), context);
      expect(response.status).toBe(206);
      return response;
    },
    /** Resolves when the caches are filled. */
    filled: () => waitOnExecutionContext(context),
    removeFile: () => bindings.CLIPS.delete(file.key),
  };
}

const readerOf = (response: Response) => {
  const reader = response.body?.getReader();
  if (!reader) throw new Error('there is no body');
  return reader;
};

/** Reads at least so many bytes. */
async function read(reader: ReadableStreamDefaultReader<Uint8Array>, least: number): Promise<number> {
  let bytes = 0;
  while (bytes < least) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
  }
  return bytes;
}

async function expectVideo(response: Response, from: number, to: number): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer());
  const isSame = body.byteLength === to - from && body.every((byte, i) => byte === video[from + i]);
  expect(isSame).toBe(true);
}

/** Advances the time until the work is done. */
async function overStalls<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const wait = () => {
    vi.advanceTimersByTime(STALLED_MS);
    return isDone;
  };
  await expect.poll(wait).toBe(true);
  return done;
}

describe('a file that no cache has', () => {
  it('is sent as it arrives, while its slice is cached', { tags: ['long'] }, async () => {
    const clip = await createColdClip();
    const viewer = readerOf(await clip.load(0, 1_000_000));
    expect(await read(viewer, FIRST)).toBe(FIRST);
    clip.release();
    expect(await read(viewer, SIZE)).toBe(1_000_000 - FIRST);
    await clip.filled();
    expect(clip.reads).toHaveLength(1);
    await clip.removeFile();
    await expectVideo(await clip.load(10, SLICE), 10, SLICE);
  });

  it('is read from the wanted byte on, and then what is before that in the slice', { tags: ['long'] }, async () => {
    const clip = await createColdClip();
    const viewer = readerOf(await clip.load(2_000_000, 2_050_000));
    expect(await read(viewer, SIZE)).toBe(50_000);
    // Wants more of the same slice, and what has not been asked for.
    const [later, earlier] = await Promise.all([clip.load(2_060_000, 3_000_000), clip.load(1_000_000, 2_000_000)]);
    expect(clip.reads.map(({ from, to }) => [from, to])).toEqual([
      [2_000_000, SLICE],
      [1_000_000, 2_000_000],
    ]);
    clip.release();
    await expectVideo(later, 2_060_000, 3_000_000);
    await expectVideo(earlier, 1_000_000, 2_000_000);
    await clip.filled();
    expect(clip.reads.slice(2).map(({ from, to }) => [from, to])).toEqual([[0, 2_000_000]]);
    await clip.removeFile();
    await expectVideo(await clip.load(0, SLICE), 0, SLICE);
  });

  it('is read from two slices at once', { tags: ['long'] }, async () => {
    const clip = await createColdClip();
    const viewer = readerOf(await clip.load(SLICE - 10, SLICE + 10));
    expect(await read(viewer, SIZE)).toBe(20);
    expect(clip.reads.map(({ from }) => from)).toEqual([SLICE - 10, SLICE]);
    await viewer.cancel();
    clip.release();
    await clip.filled();
    await clip.removeFile();
    await expectVideo(await clip.load(0, 2 * SLICE), 0, 2 * SLICE);
  });

  it('is cached whole when its viewer leaves, and no further slice', { tags: ['long'] }, async () => {
    const clip = await createColdClip();
    const viewer = readerOf(await clip.load(0, SIZE));
    await read(viewer, FIRST);
    await viewer.cancel();
    clip.release();
    await clip.filled();
    expect(clip.reads.map(({ from }) => from)).toEqual([0, SLICE]);
  });

  it('is not held in memory by a slow viewer, who gets the rest from the cache', { tags: ['long'] }, async () => {
    const clip = await createColdClip();
    const response = await clip.load(0, SIZE);
    clip.release();
    await clip.filled();
    expect(clip.reads.map(({ from }) => from)).toEqual([0, SLICE]);
    await expectVideo(response, 0, SIZE);
    expect(clip.reads.map(({ from }) => from)).toEqual([0, SLICE, 2 * SLICE]);
  });

  it('whose read breaks off is not cached, and its viewer gets the rest by another read', {
    tags: ['long'],
  }, async () => {
    const clip = await createColdClip();
    const response = await clip.load(0, 1_000_000);
    clip.at(0).fail();
    await clip.filled();
    clip.release();
    await expectVideo(response, 0, 1_000_000);
    expect(clip.reads.length).toBe(2);
    await expectVideo(await clip.load(0, SLICE), 0, SLICE);
    expect(clip.reads.length).toBe(3);
  });

  it('is read by each viewer of a fill that stalls', async () => {
    const clip = await createColdClip();
    const viewer = readerOf(await clip.load(0, 1_000_000));
    await read(viewer, FIRST);
    const joined = await clip.load(0, 1_000_000);
    expect(clip.reads).toHaveLength(1);
    clip.stall();
    await viewer.cancel();
    await overStalls(expectVideo(joined, 0, 1_000_000));
    clip.release();
    await clip.filled();
  });

  it('is read by each viewer of a fill that storage does not answer', async () => {
    const clip = await createColdClip();
    clip.silence();
    const viewers = [clip.load(0, 100), clip.load(50, 200)];
    await expect.poll(() => clip.reads.length).toBe(1);
    clip.stall();
    const [first, joined] = await overStalls(Promise.all(viewers));
    await expectVideo(first as Response, 0, 100);
    await expectVideo(joined as Response, 50, 200);
    clip.release();
    await clip.filled();
  });

  it('is cached after eight others have stalled', { tags: ['long'] }, async () => {
    const stalled = await Promise.all(Array.from({ length: 8 }, createColdClip));
    await Promise.all(stalled.map((clip) => clip.load(0, SLICE)));
    vi.setSystemTime(Date.now() + STALLED_MS);
    const clip = await createColdClip();
    clip.release();
    await expectVideo(await clip.load(0, SLICE), 0, SLICE);
    await clip.filled();
    await clip.removeFile();
    await expectVideo(await clip.load(0, SLICE), 0, SLICE);
    for (const { release } of stalled) release();
    await Promise.all(stalled.map(({ filled }) => filled()));
  });

  it('of many viewers at once is held in memory at most eight times, and each viewer gets its own', {
    tags: ['long'],
  }, async () => {
    const clips = await Promise.all(Array.from({ length: 9 }, createColdClip));
    const responses = await Promise.all(clips.map((clip) => clip.load(0, SLICE)));
    for (const clip of clips) clip.release();
    for (const response of responses) await expectVideo(response, 0, SLICE);
    await Promise.all(clips.map((clip) => clip.filled()));
    await Promise.all(clips.map((clip) => clip.removeFile()));
    const again = await Promise.all(clips.map((clip) => clip.load(0, 100).catch(() => null)));
    expect(again.filter((response) => response !== null)).toHaveLength(8);
  });
});
