import { clipUrls } from '#protocol/lib/routes.ts';
import { READER_VERSION } from '../demo/demos.ts';

/** Examples of the API document: one job, its clip and everything that belongs to it. */

export const JOB_ID = '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90';
const CLIP_ID = '61114dbf-600f-4067-903a-638e6bff61cd';
export const DELIVERY_ID = 'b7c9e1d4-52a8-4f63-8e0b-6a9d3c71f258';
export const ASSET_ID = '5b1d7c3e-9f42-4a06-b8d1-2e7f60c4a935';
export const ACCOUNT_ID = '0c7a4e19-d3b5-4826-9f1e-8b64a2d05c37';
const PLAYER = '76561198000000001';
const OTHER_PLAYER = '76561198000000002';
export const EXAMPLE_URL = 'https://tickreel.example.com';
const DEMO_URL = 'https://demos.example.com/match-1842.dem.gz';
const RECEIVER = 'https://app.example.com/hooks/tickreel';
const SUBMITTED = '2026-05-04T18:30:00.000Z';
const FINISHED = '2026-05-04T18:31:42.118Z';

export const ROUND_REQUEST = {
  demo_url: DEMO_URL,
  steam64_id: PLAYER,
  round: 7,
  fps: 60,
  hud_killfeed: true,
  idempotency_key: 'match-1842-round-7',
  extras: { match: 1842 },
  webhook_url: RECEIVER,
  webhook_auth_header: 'Bearer my-own-secret',
};

export const TIMELINE_REQUEST = {
  demo_url: DEMO_URL,
  timeline: [
    { steam64_id: PLAYER, start_tick: 41_200, end_tick: 41_840 },
    { steam64_id: OTHER_PLAYER, start_tick: 52_736, end_tick: 53_504 },
  ],
  resolution: 1440,
  commands: { spec_show_xray: '1' },
  watermark_image_id: ASSET_ID,
};

export const BATCH = {
  defaults: { demo_url: DEMO_URL, fps: 60, webhook_url: RECEIVER },
  clips: [
    { steam64_id: PLAYER, round: 7, idempotency_key: 'match-1842-round-7' },
    { steam64_id: OTHER_PLAYER, round: 0, idempotency_key: 'match-1842-round-0' },
  ],
};

const JOB_SUMMARY = {
  id: JOB_ID,
  status: 'done',
  priority: false,
  fps: 60,
  resolution: 1080,
  clip_id: CLIP_ID,
  error_code: null,
  created_at: SUBMITTED,
  finished_at: FINISHED,
};

export const LISTED_JOB = { ...JOB_SUMMARY, mode: 'round' };

export const DONE_JOB = {
  ...JOB_SUMMARY,
  payload: {
    demo_url: DEMO_URL,
    steam64_id: PLAYER,
    round: 7,
    fps: 60,
    hud_killfeed: true,
    idempotency_key: 'match-1842-round-7',
    extras: '{"match":1842}',
    webhook_url: RECEIVER,
    resolution: 1080,
  },
};

export const RETRYING_JOB = {
  ...DONE_JOB,
  status: 'retrying',
  clip_id: null,
  error_code: 'download_timeout',
  finished_at: null,
};

const CAUSE = {
  error_code: 'no_kills_found',
  summary: 'The player has no kills in round 9. They have some in rounds 1 to 3: ask for one of these.',
  facts: { round_asked: 9, rounds: [1, 2, 3], rounds_in_demo: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
  retryable: false,
  retry_at: null,
};
export const DIAGNOSED_JOB = {
  ...DONE_JOB,
  status: 'error',
  clip_id: null,
  error_code: 'no_kills_found',
  diagnosis: { ...CAUSE, docs_url: `${EXAMPLE_URL}/docs/errors/no_kills_found` },
  attempts: [
    {
      host: 'gpu-17',
      outcome: 'failed',
      phase: 'prefetch',
      stage: 'parse',
      started_at: '2026-05-04T18:30:02.000Z',
      ended_at: FINISHED,
      ...CAUSE,
    },
  ],
  progress: { phase: 'error', stage: null, progress: null, heard_at: null },
  queue: null,
};

const URLS = clipUrls(EXAMPLE_URL, CLIP_ID);
const { page, embed, video, thumbnail } = URLS;

export const CLIP = {
  id: CLIP_ID,
  state: 'ready',
  is_saved: false,
  title: '3 kills by Ferris on Nuke',
  resolution: 1080,
  fps: 60,
  tier: 'metered',
  duration_seconds: 14.5,
  size: '18874368',
  job_id: JOB_ID,
  created_at: FINISHED,
};

export const CLIP_DETAIL = { ...CLIP, urls: { page, embed, video, thumbnail }, expires_at: '2026-06-03T18:31:42.118Z' };

export const NOTICES = [
  { status: 'pending', progress: null, attempt: 0, error_code: null },
  { status: 'prefetch', progress: 0.04, attempt: 1, error_code: null },
  { status: 'render', progress: 0.62, attempt: 1, error_code: null },
  { status: 'done', progress: null, attempt: 1, error_code: null },
];

export const DELIVERY = {
  id: DELIVERY_ID,
  event: 'job.completed',
  status: 'delivered',
  url: RECEIVER,
  created_at: FINISHED,
  next_attempt_at: null,
  attempts: [
    { attempt: 1, at: '2026-05-04T18:31:42.160Z', http_status: 503, error: 'the receiver answered 503' },
    { attempt: 2, at: '2026-05-04T18:46:42.160Z', http_status: 204, error: null },
  ],
};

export const ASSET = {
  id: ASSET_ID,
  kind: 'watermark',
  name: 'logo',
  content_type: 'image/png',
  width: 320,
  height: 96,
  seconds: null,
  bytes: 14_208,
  created_at: '2026-05-02T09:12:08.000Z',
};

export const UPLOAD_ID = '9d3e2b71-4c58-4f0a-a6d9-3b17c8e05f42';
const UPLOAD_URL = `${EXAMPLE_URL}/api/uploads/${UPLOAD_ID}`;
export const UPLOAD_REQUEST = {
  name: 'match-1842.dem.zst',
  bytes: 121_634_816,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
export const UPLOAD_SUMMARY = {
  id: UPLOAD_ID,
  ...UPLOAD_REQUEST,
  source: 'upload',
  tag: null,
  facts: null,
  state: 'complete',
  demo_url: UPLOAD_URL,
  created_at: '2026-05-04T18:20:00.000Z',
  expires_at: '2026-05-11T18:24:31.007Z',
};
export const OPEN_UPLOAD = {
  ...UPLOAD_SUMMARY,
  state: 'open',
  expires_at: '2026-05-05T18:20:00.000Z',
  parts: [
    { part: 14, offset: 109_051_904, bytes: 8_388_608, url: `${UPLOAD_URL}/part?part=14` },
    { part: 15, offset: 117_440_512, bytes: 4_194_304, url: `${UPLOAD_URL}/part?part=15` },
  ],
};

export const DEMO_ID = '71c0a9d2-3e5b-4f86-8a14-c2d97e60b538';
export const DEMO_REQUEST = { demo_url: DEMO_URL };
export const PENDING_DEMO = {
  id: DEMO_ID,
  demo_url: DEMO_URL,
  state: 'pending',
  error_code: null,
  diagnosis: null,
  created_at: SUBMITTED,
  finished_at: null,
  expires_at: null,
  match: null,
};
const FOUND = {
  map: 'de_nuke',
  game_patch: 14_160,
  build: 10_525,
  tick_rate: 64,
  first_tick: 1,
  last_tick: 172_800,
  is_complete: true,
  recorded_by: null,
  reader: READER_VERSION,
  players: [
    {
      steam64_id: PLAYER,
      name: 'Ferris',
      is_bot: false,
      team: 'CT',
      kills: 21,
      deaths: 14,
      kills_by_round: { 1: 1, 7: 3 },
    },
    {
      steam64_id: OTHER_PLAYER,
      name: 'Walt',
      is_bot: false,
      team: 'T',
      kills: 17,
      deaths: 16,
      kills_by_round: { 2: 2 },
    },
  ],
  gaps: [],
  rounds: [
    {
      round: 7,
      start_tick: 40_960,
      end_tick: 47_104,
      official_end_tick: 47_552,
      winner: 'CT',
      reason: 'bomb_defused',
      score: { T: 3, CT: 4 },
    },
  ],
  kills: [
    {
      tick: 45_312,
      round: 7,
      attacker: 0,
      victim: 1,
      assister: null,
      weapon: 'awp',
      headshot: false,
      wallbang: true,
      no_scope: false,
      through_smoke: false,
      attacker_blind: false,
    },
  ],
};
const HIGHLIGHT = {
  kind: '3k',
  kinds: ['3k', 'wallbang'],
  player: 0,
  round: 7,
  start_tick: 45_312,
  end_tick: 46_080,
  score: 42,
};
/** As reported by a host. */
export const FOUND_DEMO = { ...FOUND, highlights: [{ ...HIGHLIGHT, request: { steam64_id: PLAYER, round: 7 } }] };
export const DEMO = {
  ...PENDING_DEMO,
  state: 'ready',
  finished_at: '2026-05-04T18:30:11.904Z',
  expires_at: '2026-05-11T18:30:11.904Z',
  match: { ...FOUND, highlights: [{ ...HIGHLIGHT, request: { demo_url: DEMO_URL, steam64_id: PLAYER, round: 7 } }] },
};

export const PLAN_REQUEST = { demo_url: DEMO_URL, steam64_id: PLAYER, round: 7 };
const PLAN_TICKS = { start_tick: 45_120, end_tick: 45_440, kill_ticks: [45_312] };
export const PLAN = {
  seconds: 5,
  is_estimate: false,
  shots: [{ ...PLAN_TICKS, steam64_id: PLAYER, round: 7, seconds: 5 }],
  price: { amount: 0.0125, currency: 'EUR' },
  renderer: 'cs2',
  host_online: true,
};

export const RULE_REQUEST = {
  name: 'aces of the league',
  when: { tags: ['league'] },
  render: { what: 'highlights', kinds: ['ace'] },
  options: { fps: 60 },
  budget: { demos_a_day: 20, clips_a_day: 50 },
};
const RULE_RUN = {
  id: 'd1b8e5f0-3a7c-4296-89f8-6d081884c7d6',
  state: 'done',
  upload_id: UPLOAD_ID,
  clips: 1,
  detail: null,
  jobs: [{ id: JOB_ID, status: 'done', error_code: null }],
  created_at: '2026-05-04T18:24:31.007Z',
  ended_at: FINISHED,
};
export const RULE = {
  id: 'd1b8e5f0-3a7c-4296-8e41-6c50f2a97b38',
  ...RULE_REQUEST,
  enabled: true,
  send: {},
  used: { demos_a_day: 1, clips_a_day: 3 },
  paused: null,
  failures: 0,
  made_by: { key_id: 'c4f1e9a7-3b20-4d58-8a6c-917e5d2b0f43', name: 'league' },
  created_at: '2026-05-02T09:12:08.000Z',
  last_run: RULE_RUN,
};

export const COMPLETED_EVENT = {
  event: 'job.completed',
  job_id: JOB_ID,
  clip_id: CLIP_ID,
  clip_url: URLS.embed,
  video_url: URLS.video,
  thumbnail_url: URLS.thumbnail,
  clip_duration: 14.5,
  status: 'processed',
  error_code: null,
  extras: { match: 1842 },
};

export const FAILED_EVENT = {
  ...COMPLETED_EVENT,
  event: 'job.failed',
  clip_id: null,
  clip_url: null,
  video_url: null,
  thumbnail_url: null,
  clip_duration: null,
  status: 'error',
  error_code: 'player_not_in_demo',
};

export const RULE_ENDED_EVENT = {
  event: 'rule.ended',
  rule_id: RULE.id,
  run_id: RULE_RUN.id,
  upload_id: RULE_RUN.upload_id,
  state: 'skipped',
  detail: 'its map is de_nuke',
};

export const GRANT = {
  job_id: JOB_ID,
  order: {
    demo_url: DEMO_URL,
    selection: {
      mode: 'round',
      steam64_id: PLAYER,
      round: 7,
      pre_kill_padding: 3,
      post_kill_padding: 2,
      pov: 'killer',
      merge_gap: 0,
      kill_slowdown: null,
    },
    fps: 60,
    resolution: 1080,
    spec_show_xray: false,
    cl_draw_only_deathnotices: true,
    hud_killfeed: true,
    hud_damage_ticker: false,
    thumbnail_style: 'full',
    watermark_image_id: null,
    intro_asset_id: null,
    outro_asset_id: null,
    title_card: false,
    card_seconds: 3,
    music_asset_id: null,
  },
  accepted_domains: ['example.com'],
  allow_private_addresses: false,
  own_origins: [EXAMPLE_URL],
  low_ports: [80, 443],
  lease: { fence: 1, ttl_s: 60, heartbeat_s: 10 },
  demo_key: '8f14e45fceea167a5a36dedd4bea2543',
  account_key: 'c9f0f895fb98ab9159f51fd0297e236d',
  most_frames: 600_000,
  part_bytes: 8_388_608,
  optional_files: ['storyboard'],
};

export const FILE_UPLOAD_ID = 'AAF3Q8xk2m-LdVyBJp7RzT';
export const SHA256 = '4be1c2a07d95f83e6b1d42c8a90f7e5531b6d80c9a2f4e7d18c05b39f6a2e174';
export const PART_ETAG = '0f343b0931126a20f133d67c2b018a3b';
export const POLL_ID = '0d6f2a54-9b1e-4c7a-8f53-2e7d1c94b6a0';

export const WEBHOOK_SECRET = {
  id: '6f0d3b92-8c41-4e7a-b5d6-1f29a7c0e853',
  hint: 'whsec_MfKQ9…KYqr',
  created_at: '2026-05-02T09:12:08.000Z',
};

export const REQUEST_ID = '0a6f2f5e-5a1b-4c37-9a52-7f6f1c0f4e11';
/** The problem of a refused submit. */
export const INVALID_SUBMIT = {
  detail: 'round must be 1 or greater (and 1 more)',
  errors: [
    { path: 'round', message: 'must be 1 or greater' },
    { path: 'webhook_auth_header', message: 'needs a webhook_url' },
  ],
};
