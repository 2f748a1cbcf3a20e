import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createRadarCapture } from '#render-host/capture/radar/radar-capture.ts';
import { loadRadarPicture } from '#render-host/capture/radar/radar-picture.ts';
import { checkRadarPictures } from '#render-host/doctor/check-machine.ts';
import { createCamera } from '#scene/camera/camera.ts';
import { toScreen } from '#scene/paint/moment.ts';
import { buildMatch, buildOptions, buildShot, type MatchPlan } from '../../builders.ts';
import { paintFrame } from '../../frame-checks.ts';

/** As the game describes a map with two floors. */
const NUKE = `"de_nuke"
{
	"material"	"overviews/de_nuke"	// texture file
	"pos_x"		"-3453"	// X coordinate,
	"pos_y"		"2887"	// Y coordinate,
	"scale"		"7.00"	// and used scale used when taking the screenshot

	"verticalsections"
	{
		"default" // use the primary radar image
		{
			"AltitudeMax" "10000"
			"AltitudeMin" "-495"
		}
		"lower" // i.e. de_nuke_lower_radar.dds
		{
			"AltitudeMax" "-495"
			"AltitudeMin" "-10000"
		}
	}
}`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'radar-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** A picture of one colour, with a green square of 64 pixels of 1024 around a place of the map. */
async function draw(name: string, color: string, at = { x: 0, y: 0 }, size = 1024): Promise<void> {
  const canvas = createCanvas(size, size);
  const ctx = canvas.getContext('2d');
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, size, size);
  ctx.scale(size / 1024, size / 1024);
  ctx.fillStyle = '#00ff00';
  ctx.fillRect((at.x + 3453) / 7 - 32, (2887 - at.y) / 7 - 32, 64, 64);
  await writeFile(join(folder, name), canvas.toBuffer('image/png'));
}

const options = buildOptions();
const shot = buildShot();
const TICK = 128;
const FRAME = 10;
const onFloor =
  (z: number): NonNullable<MatchPlan['stand']> =>
  (player) => ({ x: player * 30, y: 0, z, yaw: 90 });

/** Colours of the frame at a place of the map. */
async function colorAt(z: number, place: { x: number; y: number }): Promise<'red' | 'green' | 'blue' | 'other'> {
  const match = buildMatch({ map: 'de_nuke', stand: onFloor(z) });
  const picture = await loadRadarPicture(folder, match.map);
  const frame = paintFrame(match, [shot], options, FRAME, { walked: new Uint32Array(0), picture });
  const view = createCamera(match, shot, options.width, options.height).at(TICK);
  const { x, y } = toScreen({ view, options }, place);
  const from = (Math.round(y) * options.width + Math.round(x)) * 4;
  const channels = [...frame.subarray(from, from + 3)];
  const most = channels.indexOf(Math.max(...channels));
  return (Math.max(...channels) > 80 ? (['red', 'green', 'blue'] as const)[most] : undefined) ?? 'other';
}

describe('the operator’s picture of a map', () => {
  it('is placed by its description, at any size, and each floor has its own', async () => {
    const spot = { x: 100, y: -180 };
    await writeFile(join(folder, 'de_nuke.txt'), NUKE);
    await draw('de_nuke_radar.png', '#ff0000', spot, 2048);
    await draw('de_nuke_lower_radar_psd.png', '#0000ff', spot);
    expect(await colorAt(-400, spot)).toBe('green');
    expect(await colorAt(-400, { x: spot.x + 190, y: spot.y })).toBe('green');
    expect(await colorAt(-400, { x: spot.x + 260, y: spot.y })).toBe('red');
    expect(await colorAt(-640, { x: spot.x + 190, y: spot.y })).toBe('green');
    expect(await colorAt(-640, { x: spot.x + 260, y: spot.y })).toBe('blue');
  });

  it('is read from plain lines too, and none is there for a map without a description, or a path', async () => {
    await writeFile(join(folder, 'de_nuke.txt'), 'pos_x = -3453\npos_y = 2887\nscale = 7');
    await draw('de_nuke.png', '#ff0000');
    expect((await loadRadarPicture(folder, 'de_nuke'))?.(0)).toMatchObject({ x: -3453, y: 2887, width: 7168 });
    expect(await loadRadarPicture(folder, 'de_dust2')).toBeNull();
    expect(await loadRadarPicture(join(folder, 'in'), '../de_nuke')).toBeNull();
  });

  it('is reported: only a map without one is drawn from movement', async () => {
    await writeFile(join(folder, 'de_nuke.txt'), NUKE);
    await draw('de_nuke.png', '#ff0000');
    const capture = createRadarCapture({ sound: false, radarDir: folder });
    const quiet = { signal: new AbortController().signal, onProgress: () => {} };
    const floorOf = async (map: string) => {
      const match = buildMatch({ map });
      const captured = await capture({ match, shots: [shot], options, demoPath: '', workDir: folder, ...quiet });
      return captured.ok ? captured.floor : expect.unreachable(captured.detail);
    };
    expect([await floorOf('de_nuke'), await floorOf('de_dust2')]).toEqual([undefined, 'movement']);
  });

  it('is looked at by the doctor, who says what is amiss', async () => {
    expect(await checkRadarPictures(join(folder, 'nowhere'))).toMatchObject({ status: 'fail' });
    expect(await checkRadarPictures(folder)).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('no map'),
    });
    await writeFile(join(folder, 'de_nuke.txt'), NUKE);
    expect((await checkRadarPictures(folder)).detail).toContain('no de_nuke.png');
    await draw('de_nuke.png', '#ff0000');
    expect(await checkRadarPictures(folder)).toMatchObject({ status: 'ok', detail: 'of de_nuke' });
    await writeFile(join(folder, 'de_train.txt'), 'pos_x 1');
    expect((await checkRadarPictures(folder)).detail).toContain('de_train.txt has no pos_y');
  });
});
