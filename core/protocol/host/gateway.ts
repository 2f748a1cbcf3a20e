import * as z from 'zod';
import type { ClipFacts } from '#domain/clip/clip-title.ts';
import { ATTEMPT_CODES, type AttemptCode } from '#domain/failure/codes.ts';
import { WEB_PORTS } from '#domain/lib/address-policy.ts';
import { FactsShape, Stage } from '#protocol/job/job-view.ts';
import { RenderOrderView } from '../clip/render-order-view.ts';
import * as field from '../lib/fields.ts';
import { HostCapabilities } from './host-capabilities.ts';

/**
 * The protocol of render hosts and gateway, version 1. A host polls: it claims a job under a lease, extends the lease
 * by heartbeats, uploads its files in parts, then completes, fails or releases the job. Every report names the lease's
 * fence. A report under another fence gets 409 and changes nothing.
 */
export const GATEWAY_PREFIX = '/gateway/v1';

export const MAX_CLAIM_WAIT_S = 30;
/** Every part but the last has exactly this many bytes: R2 requires equal parts of at least 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024;
/** A file of at most this many bytes has one part, which is stored at once. */
export const WHOLE_BYTES = 2 * PART_BYTES;
/** The most parts of a file: 4 GiB, more than half an hour at 1440p. */
export const MAX_PARTS = 512;
/** The most UTF-16 units of a title, and of a failure's detail. */
export const MAX_TITLE = 300;
export const MAX_DETAIL = 2000;
/** Characters of a host's log in the report of a failure. */
export const MAX_LOG = 8192;
/** The most players of a clip: as many as a timeline has segments. */
const MAX_PLAYERS = 20;

/** The most demos that a host names as cached. */
export const MAX_DEMO_KEYS = 16;

/**
 * Files that a clip may have beside video and thumbnail. Each grant names those that the service accepts, so hosts and
 * services of different versions work together.
 */
export const OPTIONAL_FILES = ['storyboard'] as const;
/** The file of an inspection whose grant names it. */
export const TRACKS_FILE = 'tracks';
/** The largest storyboard. Viewers load it to seek, on slow connections too. */
const MAX_STORYBOARD_BYTES = 1_000_000;

export const Fence = z.int().min(1).describe('The fence of the lease.');
/** A query is text; the API document shows the number. */
const FenceInQuery = z.coerce
  .number()
  .pipe(Fence)
  .meta({ description: 'The fence of the lease.', override: { type: 'integer', minimum: 1 } });
export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal')
  .describe('SHA-256 of the bytes, in lower-case hexadecimal.');

/** Reveals neither the account nor the address. */
const DemoKey = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'must be a demo_key of a grant')
  .describe('Key of a demo of one account. It does not reveal the account or the address.');

const AccountKey = z.string().regex(/^[0-9a-f]{32}$/, 'must be an account_key');

export const ClaimRequest = z
  .object({
    capabilities: HostCapabilities,
    wait_s: z
      .number()
      .min(0)
      .max(MAX_CLAIM_WAIT_S)
      .default(MAX_CLAIM_WAIT_S)
      .describe(
        'Seconds to hold the request while there is no work. The service answers after 20 to 25 seconds at the latest.',
      ),
    poll_id: field.uuid('Id of this request, with which the host can end it while it is held.').optional(),
    demo_keys: z
      .array(DemoKey)
      .max(MAX_DEMO_KEYS)
      .default([])
      .describe('Demos that the host has kept. It gets jobs of these demos before other jobs of their accounts.'),
  })
  .meta({ id: 'ClaimRequest', description: 'A request of a host for work.' });
export type ClaimRequest = z.input<typeof ClaimRequest>;

/** Ends a waiting claim: it is answered at once, so that no job is assigned to a host that has left. */
export const EndPollRequest = z
  .object({ poll_id: field.uuid('The `poll_id` of the claim.') })
  .meta({ id: 'EndPollRequest', description: 'The end of a claim that waits.' });
export type EndPollRequest = z.infer<typeof EndPollRequest>;

/** The response to a claim with work; a claim without gets 204. */
export const Grant = z
  .object({
    job_id: field.uuid('Id of the job.'),
    order: RenderOrderView,
    accepted_domains: z
      .array(z.string())
      .readonly()
      .describe('Accepted domains of demos and of their redirects. `*` means any.'),
    blocked: z
      .array(z.string())
      .readonly()
      .optional()
      .describe(
        'Demos, and redirects, that are refused: domains with their subdomains, and URLs without their scheme, such as `example.org/match.dem`; one without a query covers every query.',
      ),
    allow_private_addresses: field.flag(
      'Whether private and loopback addresses may be downloaded from: only on a local stack.',
    ),
    own_origins: z
      .array(z.url())
      .readonly()
      .default([])
      .describe("The service's own addresses: a demo that redirects there is refused."),
    low_ports: z
      .array(z.int())
      .readonly()
      .default(WEB_PORTS)
      .describe('Ports below 1024 that a demo, and what it redirects to, may name.'),
    lease: z.object({
      fence: Fence,
      ttl_s: field.number('Seconds without a heartbeat after which the lease is lost.'),
      heartbeat_s: field.number('Seconds between two heartbeats. Send one before work begins, too.'),
    }),
    demo_key: DemoKey.optional().describe(
      'Key of the demo for hosts that keep demos. Use a kept demo only for a grant with the same key.',
    ),
    account_key: AccountKey.optional().describe(
      'Key of the account. A host shares what it keeps of a demo with other accounts only once two accounts agree on it.',
    ),
    most_frames: field
      .integer('Maximum number of frames of the clip. A longer clip fails as `clip_too_long`.')
      .optional(),
    is_uploaded_demo: z
      .literal(true)
      .optional()
      .describe(
        'Whether the demo was uploaded to the service, or FACEIT has to sign its address. Fetch it with `GET /gateway/v1/jobs/:id/demo`, not from its `demo_url`.',
      ),
    part_bytes: field.integer('Bytes of every part of an upload but the last.'),
    optional_files: z
      .array(z.string())
      .readonly()
      .default([])
      .describe(
        'Files to upload beside the video and the thumbnail: `storyboard`. `tracks` asks an inspection for the data of a replay (docs/gateway.md).',
      ),
    request_id: field
      .text('Id of this grant in the logs. Send it back as `X-Request-Id` with all requests for the job.')
      .optional(),
  })
  .meta({ id: 'Grant', description: 'A job under a fresh lease.' });
export type Grant = z.infer<typeof Grant>;

export const HeartbeatRequest = z
  .object({
    fence: Fence,
    phase: z.enum(['prefetch', 'render']).describe('The present phase: fetching the demo, or rendering.'),
    progress: z.number().min(0).max(1).describe('Share of the whole job that is done, from 0 to 1.'),
    stage: Stage.optional(),
  })
  .meta({ id: 'Heartbeat', description: 'A report that the host still works on the job.' });
export type HeartbeatRequest = z.infer<typeof HeartbeatRequest>;

/** The query of a request for the job's watermark, or its uploaded demo. */
export const LeaseQuery = z.object({
  fence: FenceInQuery,
});

const FileKind = z
  .enum(['video', 'thumbnail', ...OPTIONAL_FILES, TRACKS_FILE])
  .describe('The kind of file. `storyboard` and `tracks` are accepted only if the grant has them in `optional_files`.');
const UploadId = z.string().min(1).describe('Id of the upload, from the answer that began it.');
const PartNumber = z.int().min(1).max(MAX_PARTS).describe('Number of the part, from 1.');

export const UploadBegin = z
  .object({
    fence: Fence,
    file: FileKind,
    bytes: z.int().min(0).optional().describe('Size of the file in bytes. A small file of a known size has one part.'),
  })
  .meta({ id: 'UploadBegin', description: 'A file that the host wants to upload.' });
export type UploadBegin = z.infer<typeof UploadBegin>;
export const UploadBegun = z
  .object({
    upload_id: UploadId,
    part_bytes: field.integer('Bytes of every part but the last, if not those of the grant.').optional(),
  })
  .meta({ id: 'UploadBegun', description: 'A new upload of a file.' });
export type UploadBegun = z.infer<typeof UploadBegun>;

/** The query of a part; its body is the part. */
export const UploadPartQuery = z.object({
  fence: FenceInQuery,
  file: FileKind,
  upload_id: UploadId,
  part: z.coerce
    .number()
    .pipe(PartNumber)
    .meta({
      description: 'Number of the part, from 1.',
      override: { type: 'integer', minimum: 1, maximum: MAX_PARTS },
    }),
  sha256: Sha256,
});
export type UploadPartQuery = z.infer<typeof UploadPartQuery>;
export const UploadedPart = z
  .object({
    part: PartNumber,
    etag: field.text('Tag of the stored part. Send it back when the upload ends.'),
  })
  .meta({ id: 'UploadedPart', description: 'A part that is stored.' });
export type UploadedPart = z.infer<typeof UploadedPart>;

export const UploadEnd = z
  .object({
    fence: Fence,
    file: FileKind,
    upload_id: UploadId,
    parts: z.array(UploadedPart).min(1).max(MAX_PARTS).describe('All parts of the file, in order.'),
  })
  .meta({ id: 'UploadEnd', description: 'The end of an upload: its parts become one file.' });
export type UploadEnd = z.infer<typeof UploadEnd>;
export const UploadEnded = z
  .object({ bytes: field.integer('Size of the whole file.') })
  .meta({ id: 'UploadEnded', description: 'A file that is stored.' });

export const UploadedFile = z
  .object({ bytes: z.int().min(1).describe('Size of the file in bytes.'), sha256: Sha256 })
  .meta({ id: 'UploadedFile', description: 'A file as the host made it.' });

const BoardSide = z.int().min(1).max(100);
/** A JPEG of small pictures of the clip in rows. */
const StoryboardShape = UploadedFile.extend({
  bytes: z.int().min(1).max(MAX_STORYBOARD_BYTES).describe('Size of the file in bytes.'),
  columns: BoardSide.describe('Number of pictures in a row.'),
  rows: BoardSide.describe('Number of rows of pictures. The last row may not be full.'),
  interval_seconds: z
    .number()
    .positive()
    .describe('Seconds between two pictures. The first picture shows the beginning.'),
}).meta({
  id: 'Storyboard',
  description: 'A JPEG with small pictures of the clip, which the player shows while a viewer seeks.',
});

/** What the clip shows. core/domain/clip/clip-title.ts makes titles of it. */
export const ClipFactsShape: z.ZodType<ClipFacts> = z
  .object({
    kills: z
      .int()
      .min(0)
      .describe('Number of kills by the players in the clip. A kill that is shown twice counts once.'),
    players: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(MAX_PLAYERS)
      .describe('Names of the players whose view is shown, in the order of their shots.'),
    killers: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(MAX_PLAYERS)
      .optional()
      .describe('Names of those `players` who made the kills. Left out if all or none did.'),
    map: z.string().min(1).max(200).describe('The map, as the game names it.'),
    round: z.int().min(1).nullable().describe('The round of the request. Null if it named none.'),
    floor: z
      .literal('movement')
      .optional()
      .describe('`movement` if the map was drawn from the movement of players, not from a picture or by the game.'),
    cover: z
      .literal('best')
      .optional()
      .describe('`best` if the thumbnail shows the best moment because no shot has the `thumbnail_tick`.'),
    filmed_height: field
      .integer('Height in pixels at which the game was filmed, if the picture was scaled up from it.')
      .optional(),
    names: z.literal('hidden').optional().describe('`hidden` if the clip has the `names` of its order.'),
  })
  .meta({ id: 'ClipFacts', description: 'Facts about the contents of the clip.' });

export const CompleteRequest = z
  .object({
    fence: Fence,
    title: z.string().min(1).max(MAX_TITLE).describe('Title of the clip.'),
    facts: ClipFactsShape.optional(),
    duration_seconds: z.number().min(0).describe('Length of the clip in seconds. 0 if it could not be read.'),
    video: UploadedFile,
    thumbnail: UploadedFile,
    storyboard: StoryboardShape.optional(),
  })
  .meta({ id: 'Completion', description: 'A report that the clip is rendered and its files are stored.' });
export type CompleteRequest = z.infer<typeof CompleteRequest>;

export const FailRequest = z
  .object({
    fence: Fence,
    code: z
      .enum(ATTEMPT_CODES as [AttemptCode, ...AttemptCode[]])
      .meta({ id: 'ErrorCode', description: 'The reason why an attempt failed.' }),
    detail: z.string().max(MAX_DETAIL).describe('Details for the operator. They may name files of the host.'),
    stage: Stage.optional(),
    facts: FactsShape.optional(),
    refused_build: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'The build of the game that cannot play the demo, if another build may. Sent with `demo_incompatible`: the job then goes to a host with another build. Left out if no build can, as for a demo of another game.',
      ),
    unfit_build: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'The build of the game that the recorder of this host does not support. Sent with `cs2_unavailable`: the host is set aside while it has that build.',
      ),
    crashed_loading: z
      .object({
        demo: z
          .string()
          .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256')
          .describe('The SHA-256 of the demo.'),
        has_recorded: z
          .boolean()
          .describe(
            'Whether this build has recorded another demo since the host started. If so, the demo is the likely cause.',
          ),
      })
      .optional()
      .describe('The demo that crashed the game while it loaded. Sent with `cs2_unavailable`.'),
    own_match: z
      .literal(true)
      .optional()
      .describe(
        'Whether the player to film is signed in to Steam on this host, where the game does not show them. Sent with `cs2_unavailable`. Other online hosts are preferred for an hour.',
      ),
    log: z.string().max(MAX_LOG).optional().describe("The end of the host's log of the job, for the operator."),
  })
  .meta({ id: 'Failure', description: 'A report that the attempt failed.' });
export type FailRequest = z.infer<typeof FailRequest>;

/** Explains the 204 of a claim: `paused`, or `set aside until 2026-05-04T18:30:00.000Z`. */
export const HOST_STATE_HEADER = 'X-Host-State';

export const RegisterRequest = z
  .object({ name: z.string().trim().min(1).max(100).describe('The name that people see in lists.') })
  .meta({ id: 'RegisterRequest', description: 'The registration of a machine as a render host.' });
export const RegisteredHost = z
  .object({
    host_id: field.uuid('Id of the new host.'),
    token: field.text('Token of the host. It is shown only once.'),
  })
  .meta({ id: 'RegisteredHost', description: 'A new render host.' });
export type RegisteredHost = z.infer<typeof RegisteredHost>;

export const ReleaseRequest = z
  .object({ fence: Fence })
  .meta({ id: 'Release', description: 'The return of a job to the queue.' });
