import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { limitGuesses } from '#service/lib/admission.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { fileWords } from '../page/words.ts';
import { withPages } from './absent-clip.ts';
import { clipFile } from './serve-file.ts';

export const clipVideo = operation({
  route: PUBLIC_ROUTES.clipVideo,
  scope: 'public',
  handler: limitGuesses(withPages(clipFile('video'))),
});

export const clipStoryboard = operation({
  route: PUBLIC_ROUTES.clipStoryboard,
  scope: 'public',
  handler: limitGuesses(withPages(clipFile('storyboard'))),
});

export const clipThumbnail = operation({
  route: PUBLIC_ROUTES.clipThumbnail,
  scope: 'public',
  handler: limitGuesses(withPages(clipFile('thumbnail'))),
});

export const replayTracks = operation({
  route: PUBLIC_ROUTES.replayTracks,
  scope: 'public',
  handler: limitGuesses(clipFile('tracks')),
});

export const words = (): Words => ({
  clipVideo: fileWords('video/mp4', 'MP4'),
  clipStoryboard: fileWords('image/jpeg', 'pictures that are shown to whoever seeks'),
  clipThumbnail: fileWords('image/jpeg', 'thumbnail'),
  replayTracks: fileWords('application/octet-stream', 'tracks that the page of a replay plays'),
});
