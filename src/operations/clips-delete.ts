import { changeClip } from './change-clip.ts';

/** `DELETE /api/clips/:id` (contract 4.7). */
export const deleteClip = changeClip('delete-clip');
