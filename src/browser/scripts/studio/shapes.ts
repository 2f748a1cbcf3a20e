import type { Demo as AnyDemo, DemoMatch, SubmitRequest } from '#client/index.ts';

export type Demo = AnyDemo;
export type Match = DemoMatch;

/** Something to make a clip of. */
export interface Moment {
  readonly id: string;
  /** For people: `ace by Ferris, round 7`. */
  readonly label: string;
  readonly request: SubmitRequest;
}

/** The moment of a highlight, by its place in the list. */
export const highlightId = (index: number): string => `highlight-${index}`;
