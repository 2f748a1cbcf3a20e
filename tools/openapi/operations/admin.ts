import {
  AccountChanges,
  AccountErasure,
  AccountList,
  AccountView,
  AdminListQuery,
  Canceled,
  CancelQuery,
  KeyList,
  KeyOnce,
  NewAccount,
  NewKey,
} from '#protocol/admin.ts';
import { JobRef } from '#protocol/job-view.ts';
import type { ADMIN_ROUTES } from '#protocol/service-routes.ts';
import { ACCOUNT_ID, JOB_ID } from '../examples.ts';
import { type OperationDoc, only } from '../operation.ts';
import { HOST_OPERATIONS } from './admin-hosts.ts';

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
const ACCOUNT = {
  account_id: ACCOUNT_ID,
  name: 'Example',
  provisioned_slots: 4,
  renderer: null,
  labels: [],
  database: 'DB',
  suspended_at: null,
  erasing_at: null,
  limits: { submits: 6000 },
  created_at: MADE,
};

export const ADMIN_OPERATIONS = {
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
      'Every job of the account that has not finished, up to 500 with one call. Ask again with the `next_cursor` until there is none. Jobs that did not answer are listed in `failed`.',
    query: CancelQuery,
    answers: {
      200: {
        description: 'They are canceled.',
        content: { schema: Canceled, examples: only({ canceled: 37, failed: [], next_cursor: null }) },
      },
    },
  },
  eraseAccount: {
    tag: 'Administration',
    summary: 'Erase an account',
    description:
      'With all that it owns: jobs, clips and their files, demos, images, keys, secrets, what it was billed. It is suspended and loses its keys at once. The cron then deletes the rest, by turns with other accounts, and the account itself last, an hour later at the earliest. It cannot be undone. Who changed what stays in the audit log, and viewers are told that its clips were deleted.',
    request: { schema: AccountErasure, examples: only({ name: 'Example' }) },
    answers: {
      202: {
        description: 'It has begun; asked again, it goes on.',
        content: {
          schema: AccountView,
          examples: only({
            ...ACCOUNT,
            suspended_at: '2026-05-04T18:32:00.000Z',
            erasing_at: '2026-05-04T18:32:00.000Z',
          }),
        },
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
      'A new key of the same kind, scope, name and end. The old one stays good until it is revoked, so that clients can move over.',
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
  ...HOST_OPERATIONS,
} satisfies Record<keyof typeof ADMIN_ROUTES, OperationDoc>;
