import { changeClip } from './change-clip.ts';

/** `DELETE /api/clips/:id` (spec 4.7). */
export const deleteClip = changeClip('delete-clip');
