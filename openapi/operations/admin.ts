import {
  AccountChanges,
  AccountList,
  AccountView,
  AdminListQuery,
  Canceled,
  CancelQuery,
  HostChanges,
  HostList,
  HostOnce,
  HostView,
  KeyList,
  KeyOnce,
  NewAccount,
  NewHost,
  NewKey,
  NewRegistration,
  RegistrationList,
  RegistrationOnce,
} from '../../protocol/admin.ts';
import { JobRef } from '../../protocol/job-view.ts';
import type { ADMIN_ROUTES } from '../../protocol/routes.ts';
import { ACCOUNT_ID, JOB_ID } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';

const MADE = '2026-05-01T08:00:00.000Z';
const KEY_ID = 'c4f1e9a7-3b20-4d58-8a6c-917e5d2b0f43';
const NEXT_KEY_ID = '0b7d53c8-6e19-4af2-b5d4-82c09fe1a637';
const KEY = {
  key_id: KEY_ID,
  kind: 'metered',
  name: 'web server',
  scope: 'submit',
  expires_at: null,
  created_at: MADE,
};
const HOST_ID = 'd92b6e04-75fa-4c31-9e8d-0a3c1f7b5628';
const PUSH = {
  url: 'https://gpu.example.com/grants',
  slots: 1,
  capabilities: { renderer: 'radar' as const, max_resolution: 1440 as const, max_fps: 120, game_build: null },
};
const ACCOUNT = {
  account_id: ACCOUNT_ID,
  name: 'Example',
  provisioned_slots: 4,
  renderer: null,
  labels: [],
  database: 'DB',
  suspended_at: null,
  limits: { submits: 6000 },
  created_at: MADE,
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

export const ADMIN_OPERATIONS: Record<keyof typeof ADMIN_ROUTES, OperationDoc> = {
  listAccounts: {
    tag: 'Administration',
    summary: 'List accounts',
    description: 'Oldest first.',
    query: AdminListQuery,
    answers: {
      200: {
        description: 'The accounts.',
        content: { schema: AccountList, examples: only({ accounts: [ACCOUNT], next_cursor: null }) },
      },
    },
  },
  createAccount: {
    tag: 'Administration',
    summary: 'Make an account',
    description: 'It has no key yet.',
    request: { schema: NewAccount, examples: only({ name: 'Example', provisioned_slots: 4 }) },
    answers: {
      201: { description: 'The account is made.', content: { schema: AccountView, examples: only(ACCOUNT) } },
    },
  },
  getAccount: {
    tag: 'Administration',
    summary: 'Read an account',
    description: 'As it is in the list.',
    answers: { 200: { description: 'The account.', content: { schema: AccountView, examples: only(ACCOUNT) } } },
  },
  changeAccount: {
    tag: 'Administration',
    summary: 'Change an account',
    description:
      "Changed slots, renderer and labels count from the account's next job on. A suspended account may read and change nothing: its queued jobs wait until it is suspended no more, those that run are finished.",
    request: { schema: AccountChanges, examples: only({ provisioned_slots: 8 }) },
    answers: {
      200: {
        description: 'The account as it is now.',
        content: { schema: AccountView, examples: only({ ...ACCOUNT, provisioned_slots: 8 }) },
      },
    },
  },
  cancelAccount: {
    tag: 'Administration',
    summary: 'Cancel all jobs of an account',
    description:
      'Every job of the account that has not finished, up to 500 with one call. Ask again with the `next_cursor` until there is none.',
    query: CancelQuery,
    answers: {
      200: {
        description: 'They are canceled.',
        content: { schema: Canceled, examples: only({ canceled: 37, next_cursor: null }) },
      },
    },
  },
  cancelAnyJob: {
    tag: 'Administration',
    summary: 'Cancel a job',
    description: 'Of any account, as its client could.',
    answers: {
      200: { description: 'The job is canceled.', content: { schema: JobRef, examples: only({ job_id: JOB_ID }) } },
    },
    problems: ['job_finished'],
  },
  listKeys: {
    tag: 'Administration',
    summary: "List an account's keys",
    description: 'By their hints: a key itself cannot be had again.',
    query: AdminListQuery,
    answers: {
      200: {
        description: 'The keys.',
        content: {
          schema: KeyList,
          examples: only({
            keys: [{ ...KEY, hint: 'tr_met_4fQz…k2Vd', last_used: MADE, revoked_at: null }],
            next_cursor: null,
          }),
        },
      },
    },
  },
  createKey: {
    tag: 'Administration',
    summary: 'Make an API key',
    description: 'For clients to show. An account may have two live ones of each kind and scope.',
    request: { schema: NewKey, examples: only({ kind: 'metered', name: 'web server', scope: 'submit' }) },
    answers: {
      201: {
        description: 'The key, shown this once.',
        content: {
          schema: KeyOnce,
          examples: only({ ...KEY, key: 'tr_met_…' }),
        },
      },
    },
    problems: ['limit_reached'],
  },
  rotateKey: {
    tag: 'Administration',
    summary: 'Make the successor of an API key',
    description:
      'A new key of the same kind, scope and name, without an end. The old one stays good until it is revoked, so that clients can move over.',
    answers: {
      201: {
        description: 'The new key, shown this once.',
        content: {
          schema: KeyOnce,
          examples: only({ ...KEY, key_id: NEXT_KEY_ID, key: 'tr_met_…' }),
        },
      },
    },
    problems: ['limit_reached'],
  },
  revokeKey: {
    tag: 'Administration',
    summary: 'Revoke an API key',
    description: 'It is refused everywhere within 30 seconds. Revoking it again changes nothing.',
    answers: { 204: { description: 'The key is revoked.' } },
  },
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
};
