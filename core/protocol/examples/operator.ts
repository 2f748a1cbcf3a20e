import { ACCOUNT_ID, DELIVERY_ID, DONE_JOB, JOB_ID } from './client.ts';

/** Examples of the operators' operations. They match those of `client.ts`. */

export const MADE = '2026-05-01T08:00:00.000Z';
export const KEY_ID = 'c4f1e9a7-3b20-4d58-8a6c-917e5d2b0f43';
export const NEXT_KEY_ID = '0b7d53c8-6e19-4af2-b5d4-82c09fe1a637';
export const KEY = {
  key_id: KEY_ID,
  kind: 'metered',
  name: 'web server',
  scope: 'submit',
  expires_at: null,
  ingest_limits: null,
  created_at: MADE,
};
export const LISTED_KEY = { ...KEY, hint: 'tr_met_4fQz…k2Vd', last_used: MADE, made_by: null, revoked_at: null };

export const ACCOUNT = {
  account_id: ACCOUNT_ID,
  name: 'Example',
  provisioned_slots: 4,
  renderer: null,
  labels: [],
  suspended_at: null,
  clips_hidden: false,
  brand: { name: null, url: null, logo: null, colour: null },
  erasing_at: null,
  limits: { submits: 6000 },
  default_limits: { submits: 600, jobs: 1000 },
  drawn_share: 0.04,
  created_at: MADE,
};

export const HOST_ID = 'd92b6e04-75fa-4c31-9e8d-0a3c1f7b5628';
export const PUSH = {
  url: 'https://gpu.example.com/grants',
  slots: 1,
  capabilities: { renderer: 'radar', max_resolution: 1440, max_fps: 120, game_build: null },
};

export const HOST = {
  host_id: HOST_ID,
  name: 'host 1',
  created_at: MADE,
  revoked_at: null,
  state: 'busy',
  last_seen: '2026-05-04T18:31:05.402Z',
  held_until: null,
  set_aside_until: null,
  set_aside_reason: null,
  resting_until: null,
  resting_reason: null,
  note: null,
  labels: ['eu'],
  agent_version: '1.0.0',
  renderer: 'cs2',
  game_build: '1.41.6.0',
  gpu: 'NVIDIA GeForce RTX 4070',
  encoder: 'h264_nvenc',
  max_resolution: 1440,
  max_film_height: 1440,
  max_fps: 120,
  clock_off_s: null,
  jobs: [{ job_id: JOB_ID, status: 'render', progress: 0.62 }],
  failures_24h: { cs2_unavailable: 1, download_timeout: 2 },
  push: null,
};
export const HOST_DETAIL = {
  ...HOST,
  slots: 1,
  driver: '580.95.05',
  free_bytes: 412_316_860_416,
  ended: [{ job_id: JOB_ID, code: null, started_at: '2026-05-04T18:24:11.120Z', ended_at: '2026-05-04T18:26:02.871Z' }],
  faults: [{ code: 'cs2_unavailable', count: 1, last_at: '2026-05-04T09:12:40.006Z', job_ids: [JOB_ID] }],
};

const REGISTRATION_ID = '7e2d9c40-1b6f-4a83-9d05-c3f8a7b1e264';
export const REGISTRATION = { registration_id: REGISTRATION_ID, name: 'rack 4', uses: 50 };
export const ENDS = '2026-05-02T08:00:00.000Z';
export const AT = '2026-05-04T18:32:00.000Z';
export const OPERATOR_ID = '4be1c6d2-90f7-4a35-8c1d-e2f5a7093b64';
export const NO_MORE = { next_cursor: null };
export const EXHAUSTED = {
  id: DELIVERY_ID,
  event: 'job.completed',
  status: 'exhausted',
  url: 'https://app.example.com/hooks/tickreel',
  created_at: AT,
  next_attempt_at: null,
  attempts: [{ attempt: 10, at: AT, http_status: 500, error: 'it answered 500' }],
};

export const MAINTENANCE = {
  reason: 'The database moves to another machine',
  since: AT,
  until: '2026-05-04T20:00:00.000Z',
  operator: 'Ada',
};
export const BLOCK = {
  block_id: '7c2f9d15-0b6a-4e83-9f41-d8a37e5c6b20',
  address: 'files.example.org',
  reason: 'its owner asked us to fetch no more',
  created_at: AT,
  operator: 'Ada',
};

export const OVERVIEW = {
  at: AT,
  firing: [
    {
      alert: 'NoHosts',
      text: '12 jobs wait, and no render host is ready.',
      since: AT,
      help: 'Start hosts, or resume held ones. The log of a host says why it ended.',
    },
  ],
  alerts: { receiver: 'hooks.example.com', last_sent: AT, last_error: null },
  maintenance: null,
  queue: [
    { tier: 'reserved', waiting: 0, oldest_s: null },
    { tier: 'metered', waiting: 12, oldest_s: 40 },
  ],
  waits: [
    {
      jobs: 12,
      oldest_s: 40,
      reason: 'hosts_busy',
      text: 'All 3 hosts that can render 1080p at 60 fps with the game are busy.',
      hosts: 3,
      until: null,
      needs: { resolution: 1080, fps: 60, renderer: 'cs2', labels: [], skills: [], refused_builds: [] },
    },
  ],
  running: 3,
  hosts: { busy: 3, idle: 1 },
  webhooks: { failing: 2, exhausted: 0, given_up: 0 },
  clips: { count: 1842, bytes: 34_766_585_856 },
  speed: { clips_an_hour: 38, p50_s: 31, p95_s: 94, clips: 200 },
  wrong_variables: [{ variable: 'PURGE_TOKEN', problem: 'is missing; PURGE_ZONE_ID cannot be used without it' }],
  days: [{ day: '2026-05-04', done: 96, rendered_seconds: 1311.5, failed: { demo_404: 4 } }],
};

export const STORY = {
  job: DONE_JOB,
  account_id: ACCOUNT_ID,
  account_name: 'Example',
  clip_id: DONE_JOB.clip_id,
  run: 1,
  attempt: 2,
  host_seconds: 41,
  queued_at: AT,
  retry_at: null,
  error_detail: null,
  progress: null,
  queue: null,
  lease: null,
  attempts: [
    {
      run: 1,
      attempt: 1,
      fence: 1,
      host_id: HOST_ID,
      host_name: 'host 1',
      game_build: '1.41.6.0',
      granted_at: AT,
      ended_at: AT,
      code: 'cs2_unavailable',
      detail: 'the game has ended by itself',
      log: '83.2 s error the game has ended\n',
    },
  ],
  deliveries: [EXHAUSTED],
  clip: {
    state: 'ready',
    is_saved: false,
    title: '3 kills by Ferris on Nuke',
    duration_seconds: 14.5,
    rendered_at: AT,
    rendered_by: HOST_ID,
    host_name: 'host 1',
    video: { key: 'clips/…/2/video.mp4', bytes: 18_874_368, sha256: '…' },
    thumbnail: { key: 'clips/…/2/thumbnail.jpg', bytes: 74_112, sha256: '…' },
    removal: null,
  },
};
