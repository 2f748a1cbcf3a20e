import {
  AdminListQuery,
  HostChanges,
  HostList,
  HostOnce,
  HostView,
  NewHost,
  NewRegistration,
  RegistrationList,
  RegistrationOnce,
} from '#protocol/admin.ts';
import { JOB_ID } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';

const MADE = '2026-05-01T08:00:00.000Z';
const HOST_ID = 'd92b6e04-75fa-4c31-9e8d-0a3c1f7b5628';
const PUSH = {
  url: 'https://gpu.example.com/grants',
  slots: 1,
  capabilities: { renderer: 'radar' as const, max_resolution: 1440 as const, max_fps: 120, game_build: null },
};
const HOST = {
  host_id: HOST_ID,
  name: 'host 1',
  created_at: MADE,
  revoked_at: null,
  state: 'busy',
  last_seen: '2026-05-04T18:31:05.402Z',
  held_until: null,
  set_aside_until: null,
  note: null,
  labels: ['eu'],
  agent_version: '1.0.0',
  renderer: 'cs2',
  game_build: '1.41.6.0',
  gpu: 'NVIDIA GeForce RTX 4070',
  encoder: 'h264_nvenc',
  max_resolution: 1440,
  max_fps: 120,
  jobs: [{ job_id: JOB_ID, status: 'render', progress: 0.62 }],
  failures_24h: { cs2_unavailable: 1, download_timeout: 2 },
  push: null,
};
const REGISTRATION_ID = '7e2d9c40-1b6f-4a83-9d05-c3f8a7b1e264';
const REGISTRATION = { registration_id: REGISTRATION_ID, name: 'rack 4', uses: 50 };
const ENDS = '2026-05-02T08:00:00.000Z';

/** Of hosts, and of how machines become hosts. */
export const HOST_OPERATIONS = {
  listHosts: {
    tag: 'Administration',
    summary: 'List render hosts',
    description: 'Oldest first, with what each does now.',
    query: AdminListQuery,
    answers: {
      200: {
        description: 'The hosts.',
        content: { schema: HostList, examples: only({ hosts: [HOST], next_cursor: null }) },
      },
    },
  },
  createHost: {
    tag: 'Administration',
    summary: 'Let a render host in',
    description:
      'Makes the token with which the host asks for work. With `push`, the host is sent its jobs instead: each as the grant that a claim is answered with, signed as Standard Webhooks are. It answers 202 and goes on as if it had claimed the job, or 429 or 503 with `Retry-After`.',
    request: {
      schema: NewHost,
      examples: {
        polls: { summary: 'A host that polls', value: { name: 'host 1' } },
        called: { summary: 'A host that is called', value: { name: 'host 2', push: PUSH } },
      },
    },
    answers: {
      201: {
        description: 'The token, shown this once.',
        content: {
          schema: HostOnce,
          examples: {
            polls: { summary: 'A host that polls', value: { host_id: HOST_ID, name: 'host 1', token: 'tr_host_…' } },
            called: {
              summary: 'A host that is called',
              value: { host_id: HOST_ID, name: 'host 2', token: 'tr_host_…', push_secret: 'whsec_…' },
            },
          },
        },
      },
    },
  },
  changeHost: {
    tag: 'Administration',
    summary: 'Change a render host',
    description:
      'Pauses or drains it, lets it go on, names and labels it. It takes effect at once: a host that is held finishes what it has and gets no more.',
    request: {
      schema: HostChanges,
      examples: only({ hold: 'paused', until: '2026-05-04T20:00:00Z', note: 'a new driver' }),
    },
    answers: {
      200: {
        description: 'The host as it is now.',
        content: {
          schema: HostView,
          examples: only({
            ...HOST,
            state: 'paused',
            held_until: '2026-05-04T20:00:00.000Z',
            note: 'a new driver',
          }),
        },
      },
    },
  },
  rotateHost: {
    tag: 'Administration',
    summary: "Replace a render host's token",
    description:
      'The host keeps its id and name. The old token is refused everywhere within 30 seconds. A host that is called gets a new secret as well, which holds at once.',
    answers: {
      200: {
        description: 'The new token, shown this once.',
        content: { schema: HostOnce, examples: only({ host_id: HOST_ID, name: 'host 1', token: 'tr_host_…' }) },
      },
    },
  },
  revokeHost: {
    tag: 'Administration',
    summary: "Revoke a render host's token",
    description: 'It is refused everywhere within 30 seconds, and the host is not called any more.',
    answers: { 204: { description: 'The token is revoked.' } },
  },
  listRegistrations: {
    tag: 'Administration',
    summary: 'List registrations of render hosts',
    description: 'Newest first.',
    query: AdminListQuery,
    answers: {
      200: {
        description: 'The registrations.',
        content: {
          schema: RegistrationList,
          examples: only({
            registrations: [{ ...REGISTRATION, used: 12, expires_at: ENDS, created_at: MADE, revoked_at: null }],
            next_cursor: null,
          }),
        },
      },
    },
  },
  createRegistration: {
    tag: 'Administration',
    summary: 'Let many render hosts in',
    description: 'Makes one token with which so many machines become hosts, each with a token of its own.',
    request: { schema: NewRegistration, examples: only({ name: 'rack 4', uses: 50, expires_in_hours: 24 }) },
    answers: {
      201: {
        description: 'The token, shown this once.',
        content: {
          schema: RegistrationOnce,
          examples: only({ ...REGISTRATION, token: 'tr_reg_…', expires_at: ENDS }),
        },
      },
    },
  },
  revokeRegistration: {
    tag: 'Administration',
    summary: 'Revoke a registration of render hosts',
    description: 'Nobody registers with it any more. The hosts that it has made stay.',
    answers: { 204: { description: 'The token is revoked.' } },
  },
} satisfies Record<string, OperationDoc>;
