import * as z from 'zod';
import { RESOLUTIONS } from '#domain/clip/render-order.ts';
import { type Job, JobShape } from '#domain/job/job.ts';
import { type OutboxEntry, OutboxEntryShape } from '#domain/job/outbox.ts';
import { LATER_VERSION, STORED_VERSIONS } from '#domain/lib/types.ts';
import type { DemoMatch } from '#protocol/demo/demos.ts';
import type { StoredRequest } from './stored-request.ts';

/** The parts of a job that commit together; deliveries are stored apart. */
export interface StoredJob {
  readonly job: Job;
  readonly request: StoredRequest;
  readonly outbox: readonly OutboxEntry[];
}

/**
 * The version of what a job's object stores: the JSON below and the tables of job-store.ts and delivery-store.ts. It is
 * stored in the job's row. docs/decisions/014-stored-versions.md says when to increase it.
 */
const STATE_VERSION = STORED_VERSIONS.job;

/** The columns of the job's row, each a JSON text. */
export interface StoredRow {
  readonly state: string;
  readonly outbox: string;
  readonly request: string;
}

/** How long an object waits for a version of the service that can read its state. */
export const NEWER_STATE_WAIT_MS = 60_000;

/** The state was written by a later version. It is left unchanged until that version runs again. */
export class NewerStateError extends Error {
  constructor(version: number, known: number) {
    super(`the job was ${LATER_VERSION} (${version}, known are ${known})`);
  }
}

const Outbox = z.array(OutboxEntryShape);

/** Only what the service uses; the rules of a submit are not checked again. */
const clip = { kind: z.literal('clip'), demo_url: z.string(), resolution: z.literal(RESOLUTIONS) };
const none = z.undefined().optional();
const kept = {
  extras: z.string().nullable(),
  forgotten: z.looseObject({ at: z.number(), fingerprint: z.string() }).optional(),
};
const Segment = z.looseObject({ steam64_id: z.string(), start_tick: z.int(), end_tick: z.int() });
const Request: z.ZodType<StoredRequest> = z.union([
  z.looseObject({
    kind: z.literal('inspection'),
    demo_url: z.string(),
    replay: z.boolean().optional(),
    reread: z.number().optional(),
    found: z.custom<DemoMatch>().optional(),
  }),
  z.looseObject({ ...clip, ...kept, steam64_id: z.string(), timeline: none }),
  z.looseObject({ ...clip, ...kept, steam64_id: none, timeline: z.array(Segment) }),
]);

type State = Record<string, unknown>;

/** Upgrades state and tables by one version. */
export type JobUpgrade = (state: State, sql: SqlStorage) => State;

const Versioned = z.looseObject({ v: z.int().min(1) });

/**
 * Reads the state of a row as its version wrote it.
 * @throws NewerStateError if a version later than `known` wrote it.
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
 * Reads the job's row; `state` is its upgraded state.
 * @throws if the row is not valid.
 */
export function readStoredJob(row: StoredRow, state = readState(row).state): StoredJob {
  return {
    job: JobShape.parse(state),
    outbox: Outbox.parse(JSON.parse(row.outbox)),
    request: Request.parse(JSON.parse(row.request)),
  };
}

/** The two columns that change with every commit. */
export function writeState({ job, outbox }: StoredJob, v: number = STATE_VERSION): Pick<StoredRow, 'state' | 'outbox'> {
  return { state: JSON.stringify({ v, ...job }), outbox: JSON.stringify(outbox) };
}
