import { ACCOUNT_ID } from '../examples.ts';

const MADE = '2026-05-01T08:00:00.000Z';
const KEY_ID = 'c4f1e9a7-3b20-4d58-8a6c-917e5d2b0f43';
const _NEXT_KEY_ID = '0b7d53c8-6e19-4af2-b5d4-82c09fe1a637';
const _KEY = {
  key_id: KEY_ID,
  kind: 'metered',
  name: 'web server',
  scope: 'submit',
  expires_at: null,
  created_at: MADE,
};
const _HOST_ID = 'd92b6e04-75fa-4c31-9e8d-0a3c1f7b5628';
const _ACCOUNT = {
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
const _REGISTRATION_ID = '7e2d9c40-1b6f-4a83-9d05-c3f8a7b1e264';
