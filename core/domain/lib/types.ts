import type * as z from 'zod';

/** The type of a shape's output: read-only at every depth, without the unknown fields of loose objects. */
export type ReadAs<Shape extends z.ZodType> = Known<z.output<Shape>>;

type Known<T> = T extends readonly (infer One)[]
  ? readonly Known<One>[]
  : T extends object
    ? {
        readonly [Name in keyof T as string extends Name ? (unknown extends T[Name] ? never : Name) : Name]: Known<
          T[Name]
        >;
      }
    : T;

/** Ends an exhaustive switch: it does not compile while a case is missing. */
export function assertExhaustive(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}

/**
 * The version of the stored data of each kind of object. The stack refuses a data folder that a later version wrote.
 * docs/decisions/014-stored-versions.md says when to increase a number.
 */
export const STORED_VERSIONS = { job: 1, queue: 1 } as const;

/**
 * Part of the message of an error about state that a later version wrote. Across RPC an error keeps only its message.
 */
export const LATER_VERSION = 'stored by a later version of the service';
