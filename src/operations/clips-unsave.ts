import { changeClip } from './change-clip.ts';

/** `POST /api/clips/:id/unsave` (contract 4.6): the clip expires again. */
export const unsaveClip = changeClip('unsave');
