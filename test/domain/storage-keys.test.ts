import { describe, expect, it } from 'vitest';
import { counterpartId } from '../../domain/ids.ts';
import { assetKey, attemptPrefix, CLIP_FILE_TYPES, clipFileKey, ownsFile } from '../../domain/storage-keys.ts';
import { JOB_ID } from './builders.ts';

const CLIP_ID = counterpartId(JOB_ID);

describe('where files lie', () => {
  it('is below the clip and the fence, or below the account', () => {
    expect(attemptPrefix(JOB_ID, 3)).toBe(`clips/${CLIP_ID}/3/`);
    expect(clipFileKey(JOB_ID, 3, 'video')).toBe(`clips/${CLIP_ID}/3/video.mp4`);
    expect(clipFileKey(JOB_ID, 3, 'thumbnail')).toBe(`clips/${CLIP_ID}/3/thumbnail.jpg`);
    expect(assetKey('a', 'b')).toBe('assets/a/b');
    expect(CLIP_FILE_TYPES).toEqual({ video: 'video/mp4', thumbnail: 'image/jpeg' });
  });
});

describe('a file that a job still needs', () => {
  const file = (fence: number, kind: 'video' | 'thumbnail') => ({
    key: clipFileKey(JOB_ID, fence, kind),
    bytes: 1,
    sha256: '',
  });
  const clip = { state: 'ready', video: file(1, 'video'), thumbnail: file(1, 'thumbnail') } as never;
  const lease = { fence: 2 } as never;

  it('is of the attempt under way', () => {
    expect(ownsFile({ id: JOB_ID, lease, clip: null }, clipFileKey(JOB_ID, 2, 'video'))).toBe(true);
    expect(ownsFile({ id: JOB_ID, lease, clip: null }, clipFileKey(JOB_ID, 20, 'video'))).toBe(false);
    expect(ownsFile({ id: JOB_ID, lease: null, clip: null }, clipFileKey(JOB_ID, 2, 'video'))).toBe(false);
  });

  it('is of the clip as it stands, until that is deleted', () => {
    for (const kind of ['video', 'thumbnail'] as const) {
      expect(ownsFile({ id: JOB_ID, lease, clip }, clipFileKey(JOB_ID, 1, kind))).toBe(true);
      const deleted = { ...(clip as object), state: 'deleted' } as never;
      expect(ownsFile({ id: JOB_ID, lease, clip: deleted }, clipFileKey(JOB_ID, 1, kind))).toBe(false);
    }
    expect(ownsFile({ id: JOB_ID, lease, clip }, clipFileKey(JOB_ID, 3, 'video'))).toBe(false);
  });
});
