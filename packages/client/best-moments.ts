import type { SubmitRequest } from './shapes.ts';

/** Seconds between the shots of a round that clips of the best moments join. */
export const BEST_MERGE_GAP = 5;

/** Returns the request of a highlight with its `merge_gap`. A range of ticks has none. */
export function bestRequest<Moment extends Pick<SubmitRequest, 'timeline'>>(moment: Moment): Moment {
  return moment.timeline ? moment : { ...moment, merge_gap: BEST_MERGE_GAP };
}
