import type * as z from 'zod';
import type { ProblemKind } from '#protocol/problem.ts';

/** Groups of operations, in the order of the document. */
export const TAGS = {
  Clips: 'Submit a render, read its clip, keep it or delete it.',
  Jobs: 'Follow a render job, run it again, and see what became of its webhook.',
  Demos: 'See what is in a demo before you ask for a clip, and upload one that lies nowhere else.',
  Assets: 'Images that you upload and name in a request.',
  Usage: 'What was rendered for you.',
  Events: 'Hear of all your jobs at once, have webhooks signed, and try your receiver.',
  Viewing: 'Pages and files of a clip, for everybody who has its address.',
  Reference: 'This document and its pages.',
  Gateway: 'What render hosts say to the service, version 1. Clients do not need it.',
  Administration: 'What the operator of the service does. Clients do not need it.',
} as const satisfies Record<string, string>;
export type Tag = keyof typeof TAGS;

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** JSON of a shape, with examples that a test holds to it. */
export interface JsonContent {
  readonly schema: z.ZodType;
  readonly examples: Readonly<Record<string, Example>>;
}

/** A stream of server-sent events whose data is JSON of a shape; `events` are an example of one stream. */
export interface EventContent {
  readonly eventSchema: z.ZodType;
  readonly events: readonly unknown[];
}

/** Bytes or text that have no schema. */
export interface RawContent {
  readonly types: readonly string[];
}

export type Content = JsonContent | EventContent | RawContent;

export interface HeaderDoc {
  readonly description: string;
  readonly example: string;
  /** Not with every answer of its status. */
  readonly isOptional?: true;
}

export interface Answer {
  readonly description: string;
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, HeaderDoc>>;
}

/** Everything about an operation that its address, its method and the room it belongs to do not say. */
export interface OperationDoc {
  readonly tag: Tag;
  readonly summary: string;
  /** CommonMark. */
  readonly description: string;
  readonly query?: z.ZodObject;
  readonly headers?: Readonly<Record<string, HeaderDoc>>;
  readonly request?: Content;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Beside those that every operation of its kind has: see `problemsOf`. */
  readonly problems?: readonly ProblemKind[];
}

/** One example, for where there is no choice. */
export function only(value: unknown, summary = 'Example'): JsonContent['examples'] {
  return { example: { summary, value } };
}
