import * as z from 'zod';
import { AttemptEndShape } from '../host/set-aside.ts';
import type { ReadAs } from '../lib/types.ts';
import { type Job, MultipartUploadShape, UsageShape } from './job.ts';
import { reofferWait, type Schedule } from './schedule.ts';

/** Why files are purged from caches, the most urgent first. */
export const PURGE_REASONS = ['take-down', 'erasure', 'deletion', 'overwrite'] as const;
export type PurgeReason = (typeof PURGE_REASONS)[number];

/**
 * Effects of a change outside of the job: index rows, the public record, the place in the ready queue, the slot, usage,
 * deletion of files. Each can be repeated safely.
 */
const EffectShape = z.discriminatedUnion('type', [
  /** `isPublic`: the public record changes too. */
  z.object({ type: z.literal('project'), isPublic: z.boolean().optional() }),
  z.object({ type: z.literal('offer') }),
  /** A host has confirmed that it works on the job. Its place in the queue is free. */
  z.object({ type: z.literal('started') }),
  /** The job neither waits nor runs. Its place and slot are free. `end`: the attempt that ended with this. */
  z.object({ type: z.literal('settle'), end: AttemptEndShape.optional() }),
  z.object({ type: z.literal('meter'), usage: UsageShape }),
  /** A run without a clip, such as every inspection: its host time is not billed, but counts towards a limit. */
  z.object({ type: z.literal('unbilled'), run: z.int(), hostMs: z.number(), endedAt: z.number() }),
  /**
   * `purge`: why caches delete the files before they expire there; missing for files that were never public. `since`:
   * when the clip was deleted. It is then removed from Discord too; missing for a clip that stays or expires.
   */
  z.object({
    type: z.literal('delete-files'),
    prefix: z.string(),
    purge: z.enum(PURGE_REASONS).optional(),
    since: z.number().optional(),
  }),
  z.object({ type: z.literal('abort-uploads'), uploads: z.array(MultipartUploadShape) }),
]);
export type OutsideEffect = ReadAs<typeof EffectShape>;

/**
 * Effects with the same subject replace each other: only the latest matters. Effects without a subject all happen. The
 * three about the queue have one subject, so that a late `started` cannot remove a job that waits again.
 */
const SUBJECTS: Partial<Record<OutsideEffect['type'], 'index' | 'queue'>> = {
  project: 'index',
  offer: 'queue',
  started: 'queue',
  settle: 'queue',
};

/** An effect that is not done yet. `dueAt` is in milliseconds since the epoch. */
export const OutboxEntryShape = z.looseObject({
  /** Unique for the life of a job. */
  id: z.string(),
  effect: EffectShape,
  /** How often it was tried; for an offer, how often it was sent. */
  tries: z.int(),
  dueAt: z.number(),
});
export type OutboxEntry = ReadAs<typeof OutboxEntryShape>;

const FIRST_RETRY = 1000;
const LAST_RETRY = 5 * 60 * 1000;

/**
 * The result of a tried effect. An offer returns `no-host-left` if no host can play the job's demo, and `game-only` if
 * the account has forbidden the radar since the submit.
 */
export type EffectOutcome = 'done' | 'failed' | 'no-host-left' | 'game-only';

/** Whether the index has the change already, or the first try to write it has failed. */
export function isIndexed({ effect, tries }: OutboxEntry): boolean {
  return effect.type !== 'project' || tries > 0;
}

/** Whether the change is public already, or the first try to publish it has failed. */
export function isShown(entry: OutboxEntry): boolean {
  return isIndexed(entry) || (entry.effect.type === 'project' && !entry.effect.isPublic);
}

/**
 * Adds the effects of a change to the outbox. A projection writes all earlier changes too, so it replaces an older one
 * and takes over its `isPublic`. An offer stays while the job is pending.
 */
export function extendOutbox(
  outbox: readonly OutboxEntry[],
  effects: readonly OutsideEffect[],
  job: Pick<Job, 'status' | 'version'>,
  now: number,
): OutboxEntry[] {
  const replaced = new Set(effects.map(({ type }) => SUBJECTS[type]).filter((subject) => subject !== undefined));
  const kept = outbox.filter(({ effect }) => {
    const subject = SUBJECTS[effect.type];
    return (!subject || !replaced.has(subject)) && (effect.type !== 'offer' || job.status === 'pending');
  });
  const older = outbox.flatMap(({ effect }) => (effect.type === 'project' ? effect : []));
  const added = effects.map((effect, i) => {
    const isPublic = effect.type === 'project' && older.some((one) => one.isPublic);
    const merged = isPublic ? { ...effect, isPublic: true } : effect;
    return { id: `${job.version}.${i}`, effect: merged, tries: 0, dueAt: now };
  });
  return [...kept, ...added];
}

/**
 * Returns the outbox after some entries were tried; `outcomes` is by id. Removes finished effects, except an offer: it
 * is repeated because its queue may be lost. `offerAt`: when it is repeated at the latest, unless that is past; null
 * for no such time. Failed effects wait, longer each time.
 */
export function afterTries(
  outbox: readonly OutboxEntry[],
  outcomes: ReadonlyMap<string, EffectOutcome>,
  schedule: Schedule,
  now: number,
  offerAt: number | null = null,
): OutboxEntry[] {
  return outbox.flatMap((entry) => {
    const outcome = outcomes.get(entry.id);
    if (outcome === undefined) return [entry];
    const tries = entry.tries + 1;
    if (outcome === 'failed') {
      return [{ ...entry, tries, dueAt: now + Math.min(FIRST_RETRY * 2 ** Math.min(tries - 1, 20), LAST_RETRY) }];
    }
    if (entry.effect.type !== 'offer') return [];
    const next = now + reofferWait(schedule, tries - 1);
    return [{ ...entry, tries, dueAt: offerAt !== null && offerAt > now ? Math.min(next, offerAt) : next }];
  });
}
