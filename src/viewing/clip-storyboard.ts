import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { limitGuesses } from '#service/lib/limit-guesses.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { fileWords } from '../page/words.ts';
import { withPages } from './absent-clip.ts';
import { clipFile } from './clip-file.ts';

export const clipStoryboard = operation({
  route: PUBLIC_ROUTES.clipStoryboard,
  scope: 'public',
  handler: limitGuesses(withPages(clipFile('storyboard'))),
});

export const words = (): Words => ({
  clipStoryboard: fileWords('image/jpeg', 'pictures that are shown to whoever seeks'),
});
