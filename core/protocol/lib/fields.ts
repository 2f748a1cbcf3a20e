import * as z from 'zod';

/** Fields of an answer by their types, each with its description. */

export const text = (description: string): z.ZodString => z.string().describe(description);
export const textOrNull = (description: string): z.ZodNullable<z.ZodString> =>
  z.string().nullable().describe(description);
export const time = (description: string): z.ZodISODateTime => z.iso.datetime().describe(description);
export const timeOrNull = (description: string): z.ZodNullable<z.ZodISODateTime> =>
  z.iso.datetime().nullable().describe(description);
export const uuid = (description: string): z.ZodUUID => z.uuid().describe(description);
export const uuidOrNull = (description: string): z.ZodNullable<z.ZodUUID> => z.uuid().nullable().describe(description);
export const url = (description: string): z.ZodURL => z.url().describe(description);
export const urlOrNull = (description: string): z.ZodNullable<z.ZodURL> => z.url().nullable().describe(description);
export const flag = (description: string): z.ZodBoolean => z.boolean().describe(description);
export const number = (description: string): z.ZodNumber => z.number().describe(description);
export const numberOrNull = (description: string): z.ZodNullable<z.ZodNumber> =>
  z.number().nullable().describe(description);
export const integer = (description: string): z.ZodInt => z.int().describe(description);
export const integerOrNull = (description: string): z.ZodNullable<z.ZodInt> => z.int().nullable().describe(description);

/** A time that is sent, with an offset. */
export const sentTime: z.ZodISODateTime = z.iso.datetime({
  offset: true,
  error: 'must be a time as in 2026-01-31T12:00:00Z',
});

/** A line of text that is sent. */
export const line = (most: number): z.ZodString =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(most, `must be at most ${most} characters`)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters');

/** The rule of a request that names some things, or selects all, and not both. */
export const eitherOf = <const One extends string, const Other extends string>(
  one: One,
  other: Other,
): [(sent: { readonly [Name in One | Other]?: unknown }) => boolean, { path: string[]; error: string }] => [
  (sent) => (sent[one] === undefined) !== (sent[other] === undefined),
  { path: [one], error: `must be given, or \`${other}\`, but not both` },
];

/** Ids that one call may name. */
export const someIds = (description: string): z.ZodArray<z.ZodUUID> =>
  z.array(z.uuid('must be a UUID')).min(1).max(100).describe(description);
