import type { JobFields } from './job.ts';

/** Returns the folder of all files of a clip. */
export function clipPrefix(clipId: string): string {
  return `clips/${clipId}/`;
}

/**
 * Returns the folder of one attempt's files. The fence is part of it, so a host that lost its lease cannot overwrite
 * files of a later attempt.
 */
export function attemptPrefix(clipId: string, fence: number): string {
  return `${clipPrefix(clipId)}${fence}/`;
}

/** Returns the key of an account's asset. */
export function assetKey(accountId: string, assetId: string): string {
  return `assets/${accountId}/${assetId}`;
}

/**
 * Returns the key of an uploaded demo. It contains the job's own account, so no job can read another account's demo.
 */
export function demoFileKey(accountId: string, uploadId: string): string {
  return `demos/${accountId}/${uploadId}`;
}

export type ClipFile = 'video' | 'thumbnail' | 'storyboard' | 'tracks';

const CLIP_FILE_NAMES: Readonly<Record<ClipFile, string>> = {
  video: 'video.mp4',
  thumbnail: 'thumbnail.jpg',
  storyboard: 'storyboard.jpg',
  tracks: 'tracks.bin',
};

/** Returns the keys that files in the folder of an attempt can have; null for another prefix. */
export function filesOfAttempt(prefix: string): string[] | null {
  if (!/^clips\/[^/]+\/\d+\/$/.test(prefix)) return null;
  return Object.values(CLIP_FILE_NAMES).map((name) => prefix + name);
}

export const CLIP_FILE_TYPES: Readonly<Record<ClipFile, string>> = {
  video: 'video/mp4',
  thumbnail: 'image/jpeg',
  storyboard: 'image/jpeg',
  tracks: 'application/octet-stream',
};

export function clipFileKey(clipId: string, fence: number, file: ClipFile): string {
  return attemptPrefix(clipId, fence) + CLIP_FILE_NAMES[file];
}

/** Returns the key of tracks that were cut for a clip. `cutId` is used once, so a late deletion deletes no others. */
export function cutTracksKey(clipId: string, cutId: string): string {
  return `${clipPrefix(clipId)}${cutId}/${CLIP_FILE_NAMES.tracks}`;
}

/** Returns the folder of a file. */
export function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1);
}

/** Returns the key of a clip's public record. It is permanent, so it is outside of the folders that the cron checks. */
export function publicRecordKey(clipId: string): string {
  return `records/${clipId}.json`;
}

/** Returns the key of a list of clips, which pages show beside one of them. */
export function clipListKey(list: string): string {
  return `lists/${list}.json`;
}

/** Whether the job still needs a file: it is of the present attempt, the present clip or the replay. */
export function ownsFile(
  { clipId, lease, clip, tracks }: Pick<JobFields, 'clipId' | 'lease' | 'clip' | 'tracks'>,
  key: string,
): boolean {
  if (key === tracks?.key || (lease && key.startsWith(attemptPrefix(clipId, lease.fence)))) return true;
  return clip?.state === 'ready' && [clip.video, clip.thumbnail, clip.storyboard].some((file) => file?.key === key);
}
