import fc from 'fast-check';
import { ATTEMPT_CODES, type ErrorCode } from '#domain/failure/codes.ts';

/** One event in the life of a job. `stale`: under the fence before the last. */
export type Happening =
  | {
      readonly do: 'submit' | 'force';
      readonly acceptable: boolean;
      readonly webhook: boolean;
      readonly priority: boolean;
      readonly fallback: boolean;
    }
  | { readonly do: 'resubmit' | 'cancel' | 'claim' | 'resend' | 'save' | 'unsave' | 'delete-clip' | 'expire-clip' }
  | { readonly do: 'take-down' }
  | { readonly do: 'heartbeat'; readonly phase: 'prefetch' | 'render'; readonly stale: boolean }
  | { readonly do: 'complete' | 'release' | 'upload'; readonly stale: boolean }
  | { readonly do: 'fail'; readonly code: ErrorCode; readonly stale: boolean }
  /** A build of the game refuses the demo; the fleet has others. */
  | { readonly do: 'refuse'; readonly build: string; readonly stale: boolean }
  /** Time passes. Each alarm fires on time, or once at the end, or each time twice. */
  | { readonly do: 'pass'; readonly ms: number; readonly alarms: 'on-time' | 'late' | 'twice' }
  /** The alarm is lost. Time passes until the cron calls the job. */
  | { readonly do: 'lose-alarm' }
  | { readonly do: 'lose-queue' }
  | { readonly do: 'receiver'; readonly answers: 'ok' | 'fails' }
  | { readonly do: 'outage'; readonly of: Outside | null };

/** The parts that effects call. Each may fail for a while. */
export type Outside = 'index' | 'queue' | 'storage';

/** Where a job's object can die: before or after a commit, an effect, or an attempt of a webhook. */
export const CRASH_POINTS = [
  'commit:before',
  'commit:after',
  'project:before',
  'project:after',
  'offer:before',
  'offer:after',
  'started:before',
  'started:after',
  'settle:before',
  'settle:after',
  'meter:before',
  'meter:after',
  'unbilled:before',
  'unbilled:after',
  'delete-files:before',
  'delete-files:after',
  'abort-uploads:before',
  'abort-uploads:after',
  'send:before',
  'send:after',
] as const;
/** Where the Worker that calls it can die: before or after storage joins the parts of a file. */
export const WORKER_CRASH_POINTS = ['r2-complete:before', 'r2-complete:after'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number] | (typeof WORKER_CRASH_POINTS)[number];

export interface Step {
  readonly happening: Happening;
  /** Whether the object is evicted first. */
  readonly evict: boolean;
  /** Where the object dies the next time; null for nowhere. */
  readonly crash: CrashPoint | null;
}

const SECOND = 1000;
const waits = fc.oneof(
  fc.integer({ min: 1, max: 12 * SECOND }),
  fc.integer({ min: 1, max: 90 * SECOND }),
  fc.integer({ min: 1, max: 40 * 60 * SECOND }),
);
const stale = fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
const request = {
  acceptable: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  webhook: fc.boolean(),
  priority: fc.boolean(),
  fallback: fc.boolean(),
};

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('submit' as const, 'force' as const), ...request }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resubmit' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('claim' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('heartbeat' as const),
      phase: fc.constantFrom('prefetch', 'render'),
      stale,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('complete' as const), stale }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('upload' as const), stale }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), stale }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('fail' as const), code: fc.constantFrom(...ATTEMPT_CODES), stale }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('refuse' as const), build: fc.constantFrom(...'12345'), stale }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: waits,
      alarms: fc.constantFrom('on-time', 'late', 'twice'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('resend' as const, 'save' as const, 'unsave' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('delete-clip' as const, 'expire-clip' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take-down' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('lose-alarm' as const, 'lose-queue' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('receiver' as const), answers: fc.constantFrom('ok', 'fails') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('outage' as const),
      of: fc.constantFrom('index', 'queue', 'storage', null),
    }),
  },
) as fc.Arbitrary<Happening>;

const FIRST = { do: 'submit', acceptable: true, webhook: true, priority: false } as const;

/** Generates a life of a job. It begins with a submit. Some steps evict the object or make it die. */
export function lives(maxSteps: number, points: readonly CrashPoint[] = CRASH_POINTS): fc.Arbitrary<Step[]> {
  const anywhere: fc.Arbitrary<CrashPoint> = fc.constantFrom(...points);
  const inWorker: fc.Arbitrary<CrashPoint> = fc.constantFrom(...WORKER_CRASH_POINTS);
  const hasWorker = WORKER_CRASH_POINTS.every((point) => points.includes(point));
  const crash = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: anywhere });
  // Only completions reach the Worker's points, so most of them die there.
  const crashOfCompletion = fc.oneof({ weight: 1, arbitrary: crash }, { weight: 6, arbitrary: inWorker });
  const step = happening.chain((happening) =>
    fc.record({
      happening: fc.constant(happening),
      evict: fc.integer({ min: 0, max: 9 }).map((n) => n < 4),
      crash: hasWorker && happening.do === 'complete' ? crashOfCompletion : crash,
    }),
  );
  return fc
    .tuple(fc.boolean(), fc.array(step, { maxLength: maxSteps - 1, size: 'max' }))
    .map(([fallback, rest]) => [{ happening: { ...FIRST, fallback }, evict: false, crash: null }, ...rest]);
}
