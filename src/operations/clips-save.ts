import { changeClip } from './change-clip.ts';

/** `POST /api/clips/:id/save` (contract 4.6): the clip is kept for good. */
export const saveClip = changeClip('save');
