import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas';
import { clipTitle } from '#domain/clip/clip-title.ts';
import { ASPECTS, type Aspect, type Size, sizeOf, thumbnailSize } from '#domain/clip/render-order.ts';
import { createRadarCapture } from '#render-host/capture/radar/radar-capture.ts';
import { useHostCanvas } from '#render-host/drawing/host-canvas.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { MOST_WALKED } from '#render-host/pipeline/fetch-match.ts';
import { createRenderClip } from '#render-host/pipeline/render-clip.ts';
import { FONT, font } from '#scene/drawing/fonts.ts';
import { layoutOf } from '#scene/drawing/layout.ts';
import { walkedCells } from '#scene/match/levels.ts';
import { inspectDemo } from '#stack/demo.ts';
import { serveFile } from '#stack/listen.ts';
import { writeSample } from '#stack/sample.ts';
import { writeTracks } from '#tracks/file.ts';

// Makes the clip, the inspection and the replay that jobs of test keys end with (docs/test-keys.md): the render host's
// own, of the sample demo. The clip has a mark over the whole picture.

const FILES = 'src/static/test';
const FACTS = 'core/domain/lib/test-clip.json';

const workDir = await mkdtemp(join(tmpdir(), 'test-clip-'));
const { signal } = new AbortController();
const sample = await writeSample(workDir);
const demo = await serveFile(sample.path);
try {
  const found = await inspectDemo(sample.path, workDir);
  const isBest = ({ steam64_id }: { readonly steam64_id: string }) => steam64_id === sample.player;
  const player = found.players.findIndex(isBest);
  const best = found.highlights.find((one) => one.player === player && one.round === sample.round);
  if (!best) throw new Error('the sample demo has lost its best moment');
  const ffmpeg = await findFfmpeg(process.env);
  const render = await createRenderClip({
    ffmpeg,
    environment: process.env,
    log: { info: () => {}, warn: () => {} },
    capture: createRadarCapture({ sound: true }),
  });
  const { end_tick } = best;
  // Its last eight seconds.
  const segment = { steam64Id: sample.player, startTick: end_tick - 7 * 64, endTick: end_tick + 64, speed: 1 };
  /** Makes the files of a shape, in the folder of its name; those of 16:9 beside it. */
  const make = async (aspect: Aspect) => {
    const { safe } = layoutOf(sizeOf(1080, aspect));
    const clip = await render({
      order: {
        demoUrl: demo.url,
        selection: { mode: 'timeline', segments: [segment], killSlowdown: null },
        fps: 30,
        resolution: 1080,
        aspect,
        xray: false,
        onlyDeathnotices: true,
        ownKillfeed: true,
        damageTicker: false,
        thumbnailStyle: 'full',
        watermarkImageId: 'mark',
        introAssetId: null,
        outroAssetId: null,
        titleCard: false,
        cardSeconds: 3,
        musicAssetId: null,
      },
      workDir: await mkdtemp(join(workDir, 'clip-')),
      wantsStoryboard: true,
      fetchAsset: async () => (await drawMark(safe)).toBuffer('image/png'),
      onProgress: () => {},
      signal,
      acceptedDomains: ['*'],
      allowPrivateAddresses: true,
    });
    if (!clip.ok) throw new Error(`${clip.code}: ${clip.detail}`);
    if (!clip.storyboard) throw new Error('no storyboard was made');
    const { path: storyboardPath, ...storyboard } = clip.storyboard;
    // A thumbnail has no watermark.
    await writeFile(
      clip.thumbnailPath,
      (await drawMark(thumbnailSize(aspect), clip.thumbnailPath)).toBuffer('image/jpeg', 80),
    );
    // Each test job stores the file.
    const smallPath = `${clip.videoPath}.small.mp4`;
    const { width, height } = sizeOf(480, aspect);
    const output = ['-vf', `scale=${width}:${height}`, '-crf', '30', '-c:a', 'copy', '-movflags', '+faststart'];
    execFileSync(ffmpeg.path, ['-v', 'error', '-i', clip.videoPath, ...output, smallPath]);
    const folder = aspect === '16:9' ? '' : `${aspect.replace(':', 'x')}/`;
    const about = { title: clipTitle(clip.facts), facts: clip.facts, durationSeconds: clip.durationSeconds };
    const files = {
      video: await keep(smallPath, `${folder}video.mp4`),
      thumbnail: await keep(clip.thumbnailPath, `${folder}thumbnail.jpg`),
      storyboard: { ...(await keep(storyboardPath, `${folder}storyboard.jpg`)), ...storyboard },
    };
    return { about, files };
  };
  const read = await readMatch(sample.path);
  if (!read.ok) throw new Error(read.detail);
  const tracksPath = join(workDir, 'tracks.bin');
  await writeFile(tracksPath, await writeTracks(read.match, walkedCells(read.match, MOST_WALKED)));
  const { about, files } = await make('16:9');
  const tracks = await keep(tracksPath, 'tracks.bin');
  const shapes: Partial<Record<Aspect, object>> = {};
  for (const aspect of ASPECTS.slice(1)) shapes[aspect] = (await make(aspect)).files;
  await writeFile(FACTS, `${JSON.stringify({ ...about, ...files, tracks, shapes }, null, 2)}\n`);
  await writeFile(join(FILES, 'demo.json'), `${JSON.stringify(found)}\n`);
} finally {
  await demo.stop();
  await rm(workDir, { recursive: true, force: true });
}

async function keep(from: string, name: string) {
  await mkdir(dirname(join(FILES, name)), { recursive: true });
  await copyFile(from, join(FILES, name));
  const content = await readFile(from);
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

/** Draws `TEST` over the width of a picture: of a file, or of a transparent one. */
async function drawMark({ width, height }: Size, path?: string): Promise<Canvas> {
  useHostCanvas();
  const picture = path === undefined ? null : await loadImage(path);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  if (picture) context.drawImage(picture, 0, 0);
  context.font = font(FONT.display, width * 0.29);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = 'rgb(255 255 255 / 45%)';
  context.fillText('TEST', width / 2, height / 2);
  return canvas;
}
