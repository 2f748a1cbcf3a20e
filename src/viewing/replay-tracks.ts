import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { limitGuesses } from '#service/lib/limit-guesses.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { fileWords } from '../page/words.ts';
import { clipFile } from './clip-file.ts';

export const replayTracks = operation({
  route: PUBLIC_ROUTES.replayTracks,
  scope: 'public',
  handler: limitGuesses(clipFile('tracks')),
});

export const words = (): Words => ({
  replayTracks: fileWords('application/octet-stream', 'tracks that the page of a replay plays'),
});
