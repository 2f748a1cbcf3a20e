import * as z from 'zod';
import { TIERS } from './clip.ts';
import { type Job, MultipartUploadShape } from './job.ts';
import { reofferWait, type Schedule } from './schedule.ts';
import { AttemptEndShape } from './set-aside.ts';
import type { ReadAs } from './shape.ts';

/** What one run of a job rendered: `seconds` of clip at `renderedAt`, in milliseconds since the epoch. */
const UsageShape = z.looseObject({
  run: z.int(),
  tier: z.enum(TIERS),
  resolution: z.number(),
  fps: z.number(),
  seconds: z.number(),
  renderedAt: z.number(),
});

const shards = z.array(z.int()).optional();

/**
 * What a change of a job makes happen elsewhere: its rows in the index, what viewers read of it, its place in the ready
 * queue, the slot it held, what it rendered on the bill, files that nothing refers to any more. Each can be repeated
 * without harm.
 */
const EffectShape = z.discriminatedUnion('type', [
  /** `isPublic`: the record that viewers read changes with it. */
  z.object({ type: z.literal('project'), isPublic: z.boolean().optional() }),
  /** `shards` of all three: the dispatchers that may know of the job. Each has to learn what has become of it. */
  z.object({ type: z.literal('offer'), shards }),
  /** A host has confirmed that it works on the job: its place in the queue is free. */
  z.object({ type: z.literal('started'), shards }),
  /** The job neither waits nor runs: it holds no place and no slot. `end`: of the attempt that ended with this. */
  z.object({ type: z.literal('settle'), shards, end: AttemptEndShape.optional() }),
  z.object({ type: z.literal('meter'), usage: UsageShape }),
  /** Hosts worked on a run that made no clip: their time is not billed, and counts towards the account's limit. */
  z.object({ type: z.literal('unbilled'), run: z.int(), hostMs: z.number(), endedAt: z.number() }),
  z.object({ type: z.literal('delete-files'), prefix: z.string() }),
  z.object({ type: z.literal('abort-uploads'), uploads: z.array(MultipartUploadShape) }),
]);
export type OutsideEffect = ReadAs<typeof EffectShape>;

/** Where a job is unless something else is said: there is one dispatcher, or there was when that was written. */
export const ONE_SHARD: readonly number[] = [0];

/**
 * Of the effects about one subject only the latest matters; those without a subject each happen. The three about the
 * queue replace each other, so that a late `started` can never take away the place of a job that waits again.
 */
const SUBJECTS: Partial<Record<OutsideEffect['type'], 'index' | 'queue'>> = {
  project: 'index',
  offer: 'queue',
  started: 'queue',
  settle: 'queue',
};

/** An effect that is still to be done. `dueAt` is in milliseconds since the epoch. */
export const OutboxEntryShape = z.looseObject({
  /** Never used twice in the life of a job. */
  id: z.string(),
  effect: EffectShape,
  /** How often it was tried; for an offer, how often it was made. */
  tries: z.int(),
  dueAt: z.number(),
});
export type OutboxEntry = ReadAs<typeof OutboxEntryShape>;

const FIRST_RETRY = 1000;
const LAST_RETRY = 5 * 60 * 1000;

/**
 * What came of an effect that was tried. An offer says which dispatchers have the job now, or that every known build of
 * the game has refused its demo.
 */
export type EffectOutcome = 'done' | 'failed' | 'no-build-left' | { readonly queuedAt: readonly number[] };

/** Whether viewers see it already, or the first try to have them see it has failed. */
export function isShown({ effect, tries }: OutboxEntry): boolean {
  return effect.type !== 'project' || !effect.isPublic || tries > 0;
}

/**
 * The outbox after a change that left the job as `job`. One projection writes all that happened before it, so an
 * older one gives way, and hands on that viewers are to hear of it; an offer lives exactly as long as the job is
 * pending.
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
  const heard = replaced.has('queue') ? outbox.flatMap(({ effect }) => knownTo(effect)) : [];
  const isPublic = outbox.some(({ effect }) => effect.type === 'project' && effect.isPublic);
  const added = effects.map((effect, i) => {
    const told = effect.type === 'project' && isPublic ? { ...effect, isPublic } : alsoTo(heard, effect);
    return { id: `${job.version}.${i}`, effect: told, tries: 0, dueAt: now };
  });
  return [...kept, ...added];
}

/** The dispatchers that an effect tells of the job, or that may know of it. A new job is known to none. */
export function knownTo(effect: OutsideEffect): readonly number[] {
  if (effect.type === 'offer') return effect.shards ?? [];
  return effect.type === 'started' || effect.type === 'settle' ? (effect.shards ?? ONE_SHARD) : [];
}

/** What stands in the place of an effect about the queue is also told to those that should have heard of that one. */
function alsoTo(heard: readonly number[], effect: OutsideEffect): OutsideEffect {
  if (heard.length === 0) return effect;
  if (effect.type !== 'offer' && effect.type !== 'started' && effect.type !== 'settle') return effect;
  return { ...effect, shards: [...new Set([...knownTo(effect), ...heard])] };
}

/**
 * Returns the outbox after some entries were tried; `outcomes` is by id. Removes what is done, except an offer, which
 * is made again later, because its queue may be lost. What failed waits, longer each time.
 */
export function afterTries(
  outbox: readonly OutboxEntry[],
  outcomes: ReadonlyMap<string, EffectOutcome>,
  schedule: Schedule,
  now: number,
): OutboxEntry[] {
  return outbox.flatMap((entry) => {
    const outcome = outcomes.get(entry.id);
    if (outcome === undefined) return [entry];
    const tries = entry.tries + 1;
    if (outcome === 'failed') {
      return [{ ...entry, tries, dueAt: now + Math.min(FIRST_RETRY * 2 ** Math.min(tries - 1, 20), LAST_RETRY) }];
    }
    if (entry.effect.type !== 'offer') return [];
    const effect = typeof outcome === 'object' ? { ...entry.effect, shards: outcome.queuedAt } : entry.effect;
    return [{ ...entry, effect, tries, dueAt: now + reofferWait(schedule, tries - 1) }];
  });
}
