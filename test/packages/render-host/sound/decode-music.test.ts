import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSoundHeader } from '#domain/lib/sound-header.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import type { Music } from '#render-host/sound/finish-sound.ts';
import { decodeMusic } from '#render-host/sound/run-sound.ts';
import { serve } from '../download/serve.ts';

const run = promisify(execFile);
const { path: npmBuild } = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg') as { path: string };

/** The machine's ffmpeg, and the one of 2018 that npm installs. */
describe.each(['machine', 'npm'])('music, by the ffmpeg of %s', (build) => {
  let folder: string;
  let ffmpeg: { path: string };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tickreel-music-'));
    ffmpeg = build === 'npm' ? { path: npmBuild } : await findFfmpeg({});
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const decode = (file: Uint8Array, seconds = 60): Promise<Music> =>
    decodeMusic(file, { ffmpeg, seconds, workDir: folder, signal: new AbortController().signal });

  async function make(name: string, args: readonly string[], source = 'sine=440:r=44100:d=3'): Promise<Buffer> {
    const path = join(folder, name);
    await run(ffmpeg.path, ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...args, path]);
    return await readFile(path);
  }

  it.each([
    ['a.wav', ['-ac', '2']],
    ['b.wav', ['-c:a', 'pcm_s24le', '-ar', '96000']],
    ['c.mp3', ['-c:a', 'libmp3lame', '-metadata', 'title=No space left on device']],
    ['d.flac', ['-c:a', 'flac', '-ac', '6']],
    ['e.ogg', ['-c:a', 'libvorbis']],
    ['f.ogg', ['-c:a', 'libopus', '-ar', '48000']],
  ])('is decoded and measured: %s %j', async (name, args) => {
    const { path, seconds, loudness } = await decode(await make(name, args));
    expect(Math.abs(seconds - 3)).toBeLessThan(0.08);
    expect((await stat(path)).size).toBe(Math.round(seconds * 48_000) * 8);
    expect(loudness).toBeGreaterThan(-30);
    expect(loudness).toBeLessThan(-15);
  });

  it('may have a tag before a FLAC', async () => {
    const tag = Buffer.from('ID3\x04\0\0\0\0\0\x0a0123456789', 'latin1');
    const { seconds } = await decode(Buffer.concat([tag, await make('d.flac', ['-c:a', 'flac'])]));
    expect(Math.abs(seconds - 3)).toBeLessThan(0.08);
  });

  it('is what players read: from a pipe, with junk before it, and with a tag at its end', async () => {
    const wav = await make('a.wav', ['-bitexact']);
    const length = wav.indexOf('data') + 4;
    const [sox, counted] = [Buffer.from(wav), Buffer.from(wav)];
    sox.writeUInt32LE(0x7ffff000, length);
    counted.writeUInt32LE(0x80000000 - 44, length);
    const flac = await make('d.flac', ['-c:a', 'flac']);
    const piped = Buffer.from(flac);
    piped.fill(0, 22, 26);
    const mp3 = await make('c.mp3', ['-c:a', 'libmp3lame', '-id3v2_version', '0']);
    const ogg = await make('e.ogg', ['-c:a', 'libvorbis']);
    const tag = Buffer.from('TAG'.padEnd(128));
    const files = {
      sox,
      counted,
      piped,
      mp3: Buffer.concat([Buffer.alloc(50_000), mp3]),
      ogg: Buffer.concat([ogg, tag]),
    };
    for (const [name, file] of Object.entries(files)) {
      const header = readSoundHeader(file);
      expect(Math.abs((header.ok ? header.seconds : 0) - 3), name).toBeLessThan(0.08);
      expect(Math.abs((await decode(file)).seconds - 3), name).toBeLessThan(0.08);
    }
  });

  it('is decoded only as far as the clip goes', async () => {
    expect((await decode(await make('a.wav', []), 1.5)).seconds).toBe(1.5);
  });

  it('may be cut off, and may have a picture, which is not decoded', async () => {
    const cover = ['-f', 'lavfi', '-i', 'color=red:s=64x64:d=1', '-map', '0', '-map', '1', '-frames:v', '1'];
    const file = await make('cover.mp3', [...cover, '-c:v', 'mjpeg', '-id3v2_version', '3']);
    expect((await decode(file)).seconds).toBeGreaterThan(2.9);
    expect((await decode(file.subarray(0, file.length / 2))).seconds).toBeGreaterThan(1);
  });

  it('reads no playlist, no other file and no address', async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    await make('a.wav', []);
    const path = join(folder, 'a.wav');
    const playlist = ['#EXTM3U', '#EXT-X-TARGETDURATION:3', '#EXTINF:3,', url, '#EXTINF:3,', path, '#EXT-X-ENDLIST'];
    const tried = [playlist.join('\n'), `ffconcat version 1.0\nfile '${path}'\nfile '${url}'`, `v=0\no=- 0 0 ${url}`];
    for (const text of tried) await expect(decode(Buffer.from(text))).rejects.toThrow('its format is unknown');
    expect(asked).toEqual([]);
  });

  it('is not decoded by another decoder than those of the four formats', async () => {
    const file = await make('a.wav', ['-c:a', 'adpcm_ima_wav']);
    await expect(decode(file)).rejects.toThrow('its format is unsupported');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a header alone', Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
    ['no sound', Buffer.alloc(100_000, 7)],
    ['an OGG without sound', Buffer.from('OggS')],
  ])('that is %s fails, and the machine is not at fault', async (_, file) => {
    const error = await decode(file).catch((reason: unknown) => reason);
    expect(Object.getPrototypeOf(error)).toBe(Error.prototype);
  });
});
