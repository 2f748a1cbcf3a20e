import * as z from 'zod';
import { ASPECTS, NO_PICTURE, RESOLUTIONS } from '../clip/render-order.ts';
import type { Skill } from '../host/need.ts';
import type { ReadAs } from '../lib/types.ts';

/** What a job makes: a clip, or a list of a demo's contents. */
export const WorkShape = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('clip'),
    fps: z.number(),
    /** Shorter side of the picture in pixels. */
    resolution: z.literal(RESOLUTIONS),
    /** Absent for 16:9. */
    aspect: z.enum(ASPECTS).optional(),
    /** The number of frames in its request (`framesOf`), and the account's limit. */
    frames: z.looseObject({ asked: z.number(), most: z.number() }),
  }),
  z.looseObject({ kind: z.literal('inspection') }),
]);
export type Work = ReadAs<typeof WorkShape>;
export type ClipWork = Extract<Work, { readonly kind: 'clip' }>;

/** What differs between the kinds of work for the state machine, the queue and the hosts. */
export interface WorkTraits {
  /** The picture that a host must be able to make. */
  readonly picture: Pick<ClipWork, 'fps' | 'resolution' | 'aspect'>;
  /** Null if it has none. */
  readonly frames: ClipWork['frames'] | null;
  /** The report that ends it. */
  readonly end: 'complete' | 'inspected';
  /** What a host must be able to do beyond rendering. */
  readonly skills: readonly Skill[];
  /** Whether it is queued in the lane of inspections. */
  readonly isShort: boolean;
  /** Whether a server that refuses the demo (401, 403) is not asked again, because a person waits for the answer. */
  readonly endsAtRefusal: boolean;
  /** Whether the same request leads to the same job, even without an idempotency key. */
  readonly isNamed: boolean;
}

const IN_QUEUE = { skills: [], isShort: false, endsAtRefusal: false, isNamed: false } as const;
const INSPECTION: WorkTraits = {
  picture: NO_PICTURE,
  frames: null,
  end: 'inspected',
  skills: ['inspect'],
  isShort: true,
  endsAtRefusal: true,
  isNamed: true,
};

/** Returns the traits of a job's work. Nothing outside of this file tests the kind of work. */
export function traitsOf(work: Work): WorkTraits {
  switch (work.kind) {
    case 'clip': {
      const { fps, resolution, aspect, frames } = work;
      const picture = { fps, resolution, aspect };
      return { ...IN_QUEUE, picture, frames, end: 'complete', skills: aspect ? ['aspect'] : [] };
    }
    case 'inspection':
      return INSPECTION;
  }
}

/** Returns the work with the account's present limit of frames, if there is one. */
export function withMost(work: Work, most: number | undefined): Work {
  return work.kind === 'clip' && most !== undefined ? { ...work, frames: { ...work.frames, most } } : work;
}
