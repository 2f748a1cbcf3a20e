import * as z from 'zod';
import { TIERS } from '#domain/clip.ts';
import type { ErrorCode } from '#domain/error-codes.ts';
import { ATTEMPT_OUTCOMES, JOB_STATUSES, type Job, WORK_STAGES } from '#domain/job.ts';
import { LATER_VERSION } from '#domain/later-version.ts';
import { RENDERERS } from '#domain/need.ts';
import type { OutboxEntry } from '#domain/outbox.ts';
import { RESOLUTIONS } from '#domain/picture.ts';
import { STORED_VERSIONS } from '#domain/stored-versions.ts';
import type { DemoMatch } from '#protocol/demos.ts';
import type { StoredRequest } from './stored-request.ts';

/** Everything of a job that commits together, but its deliveries. */
export interface StoredJob {
  readonly job: Job;
  readonly request: StoredRequest;
  readonly outbox: readonly OutboxEntry[];
}

/**
 * The version of what a job's object stores: the JSON below and the tables of job-store.ts and delivery-store.ts. It
 * stands in the job's own row. See docs/decisions/014-stored-versions.md for when it grows and what the code before and
 * after it may assume.
 */
const STATE_VERSION = STORED_VERSIONS.job;

/** The columns of the job's row, each a JSON text. */
export interface StoredRow {
  readonly state: string;
  readonly outbox: string;
  readonly request: string;
}

/** How long an object waits for the version of the service that can read its state. */
export const NEWER_STATE_WAIT_MS = 60_000;

/** A later version of this code wrote the state: it is left as it is until that version is back. */
export class NewerStateError extends Error {
  constructor(version: number, known: number) {
    super(`the job was ${LATER_VERSION} (${version}, known are ${known})`);
  }
}

// Loose: what a later minor change has added is kept when this code writes the job again.
const time = z.number();
const File = z.looseObject({ key: z.string(), bytes: z.number(), sha256: z.string() });
const Facts = z.looseObject({
  kills: z.int(),
  players: z.array(z.string()),
  map: z.string(),
  round: z.int().nullable(),
});
const Clip = z.looseObject({
  state: z.enum(['ready', 'deleted']),
  isSaved: z.boolean(),
  title: z.string(),
  facts: Facts.optional(),
  resolution: z.number(),
  fps: z.number(),
  tier: z.enum(TIERS),
  durationSeconds: z.number(),
  video: File,
  thumbnail: File,
  storyboard: File.extend({ columns: z.int(), rows: z.int(), intervalSeconds: z.number() }).optional(),
  createdAt: time,
  renderedAt: time,
});
const Upload = z.looseObject({ key: z.string(), uploadId: z.string() });
const Shards = z.array(z.int()).optional();
const Lease = z.looseObject({
  fence: z.int(),
  hostId: z.string(),
  hostName: z.string().optional(),
  grantedAt: time,
  isConfirmed: z.boolean(),
  deadline: time,
  shards: Shards,
  uploads: z.array(Upload),
});

/** Any text: a later version may know more codes. */
const Code = z.custom<ErrorCode>((code) => typeof code === 'string');

const Fact = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Ended = z.looseObject({
  fence: z.int(),
  hostId: z.string(),
  hostName: z.string().nullable(),
  grantedAt: time,
  endedAt: time,
  phase: z.enum(['prefetch', 'render']),
  // A later version may know more.
  stage: z.enum(WORK_STAGES).nullable().catch(null),
  outcome: z.enum(ATTEMPT_OUTCOMES).catch('failed'),
  code: Code.nullable(),
  facts: z.record(z.string(), z.union([Fact, z.array(Fact)])).nullable(),
  retryAt: time.nullable(),
});

const JobState: z.ZodType<Job> = z.looseObject({
  id: z.string(),
  accountId: z.string(),
  clipId: z.string(),
  database: z.string(),
  version: z.int(),
  status: z.enum(JOB_STATUSES),
  priority: z.boolean(),
  run: z.int(),
  reruns: z.looseObject({ since: time, count: z.int() }).optional(),
  attempt: z.int(),
  hostMs: z.number(),
  unconfirmed: z.int(),
  fence: z.int(),
  lease: Lease.nullable(),
  retryAt: time.nullable(),
  errorCode: Code.nullable(),
  errorDetail: z.string().nullable(),
  lastEnd: Ended.nullable(),
  webhook: z.looseObject({ url: z.string(), authHeader: z.string().nullable() }).nullable(),
  createdAt: time,
  queuedAt: time,
  finishedAt: time.nullable(),
  renderedBy: z.string().nullable(),
  avoidHost: z.string().nullable(),
  refusedBuilds: z.array(z.string()),
  clip: Clip.nullable(),
  fps: z.number(),
  resolution: z.number(),
  renderer: z.enum(RENDERERS).nullable(),
  labels: z.array(z.string()),
  frames: z.looseObject({ asked: z.number(), most: z.number() }).nullable(),
});

const AttemptEnd = z.looseObject({
  hostId: z.string(),
  fence: z.int(),
  code: Code.nullable(),
  isExpired: z.boolean().optional(),
  at: time,
});
const Effect = z.discriminatedUnion('type', [
  z.object({ type: z.literal('project'), isPublic: z.boolean().optional() }),
  z.object({ type: z.enum(['offer', 'started']), shards: Shards }),
  z.object({ type: z.literal('settle'), shards: Shards, end: AttemptEnd.optional() }),
  z.object({ type: z.literal('unbilled'), run: z.int(), hostMs: z.number(), endedAt: time }),
  z.object({ type: z.literal('delete-files'), prefix: z.string() }),
  z.object({ type: z.literal('abort-uploads'), uploads: z.array(Upload) }),
  z.object({
    type: z.literal('meter'),
    usage: z.looseObject({
      run: z.int(),
      tier: z.enum(TIERS),
      resolution: z.number(),
      fps: z.number(),
      seconds: z.number(),
      renderedAt: time,
    }),
  }),
]);
const Outbox: z.ZodType<OutboxEntry[]> = z.array(
  z.looseObject({ id: z.string(), effect: Effect, tries: z.int(), dueAt: time }),
);

/** What the service acts on; the rules that a request had to keep when it came are not asked again. */
const common = { demo_url: z.string(), resolution: z.literal(RESOLUTIONS), extras: z.string().nullable() };
const none = z.undefined().optional();
const forgotten = z.looseObject({ at: time, fingerprint: z.string() }).optional();
const Segment = z.looseObject({ steam64_id: z.string(), start_tick: z.int(), end_tick: z.int() });
const Request: z.ZodType<StoredRequest> = z.union([
  z.looseObject({ ...common, inspect: z.literal(true), extras: z.null(), found: z.custom<DemoMatch>().optional() }),
  z.looseObject({ ...common, inspect: none, steam64_id: z.string(), timeline: none, forgotten }),
  z.looseObject({ ...common, inspect: none, steam64_id: none, timeline: z.array(Segment), forgotten }),
]);

type State = Record<string, unknown>;

/** Brings the state and the tables of one version to the next. */
export type JobUpgrade = (state: State, sql: SqlStorage) => State;

const Versioned = z.looseObject({ v: z.int().min(1) });

/**
 * Reads the state of a row as its version wrote it.
 * @throws NewerStateError where a version later than `known` wrote it.
 */
export function readState(
  { state: text }: StoredRow,
  known: number = STATE_VERSION,
): { version: number; state: State } {
  const { v: version, ...state } = Versioned.parse(JSON.parse(text));
  if (version > known) throw new NewerStateError(version, known);
  return { version, state };
}

/**
 * Reads the job's row; `state` is its state as this version has it.
 * @throws where it cannot be what this service stored.
 */
export function readStoredJob(row: StoredRow, state = readState(row).state): StoredJob {
  return {
    job: JobState.parse(state),
    outbox: Outbox.parse(JSON.parse(row.outbox)),
    request: Request.parse(JSON.parse(row.request)),
  };
}

/** The two columns that change with every commit. */
export function writeState({ job, outbox }: StoredJob, v: number = STATE_VERSION): Pick<StoredRow, 'state' | 'outbox'> {
  return { state: JSON.stringify({ v, ...job }), outbox: JSON.stringify(outbox) };
}
