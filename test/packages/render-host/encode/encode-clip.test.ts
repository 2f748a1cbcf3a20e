import { execFile, spawn } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { access, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EncodeInput, encodeClip } from '#render-host/encode/encode-clip.ts';
import { type Ffmpeg, findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { readMp4 } from '#render-host/encode/mp4-boxes.ts';
import type { FrameSource } from '#render-host/frames/frame-source.ts';

const run = promisify(execFile);
const { path: ffprobe } = createRequire(import.meta.url)('@ffprobe-installer/ffprobe') as { path: string };

let folder: string;
let ffmpeg: Ffmpeg;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tickreel-encode-'));
  ffmpeg = await findFfmpeg({});
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Frames of one colour each, getting lighter. `onFrame` runs before each. */
function buildSource(frameCount: number, onFrame: (index: number) => void | Promise<void> = () => {}): FrameSource {
  const frame = (index: number): Uint8Array => {
    const pixels = new Uint8Array(320 * 180 * 4).fill(255);
    for (let i = 0; i < pixels.length; i += 4) pixels.set([200, 40 + index, 30], i);
    return pixels;
  };
  return {
    frameCount,
    async *frames(signal) {
      for (let index = 0; index < frameCount && !signal.aborted; index++) {
        await onFrame(index);
        yield frame(index);
      }
    },
    frame: async (index) => frame(index),
  };
}

function buildInput(overrides: Partial<EncodeInput> = {}): EncodeInput {
  return {
    ffmpeg,
    source: buildSource(50),
    width: 320,
    height: 180,
    fps: 25,
    outPath: join(folder, `${Math.random().toString(36).slice(2)}.mp4`),
    signal: new AbortController().signal,
    ...overrides,
  };
}

/** Creates a shell script instead of ffmpeg. */
async function buildProgram(script: string): Promise<Ffmpeg> {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.sh`);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return { ...ffmpeg, path };
}

describe('an encoded clip', () => {
  it('is H.264 High at a constant rate in BT.709, one sample a frame, with a silent track, index first', async () => {
    const input = buildInput();
    expect(await encodeClip(input)).toMatchObject({ ok: true, frames: 50, durationSeconds: 2 });
    const info = await readMp4(input.outPath);
    expect(info).toMatchObject({ fastStart: true, hasAudio: true });
    expect(await readFile(input.outPath, 'latin1')).not.toMatch(/tickreel/i);
    const { stdout } = await run(ffprobe, [
      '-v',
      'error',
      '-of',
      'json',
      '-count_frames',
      '-show_streams',
      input.outPath,
    ]);
    const { streams } = JSON.parse(stdout) as { streams: Record<string, string | number>[] };
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac']);
    const [stream] = streams;
    expect(stream).toMatchObject({
      codec_name: 'h264',
      profile: 'High',
      pix_fmt: 'yuv420p',
      color_space: 'bt709',
      color_primaries: 'bt709',
      color_transfer: 'bt709',
      color_range: 'tv',
      r_frame_rate: '25/1',
      avg_frame_rate: '25/1',
      nb_read_frames: '50',
    });
    expect(info?.video).toEqual({
      codec: stream?.codec_tag_string,
      width: stream?.width,
      height: stream?.height,
      durationSeconds: Number(stream?.duration),
      samples: Number(stream?.nb_frames),
      framesPerSecond: 25,
    });
  });

  it('has the colours that were drawn', async () => {
    const input = buildInput();
    await encodeClip(input);
    const args = ['-v', 'error', '-i', input.outPath, '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
    const { stdout } = await run(ffmpeg.path, args, { encoding: 'buffer', maxBuffer: 1 << 24 });
    for (const [channel, value] of [200, 40, 30].entries()) {
      expect(Math.abs((stdout[channel] ?? 0) - value)).toBeLessThan(6);
    }
  });

  it.each([5, 29, 120])('has the exact frames, each as long as the others, at %i a second', async (fps) => {
    const input = buildInput({ fps, source: buildSource(37) });
    const result = await encodeClip(input);
    expect(result).toMatchObject({ ok: true, frames: 37 });
    expect(result.ok && result.durationSeconds).toBeCloseTo(37 / fps, 4);
    expect((await readMp4(input.outPath))?.video).toMatchObject({ samples: 37, framesPerSecond: fps });
  });
});

describe('an encode that fails', () => {
  it('is a typed failure when the encoder is killed midway, and leaves no file', async () => {
    const started: number[] = [];
    const program = await buildProgram(`echo $$ > "${folder}/pid"; exec "${ffmpeg.path}" "$@"`);
    const source = buildSource(100_000, async (index) => {
      if (index !== 20) return;
      const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
      started.push(pid);
      process.kill(pid, 'SIGKILL');
    });
    const input = buildInput({ ffmpeg: program, source });
    expect(await encodeClip(input)).toEqual({
      ok: false,
      code: 'cs2_unavailable',
      detail: 'the encoder was ended by SIGKILL',
    });
    expect(started).toHaveLength(1);
    await expect(access(input.outPath)).rejects.toThrow('ENOENT');
  });

  it.each([
    ['render_failed', 'Error while opening encoder'],
    ['cs2_unavailable', 'av_interleaved_write_frame(): No space left on device'],
  ])('is %s when the encoder ends saying: %s', async (code, said) => {
    const program = await buildProgram(`head -c 100 >/dev/null; echo "${said}" >&2; exit 1`);
    const detail = `the encoder ended with code 1: ${said}`;
    expect(await encodeClip(buildInput({ ffmpeg: program }))).toEqual({ ok: false, code, detail });
  });

  it('is a machine error when the encoder takes no more frames, or does not end after the last one', async () => {
    for (const script of ['exec sleep 600', 'cat >/dev/null; exec sleep 600']) {
      const input = buildInput({ ffmpeg: await buildProgram(script), stallMs: 200 });
      const detail = expect.stringContaining('no progress for 200 ms');
      expect(await encodeClip(input)).toEqual({ ok: false, code: 'cs2_unavailable', detail });
    }
  });

  it('is a typed failure when the encoder cannot be started', async () => {
    const gone: Ffmpeg = { ...ffmpeg, path: join(folder, 'none') };
    expect(await encodeClip(buildInput({ ffmpeg: gone }))).toMatchObject({
      code: 'cs2_unavailable',
      detail: expect.stringContaining('ENOENT'),
    });
  });

  it('is a typed failure when drawing throws', async () => {
    const source = buildSource(10, (index) => {
      if (index === 4) throw new Error('out of paint');
    });
    expect(await encodeClip(buildInput({ source }))).toMatchObject({ detail: 'drawing failed: out of paint' });
  });

  it('is clip_too_long once the file outgrows its limit, long before its last frame', async () => {
    let drawn = 0;
    const source = buildSource(20_000, () => void drawn++);
    const noisy: FrameSource = {
      ...source,
      async *frames(signal) {
        for await (const frame of source.frames(signal)) yield randomFillSync(frame);
      },
    };
    const input = buildInput({ source: noisy, maxBytes: 1_000_000 });
    expect(await encodeClip(input)).toMatchObject({ ok: false, code: 'clip_too_long' });
    expect(drawn).toBeLessThan(2000);
    await expect(access(input.outPath)).rejects.toThrow();
  });

  it('is finalize_failed when the encoder ends well and leaves a cut file, or one to be read to its end first', async () => {
    const last = 'for out; do :; done';
    const encode = `"${ffmpeg.path}" "$@"`;
    const moved = `"${ffmpeg.path}" -v error -i "$out" -c copy -f mp4 "$out.slow" && mv "$out.slow" "$out"`;
    const short = `"${ffmpeg.path}" -v error -i "$out" -c copy -t 1 -movflags +faststart -f mp4 "$out.s" && mv "$out.s" "$out"`;
    const cut = 'head -c 3000 "$out" > "$out.cut" && mv "$out.cut" "$out"';
    for (const [script, detail] of [
      [`${last}; ${encode}; ${cut}`, 'no complete MP4'],
      [`${last}; ${encode}; ${moved}`, 'does not start with its index'],
      [`${last}; ${encode}; ${short}`, '50 frames drawn, '],
    ] as const) {
      const result = await encodeClip(buildInput({ ffmpeg: await buildProgram(script) }));
      expect(result).toEqual({ ok: false, code: 'finalize_failed', detail: expect.stringContaining(detail) });
    }
  });

  it('is a typed failure when fewer frames are drawn than were planned', async () => {
    const short: FrameSource = { ...buildSource(8), frameCount: 9 };
    const failure = { ok: false, code: 'render_failed', detail: '8 of 9 frames drawn' };
    expect(await encodeClip(buildInput({ source: short }))).toEqual(failure);
  });

  it('stops the encoder when the signal is aborted', async () => {
    const abort = new AbortController();
    const program = await buildProgram(`echo $$ > "${folder}/pid2"; exec "${ffmpeg.path}" "$@"`);
    const source = buildSource(100_000, (index) => {
      if (index === 10) abort.abort();
    });
    const input = buildInput({ ffmpeg: program, source, signal: abort.signal });
    expect(await encodeClip(input)).toMatchObject({ ok: false, detail: 'the render was stopped' });
    const pid = Number(await readFile(join(folder, 'pid2'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('does not start anything under a signal that is aborted already', async () => {
    expect(await encodeClip(buildInput({ signal: AbortSignal.abort() }))).toMatchObject({
      detail: 'the render was stopped',
    });
  });
});

describe('finding ffmpeg', () => {
  it('takes the one that FFMPEG_PATH names, and no other', async () => {
    expect((await findFfmpeg({ FFMPEG_PATH: ffmpeg.path })).path).toBe(ffmpeg.path);
    await expect(findFfmpeg({ FFMPEG_PATH: join(folder, 'none') })).rejects.toThrow('no ffmpeg');
  });

  it('passes over an encoder that is listed but does not work', async () => {
    const program = await buildProgram(
      `case "$*" in *-encoders*) echo ' V..... h264_nvenc x'; echo ' V..... libx264 x';; *h264_nvenc*) exit 1;; esac`,
    );
    expect((await findFfmpeg({ FFMPEG_PATH: program.path })).encoder.name).toBe('libx264');
  });

  it('rejects a program that has no H.264 encoder', async () => {
    const program = await buildProgram('echo hello');
    await expect(findFfmpeg({ FFMPEG_PATH: program.path })).rejects.toThrow('no ffmpeg that encodes H.264');
  });

  it('asks a program again that failed, as on a machine that had no time for it', async () => {
    const mark = join(folder, 'asked');
    const program = await buildProgram(`[ -e "${mark}" ] || { touch "${mark}"; exit 1; }; exec "${ffmpeg.path}" "$@"`);
    await expect(findFfmpeg({ FFMPEG_PATH: program.path })).rejects.toThrow('no ffmpeg');
    expect((await findFfmpeg({ FFMPEG_PATH: program.path })).version).toBe(ffmpeg.version);
  });

  it.each([
    [58, 'no ffmpeg 5.0 or newer'],
    [59, null],
  ])('with libavcodec %i is maintained or not, which recordings ask for', async (major, refused) => {
    const said = `ffmpeg version N-1; libavcodec     ${major}. 42.104 / ${major}. 42.104`.replace('; ', '\n');
    const program = await buildProgram(
      `case "$*" in *-version*) echo "${said}";; *-encoders*) echo ' V..... libx264 x';; esac`,
    );
    const finding = findFfmpeg({ FFMPEG_PATH: program.path }, { isMaintained: true });
    if (refused === null) expect(await finding).toMatchObject({ path: program.path });
    else await expect(finding).rejects.toThrow(refused);
    expect(await findFfmpeg({ FFMPEG_PATH: program.path })).toMatchObject({ path: program.path });
  });
});

/** Creates a fake ffmpeg with a graphics card: `-cq` of its encoder is `more` worse than x264's CRF. */
function buildCard(more: number): Promise<Ffmpeg> {
  return buildProgram(`
    case "$*" in *-encoders*) echo ' V..... h264_nvenc x'; echo ' V..... libx264 x'; exit;; esac
    last=; for a; do shift
      case "$last $a" in
        *" h264_nvenc") set -- "$@" libx264 -preset veryfast;;
        "-cq "*) set -- "$@" -crf $((a + ${more}));;
        *" -rc"|"-rc "*|*" -cq"|*" -b:v"|"-b:v "*) ;;
        *) set -- "$@" "$a";;
      esac
      last="$a"
    done
    exec "${ffmpeg.path}" "$@"`);
}

describe('a graphics card’s encoder', () => {
  it('is taken at the level that is as good as the software’s', async () => {
    const { encoder, fallback } = await findFfmpeg({ FFMPEG_PATH: (await buildCard(6)).path });
    expect([encoder.name, fallback?.name]).toEqual(['h264_nvenc', 'libx264']);
    const level = Number(encoder.args('veryfast').at(-3));
    // Its 14 is x264's 20; the margin allows a little more.
    expect(level).toBeGreaterThanOrEqual(14);
    expect(level).toBeLessThanOrEqual(18);
  });

  it('is left alone where no level is as good', async () => {
    const { encoder, fallback } = await findFfmpeg({ FFMPEG_PATH: (await buildCard(30)).path });
    expect([encoder.name, fallback]).toEqual(['libx264', null]);
  });

  it('that fails within a clip is replaced by the software encoder', async () => {
    const program = await buildProgram(
      `case "$*" in *h264_nvenc*) head -c 2000000 >/dev/null; exit 1;; esac; exec "${ffmpeg.path}" "$@"`,
    );
    const [encoder, fallback] = [{ name: 'h264_nvenc', args: () => [] }, ffmpeg.encoder];
    const [said, seen]: [string[], number[]] = [[], []];
    const input = buildInput({
      ffmpeg: { ...program, encoder, fallback },
      onFallback: (why) => said.push(why),
      onProgress: (done) => seen.push(done),
    });
    expect(await encodeClip(input)).toMatchObject({ ok: true, frames: 50 });
    expect(said).toEqual(['h264_nvenc: the encoder ended with code 1']);
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });
});

describe('reading an MP4 file', () => {
  it('sees that the index comes last', async () => {
    const path = join(folder, 'slow.mp4');
    const child = spawn(ffmpeg.path, ['-v', 'error', '-f', 'lavfi', '-i', 'color=red:s=64x64:d=0.2', '-y', path]);
    await new Promise((resolve) => child.on('close', resolve));
    expect(await readMp4(path)).toMatchObject({ fastStart: false, video: { codec: 'avc1', width: 64, height: 64 } });
  });

  it('sees that frames last differently long', async () => {
    const [steady, jerky] = [join(folder, 'steady.mp4'), join(folder, 'jerky.mp4')];
    const drop = ['-vf', "select='not(eq(n,5))'", '-vsync', 'vfr'];
    const args = (extra: string[], path: string) => [
      ...['-v', 'error', '-f', 'lavfi', '-i', 'testsrc=s=64x64:d=1:r=20', ...extra, '-y', path],
    ];
    await Promise.all([run(ffmpeg.path, args([], steady)), run(ffmpeg.path, args(drop, jerky))]);
    expect((await readMp4(steady))?.video).toMatchObject({ samples: 20, framesPerSecond: 20 });
    expect((await readMp4(jerky))?.video).toMatchObject({ samples: 19, framesPerSecond: null });
  });

  it('knows a file that is cut off, empty or something else', async () => {
    const input = buildInput();
    await encodeClip(input);
    const whole = await readFile(input.outPath);
    const path = join(folder, 'cut.mp4');
    for (const bytes of [
      whole.subarray(0, whole.length - 1),
      whole.subarray(0, 40),
      Buffer.alloc(0),
      Buffer.from('<html>nothing</html>'),
    ]) {
      await writeFile(path, bytes);
      expect(await readMp4(path)).toBeNull();
    }
  });
});
