import { describe, expect, it } from 'vitest';
import { checkReserve, checkRoom } from '#render-host/capture/cs2/recording/footage-files.ts';
import { buildOptions } from '../../../builders.ts';

const GIB = 1024 ** 3;
const has = (bytes: number) => async () => bytes;

describe('before a recording', () => {
  const options = buildOptions({ width: 1920, height: 1080 });
  const needed = GIB + 1920 * 1080 * 600 * 0.2;

  it('the disk has to hold the footage and keep a reserve', async () => {
    await checkRoom(has(needed), '/work', options, 600);
    const refused = checkRoom(has(needed - 1), '/work', options, 600);
    await expect(refused).rejects.toMatchObject({ code: 'cs2_unavailable', message: /1261 MiB free.*1261 MiB$/ });
  });

  it('twice the frames, or four times the pixels, need so much more', async () => {
    const wide = { width: 3840, height: 2160 };
    await expect(checkRoom(has(needed), '/work', wide, 600)).rejects.toThrow('recording needs');
    await expect(checkRoom(has(needed), '/work', options, 1200)).rejects.toThrow('recording needs');
    await checkRoom(has(needed * 2 - GIB), '/work', options, 1200);
  });
});

describe('while it goes on', () => {
  it('half of the reserve may be used', async () => {
    await checkReserve(has(GIB / 2), '/work');
    await expect(checkReserve(has(GIB / 2 - 1), '/work')).rejects.toMatchObject({ code: 'cs2_unavailable' });
  });
});
