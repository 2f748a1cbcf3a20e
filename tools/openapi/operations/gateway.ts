import { IMAGE_TYPES } from '#domain/image-header.ts';
import { InspectedRequest } from '#protocol/demos.ts';
import {
  ClaimRequest,
  CompleteRequest,
  EndPollRequest,
  FailRequest,
  Grant,
  HeartbeatRequest,
  LeaseQuery,
  RegisteredHost,
  RegisterRequest,
  ReleaseRequest,
  UploadBegin,
  UploadBegun,
  UploadEnd,
  UploadEnded,
  UploadedPart,
  UploadPartQuery,
} from '#protocol/gateway.ts';
import type { GATEWAY_ROUTES, REGISTRATION_ROUTES } from '#protocol/service-routes.ts';
import { FOUND_DEMO, GRANT } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';

const UPLOAD_ID = 'AAF3Q8xk2m-LdVyBJp7RzT';
const SHA256 = '4be1c2a07d95f83e6b1d42c8a90f7e5531b6d80c9a2f4e7d18c05b39f6a2e174';
const ETAG = '0f343b0931126a20f133d67c2b018a3b';
const POLL_ID = '0d6f2a54-9b1e-4c7a-8f53-2e7d1c94b6a0';
const DONE = { 204: { description: 'Noted.' } };

export const GATEWAY_OPERATIONS: Record<keyof typeof GATEWAY_ROUTES, OperationDoc> = {
  claimJob: {
    tag: 'Gateway',
    summary: 'Ask for a job',
    description:
      'Held open until there is work that the host can do, or `wait_s` is over; then the host asks again. A granted job comes under a lease: whatever the host says of it carries the fence of that lease.',
    request: {
      schema: ClaimRequest,
      examples: only({
        capabilities: {
          renderer: 'radar',
          max_resolution: 1440,
          max_fps: 120,
          game_build: null,
          agent_version: '1.0.0',
        },
        wait_s: 30,
        poll_id: POLL_ID,
        demo_keys: ['8f14e45fceea167a5a36dedd4bea2543'],
      }),
    },
    answers: {
      200: { description: 'A job under a fresh lease.', content: { schema: Grant, examples: only(GRANT) } },
      204: {
        description:
          'No work came in time. Where the host gets none for now, `X-Host-State` says why: `draining`, or `paused until 2026-05-04T18:30:00.000Z`.',
      },
    },
    problems: ['agent_outdated', 'limit_reached'],
  },
  endPoll: {
    tag: 'Gateway',
    summary: 'Stop waiting for a job',
    description:
      'A host that stops says so: its held claim is answered at once, with 204, or with a job that was granted just before. The host hands that job back. Repeatable; an unknown `poll_id` is fine.',
    request: { schema: EndPollRequest, examples: only({ poll_id: POLL_ID }) },
    answers: DONE,
  },
  heartbeat: {
    tag: 'Gateway',
    summary: 'Keep a lease alive',
    description: 'A lease without heartbeats is lost, and its job goes to another host.',
    request: { schema: HeartbeatRequest, examples: only({ fence: 1, phase: 'render', progress: 0.62 }) },
    answers: DONE,
    problems: ['stale_lease'],
  },
  fetchDemo: {
    tag: 'Gateway',
    summary: 'Fetch an uploaded demo',
    description:
      'Of a grant with `is_uploaded_demo`: the file as its account uploaded it, plain or compressed. With `Range`, and the `ETag` as `If-Range`, a download that broke off goes on. 404 if it was deleted, or lies elsewhere.',
    query: LeaseQuery,
    answers: {
      200: { description: 'The file.', content: { types: ['application/octet-stream'] } },
      206: { description: 'A range of it.', content: { types: ['application/octet-stream'] } },
    },
    problems: ['stale_lease', 'range_not_satisfiable'],
  },
  getWatermark: {
    tag: 'Gateway',
    summary: "Fetch the order's watermark",
    description: 'The image that the order of this lease names, as it was uploaded. 404 if it names none.',
    query: LeaseQuery,
    answers: { 200: { description: 'The image.', content: { types: IMAGE_TYPES } } },
    problems: ['stale_lease'],
  },
  beginUpload: {
    tag: 'Gateway',
    summary: 'Begin to upload a file',
    description:
      'Each file goes up in parts. Beginning again starts over. Beside the video and the thumbnail a host may send what the grant names in `optional_files`.',
    request: { schema: UploadBegin, examples: only({ fence: 1, file: 'video' }) },
    answers: {
      201: {
        description: 'Parts can come.',
        content: { schema: UploadBegun, examples: only({ upload_id: UPLOAD_ID }) },
      },
    },
    problems: ['stale_lease'],
  },
  uploadPart: {
    tag: 'Gateway',
    summary: 'Upload a part',
    description:
      'The body is the part itself: exactly as many bytes as the grant says, the last one what remains. Sending a part again replaces it.',
    query: UploadPartQuery,
    request: { types: ['application/octet-stream'] },
    answers: {
      200: {
        description: 'The part is stored.',
        content: { schema: UploadedPart, examples: only({ part: 1, etag: ETAG }) },
      },
    },
    problems: ['stale_lease', 'upload_incomplete'],
  },
  endUpload: {
    tag: 'Gateway',
    summary: 'Put the parts together',
    description: 'Makes one file of all its parts.',
    request: {
      schema: UploadEnd,
      examples: only({ fence: 1, file: 'video', upload_id: UPLOAD_ID, parts: [{ part: 1, etag: ETAG }] }),
    },
    answers: {
      200: {
        description: 'The file is stored.',
        content: { schema: UploadEnded, examples: only({ bytes: 7_340_032 }) },
      },
    },
    problems: ['stale_lease', 'upload_incomplete'],
  },
  completeJob: {
    tag: 'Gateway',
    summary: 'Complete a job',
    description: 'The files have to be there in the size that is announced. The job is `done` and the lease is over.',
    request: {
      schema: CompleteRequest,
      examples: only({
        fence: 1,
        title: '3 kills by Ferris on de_nuke',
        facts: { kills: 3, players: ['Ferris'], map: 'de_nuke', round: null },
        duration_seconds: 14.5,
        video: { bytes: 7_340_032, sha256: SHA256 },
        thumbnail: { bytes: 184_320, sha256: SHA256 },
        storyboard: { bytes: 92_160, sha256: SHA256, columns: 6, rows: 5, interval_seconds: 0.5 },
      }),
    },
    answers: DONE,
    problems: ['stale_lease', 'upload_incomplete'],
  },
  jobInspected: {
    tag: 'Gateway',
    summary: 'Say what is in a demo',
    description:
      'Ends a job whose `selection.mode` is `inspect`. Saying it again under the same fence changes nothing. At most 1 MiB.',
    request: { schema: InspectedRequest, examples: only({ fence: 1, demo: FOUND_DEMO }) },
    answers: DONE,
    problems: ['stale_lease'],
  },
  failJob: {
    tag: 'Gateway',
    summary: 'Fail a job',
    description: 'The code decides whether the job is tried again.',
    request: {
      schema: FailRequest,
      examples: only({ fence: 1, code: 'demo_404', detail: 'GET https://demos.example.com/match-1842.dem.gz: 404' }),
    },
    answers: DONE,
    problems: ['stale_lease'],
  },
  releaseJob: {
    tag: 'Gateway',
    summary: 'Hand a job back',
    description: 'For a host that stops: the job is queued again at once and it costs it no attempt.',
    request: { schema: ReleaseRequest, examples: only({ fence: 1 }) },
    answers: DONE,
    problems: ['stale_lease'],
  },
};

export const REGISTRATION_OPERATIONS: Record<keyof typeof REGISTRATION_ROUTES, OperationDoc> = {
  registerHost: {
    tag: 'Gateway',
    summary: 'Become a render host',
    description:
      'One secret for many machines: each that shows it gets a token of its own, as often as the registration has uses, and until it ends.',
    request: { schema: RegisterRequest, examples: only({ name: 'gpu-17' }) },
    answers: {
      201: {
        description: 'The host is made.',
        content: {
          schema: RegisteredHost,
          examples: only({ host_id: 'd92b6e04-75fa-4c31-9e8d-0a3c1f7b5628', token: 'tr_host_…' }),
        },
      },
    },
  },
};
