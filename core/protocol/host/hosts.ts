import * as z from 'zod';
import { HOLDS, HOST_STATES } from '#domain/host/host-state.ts';
import { RENDERERS } from '#domain/host/need.ts';
import { JOB_STATUSES } from '#domain/job/job.ts';
import { next_cursor } from '#protocol/lib/lists.ts';
import { created_at, expires_at, Labels, Name, revoked_at } from '#protocol/lib/shapes.ts';
import * as field from '../lib/fields.ts';
import { PushSettings } from './push.ts';

const host_id = field.uuid('Id of the host, for changing it or revoking its token.');

const HostLabels = Labels.describe('Labels from the operator. Accounts can require them.');

export const NewHost = z
  .strictObject({
    name: Name,
    push: PushSettings.optional(),
  })
  .meta({ id: 'NewHost', description: 'A render host to create.' });

export const HostOnce = z
  .object({
    host_id,
    name: field.text('The name of the render host.'),
    token: field.text('The token itself. It is shown only once.'),
    push_secret: field
      .text(
        'The secret that signs the grants of a push host. It is shown only once, and replaced together with the token.',
      )
      .optional(),
  })
  .meta({ id: 'HostOnce', description: 'A new render host.' });

export const HostView = z
  .object({
    host_id,
    name: field.text('The name of the render host.'),
    created_at,
    revoked_at,
    state: z
      .enum(HOST_STATES)
      .describe(
        '`idle` and `busy`; `paused` and `draining` by the operator; `set aside` for a while after three jobs in a row failed by its own fault, or because of its build of the game; `resting` for a push host that did not take its last job; `lost` if the lease of its last job ended without a sign of life, for a day or until it comes back; `gone` when it asks for nothing any more.',
      ),
    last_seen: field.timeOrNull('Time of its last call to the service, to the minute. Null before the first call.'),
    held_until: field.timeOrNull(
      'Time when the pause ends by itself. Null if the host is not held, or is held until an operator resumes it.',
    ),
    set_aside_until: field.timeOrNull('Time when the host gets a job again. Null if it is not set aside.'),
    set_aside_reason: field.textOrNull(
      'The reason why the host gets no jobs with its build of the game. Null if it does.',
    ),
    resting_until: field.timeOrNull(
      'Time when the host is sent a job again. Null if it does not rest, or if the next job is sent to it as a test.',
    ),
    resting_reason: field.textOrNull(
      'The answer of the host to the last job that it did not take. Null if it took the last one.',
    ),
    note: field.textOrNull('A note of the operators. Null for none.'),
    labels: HostLabels,
    agent_version: field.textOrNull(
      'Version of the host program. This field and those below are from the last report, or from the creation of a push host. Null before that.',
    ),
    renderer: z.enum(RENDERERS).nullable().describe('The renderer of the host. Null before its first report.'),
    game_build: field.textOrNull('Build of the game on the host.'),
    gpu: field.textOrNull('The model of its GPU.'),
    encoder: field.textOrNull('The video encoder of the host.'),
    max_resolution: field.integerOrNull('Greatest `resolution` that the host renders.'),
    max_film_height: field.integerOrNull('Greatest height in pixels that the game films. Null without a game.'),
    max_fps: field.integerOrNull('Highest frame rate that the host renders.'),
    clock_off_s: field.integerOrNull(
      "Seconds that the host's clock is ahead of the service's, negative if behind. Null within a minute.",
    ),
    jobs: z
      .array(
        z.object({
          job_id: field.uuid('Id of the job.'),
          status: z.enum(JOB_STATUSES).nullable().describe('The state of the job. Null if it could not be read.'),
          progress: field.numberOrNull('Share of the job that is done, from 0 to 1. Null without a recent heartbeat.'),
        }),
      )
      .describe('Up to ten jobs that the host works on.'),
    failures_24h: z
      .record(z.string(), z.int())
      .describe('Number of attempts of the host that failed in 24 hours, by code. The count of a code stops at 500.'),
    push: PushSettings.nullable().describe(
      'The settings with which the service sends jobs. Null for a host that polls.',
    ),
  })
  .meta({ id: 'Host', description: 'A render host without its token.' });

export const HostDetail = HostView.extend({
  slots: field.integer('Number of jobs that the host may have at the same time.'),
  driver: field.textOrNull("Version of the GPU's driver."),
  free_bytes: field.integerOrNull('Free bytes for the work folder at its last claim.'),
  ended: z
    .array(
      z.object({
        job_id: field.uuid('Id of the job.'),
        code: field.textOrNull('The error code of a failed attempt. Null if the attempt made the clip.'),
        started_at: field.timeOrNull('Time when the host got the job.'),
        ended_at: field.time('Time when the attempt ended.'),
      }),
    )
    .describe(
      'The latest 20 attempts of the host that made a clip or failed, latest first. Only the last 2,000 attempts of all hosts are searched, and a restart may lose those of the last minute.',
    ),
  faults: z
    .array(
      z.object({
        code: field.text('The error code of the attempts.'),
        count: field.integer('Number of attempts that failed with this code.'),
        last_at: field.time('Time of the last such failure.'),
        job_ids: z.array(z.uuid()).describe('Ids of the latest ten jobs.'),
      }),
    )
    .describe('`failures_24h` with jobs, the most frequent first.'),
}).meta({ id: 'HostDetail', description: 'A render host with its latest work.' });

export const HostList = z
  .object({ hosts: z.array(HostView), next_cursor })
  .meta({ id: 'HostList', description: 'A page of render hosts, the oldest first, the revoked ones too.' });

export const HostChanges = z
  .strictObject({
    name: Name.optional(),
    labels: HostLabels.optional(),
    hold: z
      .enum(HOLDS)
      .nullable()
      .optional()
      .describe('`paused` or `draining`: the host finishes its jobs and gets no more. Null ends the hold.'),
    until: field.sentTime
      .nullable()
      .optional()
      .describe('Time when the hold ends by itself. Without it, an operator has to end it.'),
    note: z
      .string()
      .trim()
      .max(500)
      .nullable()
      .optional()
      .describe('A note for other operators. If it is left out, a change of `hold` deletes the old note.'),
    set_aside: z
      .literal(false)
      .optional()
      .describe(
        '`false` deletes its failures, and the report that its recorder does not support its build. The host gets a job at once.',
      ),
  })
  .refine(({ hold, until }) => until === undefined || until === null || (hold !== undefined && hold !== null), {
    path: ['until'],
    error: 'is the end of a hold: set `hold` with it',
  })
  .meta({
    id: 'HostChanges',
    description: 'Fields of the host to change. Fields that are left out keep their values.',
  });

const registration_id = field.uuid('Id of the registration, for revoking it.');

const Uses = z.int().min(1).max(10_000).describe('Number of hosts that can register with the token.');

export const NewRegistration = z
  .strictObject({
    name: Name,
    uses: Uses.default(1),
    expires_in_hours: z
      .number()
      .positive()
      .max(24 * 366)
      .default(24)
      .describe('Hours until the registration expires.'),
  })
  .meta({ id: 'NewHostRegistration', description: 'A token with which machines become render hosts.' });

const registration = { registration_id, name: field.text('The name of the registration.') };

export const RegistrationOnce = z
  .object({ ...registration, token: field.text('The token itself. It is shown only once.'), uses: Uses, expires_at })
  .meta({ id: 'HostRegistrationOnce', description: 'A new registration with its token.' });

export const RegistrationList = z
  .object({
    registrations: z.array(
      z
        .object({
          ...registration,
          uses: Uses,
          used: field.integer('Number of hosts that have registered.'),
          expires_at,
          created_at,
          revoked_at,
        })
        .meta({ id: 'HostRegistration', description: 'A registration without its token.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'HostRegistrationList', description: 'A page of registrations, the newest first.' });
