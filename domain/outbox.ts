import type { Tier } from './clip.ts';
import type { Job, Upload } from './job.ts';
import { reofferWait, type Schedule } from './schedule.ts';
import type { AttemptEnd } from './set-aside.ts';

/**
 * What a change of a job makes happen elsewhere: its rows in the index, its place in the ready queue, the slot it held,
 * what it rendered on the bill, files that nothing refers to any more. Each can be repeated without harm.
 */
export type OutsideEffect =
  | { readonly type: 'project' }
  | { readonly type: 'offer' }
  /** A host has confirmed that it works on the job: its place in the queue is free. */
  | { readonly type: 'started' }
  /** The job neither waits nor runs: it holds no place and no slot. `end`: of the attempt that ended with this. */
  | { readonly type: 'settle'; readonly end?: AttemptEnd | undefined }
  | { readonly type: 'meter'; readonly usage: Usage }
  | { readonly type: 'delete-files'; readonly prefix: string }
  | { readonly type: 'abort-uploads'; readonly uploads: readonly Upload[] };

/** What one run of a job rendered: `seconds` of clip at `renderedAt`, in milliseconds since the epoch. */
export interface Usage {
  readonly run: number;
  readonly tier: Tier;
  readonly resolution: number;
  readonly fps: number;
  readonly seconds: number;
  readonly renderedAt: number;
}

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
export interface OutboxEntry {
  /** Never used twice in the life of a job. */
  readonly id: string;
  readonly effect: OutsideEffect;
  /** How often it was tried; for an offer, how often it was made. */
  readonly tries: number;
  readonly dueAt: number;
}

const FIRST_RETRY = 1000;
const LAST_RETRY = 5 * 60 * 1000;

/**
 * The outbox after a change that left the job as `job`. One projection writes all that happened before it, so an
 * older one gives way; an offer lives exactly as long as the job is pending.
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
  const added = effects.map((effect, i) => ({ id: `${job.version}.${i}`, effect, tries: 0, dueAt: now }));
  return [...kept, ...added];
}

/**
 * The outbox after some entries were tried; `outcomes` says for each id whether it worked. What worked is gone, but an
 * offer comes up again later: the queue it went to may be lost. What failed waits, longer each time.
 */
export function afterTries(
  outbox: readonly OutboxEntry[],
  outcomes: ReadonlyMap<string, boolean>,
  schedule: Schedule,
  now: number,
): OutboxEntry[] {
  return outbox.flatMap((entry) => {
    const worked = outcomes.get(entry.id);
    if (worked === undefined) return [entry];
    const tries = entry.tries + 1;
    if (!worked) {
      return [{ ...entry, tries, dueAt: now + Math.min(FIRST_RETRY * 2 ** Math.min(tries - 1, 20), LAST_RETRY) }];
    }
    return entry.effect.type === 'offer' ? [{ ...entry, tries, dueAt: now + reofferWait(schedule, tries - 1) }] : [];
  });
}
