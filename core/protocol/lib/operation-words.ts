import type * as z from 'zod';
import type { ProblemKind } from './problem.ts';

/** Groups of operations, in the order of the document. */
export type Tag =
  | ('Clips' | 'Jobs' | 'Demos' | 'Assets' | 'Usage' | 'Events' | 'Viewing' | 'Rules' | 'API keys')
  | ('Reference' | 'Gateway' | 'Administration');

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** Examples of a JSON body. A test parses each with the schema of the body. */
export type Examples = Readonly<Record<string, Example>>;

/** JSON of a shape. */
export interface JsonContent {
  readonly schema: z.ZodType;
  readonly examples: Examples;
  /** Another media type that the query may ask for. */
  readonly otherType?: string;
}

/** A stream of server-sent events whose data is JSON of a shape. `events` are the example of one stream. */
export interface EventContent {
  readonly eventSchema: z.ZodType;
  readonly events: readonly unknown[];
}

/** Bytes or text without a schema, by their media types. */
export interface RawContent {
  readonly types: readonly string[];
}

export type Content = JsonContent | EventContent | RawContent;

export interface HeaderWords {
  readonly description: string;
  readonly example: string;
  /** Some answers with this status lack the header. */
  readonly isOptional?: true;
}

/** An answer in JSON has examples: its schema is with the operation. */
export interface AnswerWords extends Partial<Omit<JsonContent, 'schema'>> {
  readonly description: string;
  readonly content?: EventContent | RawContent;
  readonly headers?: Readonly<Record<string, HeaderWords>>;
}

/**
 * The descriptions of a module's operations by their ids. The module exports a function `words` that returns them.
 * Nothing in the Worker calls it, so the Worker's bundle does not contain the text.
 */
export type Words = Readonly<Record<string, OperationWords>>;

/** Describes an operation in the OpenAPI document. */
export interface OperationWords {
  /** Left out for operations of clients, hosts and operators: `tools/openapi` knows theirs. */
  readonly tag?: Tag;
  readonly summary: string;
  /** The operator's command: `keys create <account> <kind>`. Other fields of the operation become options. */
  readonly command?: string;
  /** CommonMark. */
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderWords>>;
  /** Examples of the operation's `body`, or the media types of a body that is not JSON. */
  readonly body?: { readonly examples: Examples } | RawContent;
  readonly answers: Readonly<Record<number, AnswerWords>>;
  /** Kinds of problem beyond those that `problemsOf` adds to every operation of a scope. */
  readonly problems?: readonly ProblemKind[];
}

/** The only example of a body. */
export function only(value: unknown, summary = 'Example'): Examples {
  return { example: { summary, value } };
}

/** A JSON answer with one example. */
export function answer(description: string, example: unknown, headers: AnswerWords['headers'] = {}): AnswerWords {
  return { description, examples: only(example), headers };
}

/** The header of an answer that names the address of something. */
export function located(description: string, example: string): NonNullable<AnswerWords['headers']> {
  return { Location: { description, example } };
}
