import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { limitGuesses } from '#service/lib/limit-guesses.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { fileWords } from '../page/words.ts';
import { withPages } from './absent-clip.ts';
import { clipFile } from './clip-file.ts';

export const clipVideo = operation({
  route: PUBLIC_ROUTES.clipVideo,
  scope: 'public',
  handler: limitGuesses(withPages(clipFile('video'))),
});

export const words = (): Words => ({
  clipVideo: fileWords('video/mp4', 'MP4'),
});
