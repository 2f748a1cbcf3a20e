import type { SubmitRequest } from '#client/index.ts';

/** A moment that the user can tick. */
export interface ClipChoice {
  readonly id: string;
  /** Such as `ace by Ferris, round 7`. */
  readonly label: string;
  readonly request: SubmitRequest;
}

/** Returns the id of a highlight's moment, by its index in the list. */
export const highlightId = (index: number): string => `highlight-${index}`;
