import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { limitGuesses } from '#service/lib/limit-guesses.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { fileWords } from '../page/words.ts';
import { withPages } from './absent-clip.ts';
import { clipFile } from './clip-file.ts';

export const clipThumbnail = operation({
  route: PUBLIC_ROUTES.clipThumbnail,
  scope: 'public',
  handler: limitGuesses(withPages(clipFile('thumbnail'))),
});

export const words = (): Words => ({
  clipThumbnail: fileWords('image/jpeg', 'thumbnail'),
});
