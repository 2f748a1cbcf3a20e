import type { JobFields } from './job.ts';

/** The folder of all files of a clip. */
export function clipPrefix(clipId: string): string {
  return `clips/${clipId}/`;
}

/**
 * The folder of one attempt's files. Each lease writes under its own fence, so a host that lost its lease can never
 * overwrite what a later one made.
 */
export function attemptPrefix(clipId: string, fence: number): string {
  return `${clipPrefix(clipId)}${fence}/`;
}

/** Where an account's uploaded image lies. */
export function assetKey(accountId: string, assetId: string): string {
  return `assets/${accountId}/${assetId}`;
}

/** Where a demo lies that an account has uploaded. Made of the job's own account, so no job reaches another's. */
export function demoFileKey(accountId: string, uploadId: string): string {
  return `demos/${accountId}/${uploadId}`;
}

export type ClipFile = 'video' | 'thumbnail' | 'storyboard';

const CLIP_FILE_NAMES: Readonly<Record<ClipFile, string>> = {
  video: 'video.mp4',
  thumbnail: 'thumbnail.jpg',
  storyboard: 'storyboard.jpg',
};

export const CLIP_FILE_TYPES: Readonly<Record<ClipFile, string>> = {
  video: 'video/mp4',
  thumbnail: 'image/jpeg',
  storyboard: 'image/jpeg',
};

export function clipFileKey(clipId: string, fence: number, file: ClipFile): string {
  return attemptPrefix(clipId, fence) + CLIP_FILE_NAMES[file];
}

/** Where what viewers may know of a clip lies: for good, so not among the files that the cron looks through. */
export function publicRecordKey(clipId: string): string {
  return `records/${clipId}.json`;
}

/** Where a list of clips lies that pages show beside one of them. */
export function clipListKey(list: string): string {
  return `lists/${list}.json`;
}

/** Whether a file of a clip is one that the job still needs: of the attempt under way, or of the clip as it stands. */
export function ownsFile({ clipId, lease, clip }: Pick<JobFields, 'clipId' | 'lease' | 'clip'>, key: string): boolean {
  if (lease && key.startsWith(attemptPrefix(clipId, lease.fence))) return true;
  return clip?.state === 'ready' && [clip.video, clip.thumbnail, clip.storyboard].some((file) => file?.key === key);
}
