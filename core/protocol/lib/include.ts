import * as z from 'zod';

/** Parses `?include=diagnosis,queue`: known names separated by commas. */
export function includeOf<const Name extends string>(
  names: readonly Name[],
): z.ZodType<readonly Name[], string | undefined> {
  const known = `must be names out of ${names.join(', ')}, separated by commas`;
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(names as unknown as [Name, ...Name[]], known)))
    .default([])
    .meta({
      description: `Fields to add: any of ${names.map((name) => `\`${name}\``).join(', ')}, separated by commas.`,
      override: { type: 'string', examples: [names.join(',')] },
    });
}
