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
