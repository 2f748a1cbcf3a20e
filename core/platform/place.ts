import type * as z from 'zod';
import type { jurisdiction, locationHint } from '#protocol/variable-shapes.ts';

/**
 * Where objects live. Both are chosen once and for good, before the first job: an object stays where it was first
 * reached, and one of a jurisdiction is another object than the one of the same name without.
 * https://developers.cloudflare.com/durable-objects/reference/data-location/
 */
export interface Place {
  /** Objects are stored and run in there, and nowhere else. Database and bucket have to be made there as well. */
  readonly jurisdiction: z.infer<typeof jurisdiction> | null;
  /** Where a new object is made, instead of near whoever reaches it first. */
  readonly locationHint: z.infer<typeof locationHint> | null;
}
