import { describe, expect, it } from 'vitest';
import {
  assetKey,
  attemptPrefix,
  CLIP_FILE_TYPES,
  clipFileKey,
  cutTracksKey,
  filesOfAttempt,
  folderOf,
  ownsFile,
} from '#domain/storage-keys.ts';
import { CLIP_ID } from './builders.ts';

describe('keys of files', () => {
  it('is below the clip and the fence, or below the account', () => {
    expect(attemptPrefix(CLIP_ID, 3)).toBe(`clips/${CLIP_ID}/3/`);
    expect(clipFileKey(CLIP_ID, 3, 'video')).toBe(`clips/${CLIP_ID}/3/video.mp4`);
    expect(clipFileKey(CLIP_ID, 3, 'thumbnail')).toBe(`clips/${CLIP_ID}/3/thumbnail.jpg`);
    const kinds = ['video', 'thumbnail', 'storyboard', 'tracks'] as const;
    expect(filesOfAttempt(`clips/${CLIP_ID}/30/`)).toEqual(kinds.map((kind) => clipFileKey(CLIP_ID, 30, kind)));
    for (const other of [`clips/${CLIP_ID}/`, 'clips/a/b/3/', 'clips/a/3/x', 'x/clips/a/3/', 'clips/a/x/'])
      expect(filesOfAttempt(other)).toBeNull();
    expect(assetKey('a', 'b')).toBe('assets/a/b');
    expect(CLIP_FILE_TYPES).toEqual({
      ...{ video: 'video/mp4', thumbnail: 'image/jpeg', storyboard: 'image/jpeg' },
      tracks: 'application/octet-stream',
    });
  });
});

describe('a file that a job still needs', () => {
  const file = (fence: number, kind: 'video' | 'thumbnail') => ({
    key: clipFileKey(CLIP_ID, fence, kind),
    bytes: 1,
    sha256: '',
  });
  const clip = { state: 'ready', video: file(1, 'video'), thumbnail: file(1, 'thumbnail') } as never;
  const lease = { fence: 2 } as never;

  it('belongs to the present attempt', () => {
    expect(ownsFile({ clipId: CLIP_ID, lease, clip: null }, clipFileKey(CLIP_ID, 2, 'video'))).toBe(true);
    expect(ownsFile({ clipId: CLIP_ID, lease, clip: null }, clipFileKey(CLIP_ID, 20, 'video'))).toBe(false);
    expect(ownsFile({ clipId: CLIP_ID, lease: null, clip: null }, clipFileKey(CLIP_ID, 2, 'video'))).toBe(false);
  });

  it('belongs to the present clip until that is deleted', () => {
    for (const kind of ['video', 'thumbnail'] as const) {
      expect(ownsFile({ clipId: CLIP_ID, lease, clip }, clipFileKey(CLIP_ID, 1, kind))).toBe(true);
      const deleted = { ...(clip as object), state: 'deleted' } as never;
      expect(ownsFile({ clipId: CLIP_ID, lease, clip: deleted }, clipFileKey(CLIP_ID, 1, kind))).toBe(false);
    }
    expect(ownsFile({ clipId: CLIP_ID, lease, clip }, clipFileKey(CLIP_ID, 3, 'video'))).toBe(false);
  });

  it('belongs to the present replay, which has a folder of its own', () => {
    const [key, other] = [cutTracksKey(CLIP_ID, 'a'), cutTracksKey(CLIP_ID, 'b')];
    const tracks = { key, bytes: 1, sha256: '', createdAt: 1 };
    expect([key, folderOf(key)]).toEqual([`clips/${CLIP_ID}/a/tracks.bin`, `clips/${CLIP_ID}/a/`]);
    expect(ownsFile({ clipId: CLIP_ID, lease: null, clip: null, tracks }, key)).toBe(true);
    expect(ownsFile({ clipId: CLIP_ID, lease: null, clip: null, tracks }, other)).toBe(false);
  });
});
