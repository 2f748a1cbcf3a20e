/* Written by `npm run openapi` out of the operations of the service. */

/** Any JSON value; kept as it is. */
export type AnyJson = unknown;

/** An uploaded image, or music. */
export interface Asset {
  /** What a submit names. */
  id: string;
  /** What it is for. Each field of a submit that names an asset takes one kind. */
  kind: "watermark" | "intro" | "outro" | "music";
  /** As it was uploaded; null without one. */
  name: string | null;
  /** What the file is. */
  content_type: "image/png" | "image/jpeg" | "image/webp" | "audio/wav" | "audio/mpeg" | "audio/flac" | "audio/ogg";
  /** Pixels; a watermark is drawn so at 1080p, in proportion at 1440p. Null for music. */
  width: number | null;
  /** Pixels, likewise. */
  height: number | null;
  /** Length of music, as its file states; null for an image. */
  seconds: number | null;
  /** Length of the file. */
  bytes: number;
  /** When it was uploaded. */
  created_at: string;
}

/** A page of assets, newest first. */
export interface AssetList {
  assets: readonly Asset[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** One attempt of a host to make the clip. */
export interface Attempt {
  /** What the operator calls the host; null where it has no name here. */
  host: string | null;
  /** `working` is under way. `handed_back`: its host was stopped, which costs the job no attempt. */
  outcome: "working" | "completed" | "failed" | "handed_back" | "canceled";
  /** How far it came. */
  phase: "prefetch" | "render";
  /** The step that the host last reported; null before that. */
  stage: "download" | "decompress" | "parse" | "capture" | "encode" | "thumbnail" | "upload" | null;
  /** When the host got the job. */
  started_at: string;
  /** Null while it is under way. */
  ended_at: string | null;
  /** Why it failed; null where it did not. */
  error_code: JobErrorCode | null;
  /** Why, and what you can do, in a sentence or two. */
  summary: string | null;
  /** What it goes by, for programs; null where there is nothing. */
  facts: Facts | null;
  /** Whether another attempt may go better, without anything being changed. */
  retryable: boolean;
  /** When the job goes on by itself; null where it does not. */
  retry_at: string | null;
}

/** What became of each submit, in their order. */
export interface BatchAnswer {
  results: readonly BatchResult[];
}

/** Submits that share some of their fields. */
export interface BatchRequest {
  /** Fields of a `SubmitRequest` that all of them share. One that has the field itself goes by that. */
  defaults?: {
    [name: string]: unknown;
  } | undefined;
  /** The submits: each, with the defaults, a `SubmitRequest`. */
  clips: readonly {
    [name: string]: unknown;
  }[];
}

/** What became of one submit. */
export interface BatchResult {
  /** Its place in `clips`, from 0. */
  index: number;
  /** As `POST /api/clips` alone would have answered: 201, 200, 400 and so on. */
  status: number;
  /** The job; null where the submit was refused. */
  job_id: string | null;
  /** As `Idempotent-Replayed`. */
  replayed: boolean;
  /** As `Idempotency-Body-Differs`. */
  body_differs: boolean;
  /** Why it was refused; null where it was not. */
  problem: Problem | null;
}

/** A clip, with the included fields. */
export interface Clip {
  /** The clip, as its public addresses name it. Another id than the job’s. */
  id: string;
  /** `deleted` by you, the operator or its age. */
  state: "ready" | "deleted";
  /** Kept for good. Other clips expire. */
  is_saved: boolean;
  /** Made from the demo: what happens, who, and where. */
  title: string;
  /** Height of the picture in pixels. */
  resolution: number;
  /** Frames a second. */
  fps: number;
  /** Which key submitted its job. */
  tier: "metered" | "reserved";
  /** Its length; 0 where it could not be read. */
  duration_seconds: number;
  /** Bytes of the MP4, as a string of decimal digits. */
  size: string;
  /** The job that made it. */
  job_id: string | null;
  /** When it first became ready. */
  created_at: string;
  /** Its public addresses. Those of a deleted clip say that it is gone. */
  urls?: ClipUrls | undefined;
  /** When it is deleted unless it is saved until then; null where it is saved, or deleted already. */
  expires_at?: string | null | undefined;
  /** What made the clip: `cs2` is the game, `radar` draws a view from above; null where it is not known. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** Null unless the operator took it down. */
  removal?: ClipRemoval | null | undefined;
}

/** A page of clips, newest first. */
export interface ClipList {
  clips: readonly Clip[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** Why it was taken down. */
export interface ClipRemoval {
  /** When. */
  at: string;
  /** The operator’s words. */
  reason: string;
}

/** The public addresses of a clip. */
export interface ClipUrls {
  /** The page to share. */
  page: string;
  /** The player alone, for an iframe. */
  embed: string;
  /** The MP4. */
  video: string;
  /** The JPEG. */
  thumbnail: string;
}

/** How often a clip was watched, by day. */
export interface ClipViews {
  /** The clip. */
  clip_id: string;
  /** The first day (UTC) that is still known. */
  since: string;
  /** Views since then. */
  total: number;
  /** Days with views, the oldest first. */
  days: readonly {
    /** The day (UTC). */
    date: string;
    /** Players that began to play the clip. */
    views: number;
  }[];
}

/** Settings of the game that a clip may change. */
export interface Commands {
  /** `"1"` shows the outlines of players through walls. Default: `"0"`. */
  spec_show_xray?: "0" | "1" | undefined;
  /** `"1"` hides the HUD except for the killfeed, `"0"` shows all of it. Default: `"1"`. */
  cl_draw_only_deathnotices?: "0" | "1" | undefined;
}

/** One webhook or post with its attempts. */
export interface Delivery {
  /** As in `X-Service-Delivery-Id`. */
  id: string;
  /** `job.completed` or `job.failed`; `discord` for the post of a rule. */
  event: string;
  /**
   * `queued` has an attempt to come, `delivered` was answered with a 2xx, `exhausted` is out of attempts,
   * `canceled` was replaced by a re-run; a post then has nothing to send any more.
   */
  status: "queued" | "delivered" | "exhausted" | "canceled";
  /** Where it goes. A Discord address has no token here. */
  url: string;
  /** When the outcome, or the resend, made it. */
  created_at: string;
  /** When it is tried next; null unless `queued`. */
  next_attempt_at: string | null;
  /** Every attempt made, first to last. */
  attempts: readonly DeliveryAttempt[];
}

/** One attempt to deliver a webhook. */
export interface DeliveryAttempt {
  /** Its number, from 1. */
  attempt: number;
  /** When it was made. */
  at: string;
  /** What your receiver answered; null if it did not. */
  http_status: number | null;
  /** Why it does not count as delivered; null if it does. */
  error: string | null;
}

/** The webhooks of a job, oldest first. */
export interface DeliveryList {
  deliveries: readonly Delivery[];
}

/** Names a webhook. */
export interface DeliveryRef {
  /** What the webhook carries in `X-Service-Delivery-Id`. */
  delivery_id: string;
}

/** A demo that was looked into. */
export interface Demo {
  /** The demo. */
  id: string;
  /** As it was sent. */
  demo_url: string;
  /** `pending` until a host has read it, then `ready`, or `error` if it cannot be read and never was. */
  state: "pending" | "ready" | "error";
  /** Why the last try failed, as of a job. While `pending`, there will be another. */
  error_code: JobErrorCode | null;
  /** The same, with its cause; null where `error_code` is. */
  diagnosis: Diagnosis | null;
  /** When it was asked for. */
  created_at: string;
  /** When it was read, or given up; null before. */
  finished_at: string | null;
  /** When this is forgotten; null while `pending`. */
  expires_at: string | null;
  /** The page that plays the demo; null while there is none. Absent unless `replay` was asked for. */
  replay_url?: string | null | undefined;
  /** What is in it, once it is `ready`. A demo that is read again keeps what was found before. */
  match: DemoMatch | null;
}

/** Damage in the file: only the ticks before it are read. Absent for a file without damage. */
export interface DemoDamage {
  /** The last tick before the damage. */
  tick: number;
  /** What is damaged in the file. */
  reason: string;
}

/** What one player did in one round: docs/rules.md has the scores. */
export interface DemoHighlight {
  /** The most valuable of `kinds`, such as `ace` or `clutch_1v3`. */
  kind: string;
  /** All that makes it one, the most valuable first. */
  kinds: readonly string[];
  /** A player, by his place in `players` from 0. */
  player: number;
  /** The round, as on the scoreboard. */
  round: number;
  /** Its first tick, without any padding. */
  start_tick: number;
  /** Its last. */
  end_tick: number;
  /** How much it is worth seeing. */
  score: number;
  /** The body of a submit that makes a clip of it. */
  request: {
    /**
     * Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with
     * several, `#` and a name chooses one.
     */
    demo_url: string;
    /** Round mode: the player whose kills are shown. */
    steam64_id?: string | undefined;
    /** Round mode: the round to take, from 1. Without it, every round of the demo. */
    round?: number | undefined;
    /** Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one. */
    timeline?: readonly TimelineSegment[] | undefined;
  };
}

/** A kill that counts. */
export interface DemoKill {
  /** When. */
  tick: number;
  /** The round, as on the scoreboard. */
  round: number;
  /** A player, by his place in `players` from 0. */
  attacker: number;
  /** A player, by his place in `players` from 0. */
  victim: number;
  /** Who helped, likewise; null for nobody. */
  assister: number | null;
  /** The game's name of it, such as `ak47`. */
  weapon: string;
  headshot: boolean;
  wallbang: boolean;
  no_scope: boolean;
  through_smoke: boolean;
  attacker_blind: boolean;
  /** Set if it decided the round for the killer. */
  ends_round?: true | undefined;
}

/** What is in a demo. */
export interface DemoMatch {
  /** The map, as the game names it. */
  map: string;
  /** The version of the game, as 14160 for 1.41.6.0; null if the demo lacks it. */
  game_patch: number | null;
  /** Its build; null if the demo lacks it. */
  build: number | null;
  /** Ticks a second. */
  tick_rate: number;
  /** The first tick that can be shown. */
  first_tick: number;
  /** The last. */
  last_tick: number;
  /** Whether the recording was ended properly. All else of it can be shown. */
  is_complete: boolean;
  damage?: DemoDamage | undefined;
  /** The one player who can be shown, in their own recording; null where all can. */
  recorded_by: string | null;
  /**
   * The version of the program that read the demo; absent for the oldest. If there is a newer one, a request reads
   * the demo again.
   */
  reader?: number | undefined;
  /** In the order of the demo. */
  players: readonly DemoPlayer[];
  /** In their order. */
  rounds: readonly DemoRound[];
  /**
   * Ticks that clips leave out, because the recording or the game paused. Absent if the host does not report all
   * that decides the shots of a clip.
   */
  gaps?: readonly {
    start_tick: number;
    end_tick: number;
  }[] | undefined;
  /**
   * Parts of the demo that do not count as the match, such as rounds before a restart. They are not in `rounds` and
   * `kills`, but a `timeline` can show their ticks. Absent if there are none.
   */
  parts?: readonly {
    /** The first tick of the part. */
    start_tick: number;
    /** The tick after the last of the part. */
    end_tick: number;
    /** How many of its rounds were decided. */
    rounds: number;
    /** The players of the part. */
    players: readonly number[];
  }[] | undefined;
  /** The demos of the archive that this one came in: `demo_url` and `#` with a name chooses. */
  archive?: readonly string[] | undefined;
  /** Those that count, in their order. */
  kills: readonly DemoKill[];
  /** How many kills are not in `kills`, because there are too many. Absent if none is left out. */
  kills_left_out?: number | undefined;
  /** The best first. */
  highlights: readonly DemoHighlight[];
  /**
   * The body of a submit that shows the best highlights one after the other; null if there is none. Absent without
   * `best_of` in the query.
   */
  best_of?: {
    /**
     * Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with
     * several, `#` and a name chooses one.
     */
    demo_url: string;
    /** Round mode: the player whose kills are shown. */
    steam64_id?: string | undefined;
    /** Round mode: the round to take, from 1. Without it, every round of the demo. */
    round?: number | undefined;
    /** Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one. */
    timeline?: readonly TimelineSegment[] | undefined;
  } | null | undefined;
}

/** A player of a demo. */
export interface DemoPlayer {
  /** What `steam64_id` of a request names; `0` for some bots. */
  steam64_id: string;
  /** As the demo has it. */
  name: string;
  /** Played by the game. */
  is_bot: boolean;
  /** The side he starts on; null for one who was on none. */
  team: "T" | "CT" | null;
  /** Kills that count. */
  kills: number;
  /** Deaths in rounds that count. */
  deaths: number;
  /** Kills by round; rounds without any are left out. */
  kills_by_round: {
    [name: string]: number;
  };
}

/** A round of a demo. */
export interface DemoRound {
  /** The round, as on the scoreboard. */
  round: number;
  /** Where it begins. */
  start_tick: number;
  /** Where it is decided; null where the demo does not say. */
  end_tick: number | null;
  /** Where the announcement of the win ends; null where the demo does not say. */
  official_end_tick?: number | null | undefined;
  /** The side that won it; null where the demo does not say. */
  winner: "T" | "CT" | null;
  /** Why it ended, such as `bomb_defused`. */
  reason: string | null;
  /** The scoreboard then, by the side that each team plays. */
  score: {
    T: number;
    CT: number;
  } | null;
}

/** Why the job is in `error` or `retrying`. */
export interface Diagnosis {
  /** As in the job. */
  error_code: JobErrorCode;
  /** Why, and what you can do, in a sentence or two. */
  summary: string;
  /** What it goes by, for programs; null where there is nothing. */
  facts: Facts | null;
  /** Whether another attempt may go better, without anything being changed. */
  retryable: boolean;
  /** When the job goes on by itself; null where it does not. */
  retry_at: string | null;
  /** The page on this code: causes, and what to do. */
  docs_url: string;
}

/** What a failure goes by, for the client to act on, as in `{"round_asked": 9, "rounds": [1, 2, 3]}`. */
export interface Facts {
  [name: string]: string | number | boolean | null | readonly (string | number | boolean | null)[];
}

/** One broken rule. */
export interface FieldError {
  /** The field, as in `timeline[2].end_tick`; empty for the whole body. */
  path: string;
  /** The rule that it breaks. */
  message: string;
}

/** A demo to look into. */
export interface InspectRequest {
  /** Where the demo lies, or the `demo_url` of one of your uploads. */
  demo_url: string;
  /**
   * Whether the demo can also be played from above, in a browser: `replay_url` then names the page. Whoever has
   * that address can open it.
   */
  replay?: boolean | undefined;
}

/** A render job, with the included fields. */
export interface Job {
  /** The job. */
  id: string;
  status: JobStatus;
  /** Submitted with the reserved key. */
  priority: boolean;
  /** As it was asked for; null leaves it at the default of 30. */
  fps: number | null;
  /** Height of the picture in pixels. */
  resolution: number;
  /** The clip, once the job is `done`. */
  clip_id: string | null;
  /** Why the last attempt failed, while `retrying` or in `error`. */
  error_code: JobErrorCode | null;
  /** When the job was submitted. */
  created_at: string;
  /** When the outcome was reached; null before. */
  finished_at: string | null;
  payload: JobPayload;
  /** Null if nothing is wrong. */
  diagnosis?: Diagnosis | null | undefined;
  /** The latest of this run, first to last. */
  attempts?: readonly Attempt[] | undefined;
  progress?: Progress | undefined;
  /** Null unless the job waits. */
  queue?: QueuePlace | null | undefined;
  /** What made the clip: `cs2` is the game, `radar` draws a view from above; null where it is not known. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** The rule that made the job, and its run; null for a job of a client. */
  rule?: {
    id: string;
    run: string;
  } | null | undefined;
  /**
   * The page that plays the ticks of the clip until the video is there; null if the demo was not inspected with
   * `replay`.
   */
  replay?: string | null | undefined;
}

/** Why a job failed. Treat an unknown code as a failure. */
export type JobErrorCode = "demo_url_rejected" | "demo_404" | "demo_incompatible" | "player_not_in_demo" | "pov_only" | "no_kills_found" | "segment_not_in_demo" | "clip_too_long" | "workshop_not_supported" | "demo_failed_parse" | "decompress_failed" | "download_timeout" | "download_error" | "cs2_unavailable" | "render_failed" | "upload_error" | "finalize_failed" | "canceled" | "clip_removed" | (string & {});

/** A page of jobs, newest first. */
export interface JobList {
  jobs: readonly JobSummary[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** A change of a job, for those who follow it. */
export interface JobNotice {
  status: JobStatus;
  /** 0 to 1 of the whole job; null while no host works on it. */
  progress: number | null;
  /** Attempts begun since the job was last queued by you. */
  attempt: number;
  /** Why the last attempt failed, while `retrying` or in `error`. */
  error_code: JobErrorCode | null;
  /** Null if nothing is wrong. */
  diagnosis?: Diagnosis | null | undefined;
  /** The latest of this run, first to last. */
  attempts?: readonly Attempt[] | undefined;
  /** Null unless the job waits. */
  queue?: QueuePlace | null | undefined;
  /** What made the clip: `cs2` is the game, `radar` draws a view from above; null where it is not known. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** The rule that made the job, and its run; null for a job of a client. */
  rule?: {
    id: string;
    run: string;
  } | null | undefined;
  /**
   * The page that plays the ticks of the clip until the video is there; null if the demo was not inspected with
   * `replay`.
   */
  replay?: string | null | undefined;
  /** The step that the host last reported; null before that. */
  stage?: "download" | "decompress" | "parse" | "capture" | "encode" | "thumbnail" | "upload" | null | undefined;
  /** When its host last called. */
  heard_at?: string | null | undefined;
}

/** The request as it is kept: what was sent, without `force` and the auth header. */
export interface JobPayload {
  /** As it was sent; empty once the request is no longer kept. */
  demo_url: string;
  /** Round mode: the player whose kills are shown. */
  steam64_id?: string | undefined;
  /** Round mode: the round to take, from 1. Without it, every round of the demo. */
  round?: number | undefined;
  /** Round mode: seconds shown before each kill. Default: `3`. */
  pre_kill_padding?: number | undefined;
  /** Round mode: seconds shown after each kill. Default: `2`. */
  post_kill_padding?: number | undefined;
  /** Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one. */
  timeline?: readonly TimelineSegment[] | undefined;
  /** Round mode: whose view of a kill is shown: one, or one after the other. Default: `"killer"`. */
  pov?: "killer" | "victim" | "both" | undefined;
  /** Round mode: windows of a round with no larger gap stay in one shot. Default: `0`. */
  merge_gap?: number | undefined;
  /** Speed of the game around each kill: 1 is real time. */
  kill_slowdown?: number | undefined;
  /** Frames a second of the clip. Default: `30`. */
  fps?: number | undefined;
  /** As it was asked for, else the default. */
  resolution: number;
  commands?: Commands | undefined;
  /**
   * Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across cuts.
   * Default: `false`.
   */
  hud_killfeed?: boolean | undefined;
  /** Draw the damage that the player deals beside the crosshair. Default: `false`. */
  hud_damage_ticker?: boolean | undefined;
  /**
   * What is laid over the thumbnail: `full` a headline, the player, the round and the killfeed; `killfeed` that
   * alone; `none` nothing. Default: `"full"`.
   */
  thumbnail_style?: "full" | "killfeed" | "none" | undefined;
  /** Laid over the top left; drawn pixel for pixel at 1080p. */
  watermark_image_id?: string | undefined;
  /** A picture of yours that is shown first. */
  intro_asset_id?: string | undefined;
  /** A picture of yours that is shown last. */
  outro_asset_id?: string | undefined;
  /** Show a card with the title of the clip before its first shot. Default: `false`. */
  title_card?: boolean | undefined;
  /** Length of each card: intro, title, outro. Default: `3`. */
  card_seconds?: number | undefined;
  /** Music of yours under the clip, cut to its length. */
  music_asset_id?: string | undefined;
  /** As it was sent, or null. */
  idempotency_key: string | null;
  /**
   * If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view of
   * the match from above, which needs no game. That is after a final `demo_incompatible` or
   * `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
   * another time.
   */
  fallback?: "radar" | undefined;
  /** The sent value as JSON text; null if none was sent. */
  extras: string | null;
  /** Where the outcome is posted. Without it, nothing is. */
  webhook_url?: string | undefined;
  [name: string]: unknown;
}

/** Names a job. */
export interface JobRef {
  /** The job. */
  job_id: string;
}

/**
 * `pending` waits for a render host, `prefetch` fetches the demo, `render` renders. `retrying` waits for the next
 * attempt after a temporary failure. `done` and `error` are the two outcomes.
 */
export type JobStatus = "pending" | "prefetch" | "render" | "done" | "retrying" | "error";

/** A job without its payload. */
export interface JobSummary {
  /** The job. */
  id: string;
  status: JobStatus;
  /** Submitted with the reserved key. */
  priority: boolean;
  /** As it was asked for; null leaves it at the default of 30. */
  fps: number | null;
  /** Height of the picture in pixels. */
  resolution: number;
  /** The clip, once the job is `done`. */
  clip_id: string | null;
  /** Why the last attempt failed, while `retrying` or in `error`. */
  error_code: JobErrorCode | null;
  /** When the job was submitted. */
  created_at: string;
  /** When the outcome was reached; null before. */
  finished_at: string | null;
  /** How its moments are chosen. */
  mode: "round" | "timeline";
}

/** A new API key. */
export interface KeyOnce {
  /** The key, for revoking it. */
  key_id: string;
  /** `metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing. */
  kind: "metered" | "reserved" | "test";
  /** For people to tell keys apart. */
  name: string | null;
  /**
   * `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
   * submits jobs; `manage` does everything, such as deleting clips.
   */
  scope: "ingest" | "read" | "submit" | "manage";
  /** The key itself, shown this once. */
  key: string;
  /** Until when it is good; null for good. */
  expires_at: string | null;
  /** What a key of scope `ingest` may cause on a day (UTC), where it has its own limits. */
  ingest_limits: {
    /** MiB of demos. */
    mib?: number | undefined;
    /** Demos. */
    demos?: number | undefined;
    /** Clips that rules make of its demos. */
    clips?: number | undefined;
  } | null;
  /** When it was made. */
  created_at: string;
}

/** A part of the file that has not come yet. */
export interface MissingPart {
  /** Its place in the file, from 1. */
  part: number;
  /** Where in the file it begins. */
  offset: number;
  /** Its length. */
  bytes: number;
  /** Where to `PUT` these bytes of the file. */
  url: string;
}

/** An API key to make. */
export interface NewKey {
  /** `metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing. */
  kind: "metered" | "reserved" | "test";
  /** For people to tell them apart. */
  name?: string | undefined;
  /**
   * `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
   * submits jobs; `manage` does everything, such as deleting clips. Default: `"manage"`.
   */
  scope?: "ingest" | "read" | "submit" | "manage" | undefined;
  /** Until when it is good. Without it: for good if the operator makes it, else as long as the key that makes it. */
  expires_at?: string | undefined;
  /** What a key of scope `ingest` may cause on a day (UTC), where it has its own limits. */
  ingest_limits?: {
    /** MiB of demos. */
    mib?: number | undefined;
    /** Demos. */
    demos?: number | undefined;
    /** Clips that rules make of its demos. */
    clips?: number | undefined;
  } | undefined;
}

/** An API key of your account, without its secret. */
export interface OwnKey {
  /** The key, for revoking it. */
  key_id: string;
  /** `metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing. */
  kind: "metered" | "reserved" | "test";
  /** For people to tell keys apart. */
  name: string | null;
  /**
   * `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
   * submits jobs; `manage` does everything, such as deleting clips.
   */
  scope: "ingest" | "read" | "submit" | "manage";
  /** Its beginning and end. */
  hint: string;
  /** Until when it is good; null for good. */
  expires_at: string | null;
  /** What a key of scope `ingest` may cause on a day (UTC), where it has its own limits. */
  ingest_limits: {
    /** MiB of demos. */
    mib?: number | undefined;
    /** Demos. */
    demos?: number | undefined;
    /** Clips that rules make of its demos. */
    clips?: number | undefined;
  } | null;
  /** To an hour; null before its first use. */
  last_used: string | null;
  /** The key that made it; null if the operator did. */
  made_by: string | null;
  /** When it was made. */
  created_at: string;
  /** When it was revoked; null while it is good. */
  revoked_at: string | null;
  /** Whether it is the key of this request. */
  is_this: boolean;
}

/** A page of your keys, the oldest first, the revoked ones too. */
export interface OwnKeyList {
  keys: readonly OwnKey[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** The shots that a job of this request would show. */
export interface Plan {
  /** The length of the clip. */
  seconds: number;
  /**
   * Whether the clip may differ, because the host that inspected the demo did not report gaps and win
   * announcements.
   */
  is_estimate: boolean;
  /** In the order of the clip. */
  shots: readonly PlanShot[];
  /** In the order of the clip. Absent if there are none. */
  cards?: readonly PlanCard[] | undefined;
  /** What one successful run costs. Absent for a reserved key, and if the operator has set no price for it. */
  price?: {
    /** Rounded to four decimals. */
    amount: number;
    /** The ISO 4217 code. */
    currency: string;
  } | undefined;
}

/** A still picture before the shots (intro, title) or after them (outro). */
export interface PlanCard {
  kind: "intro" | "title" | "outro";
  seconds: number;
}

/** A part of the clip without a cut. */
export interface PlanShot {
  /** The player that it follows. */
  steam64_id: string;
  /** Whose kills it shows. Absent if it follows them. */
  subject_steam64_id?: string | undefined;
  /** The round in which it begins; null before the first. */
  round: number | null;
  /** Its first tick. */
  start_tick: number;
  /** The tick after its last. */
  end_tick: number;
  /** Its length in the clip. */
  seconds: number;
  /** The lowest speed of the game in it. Absent if it is 1. */
  speed?: number | undefined;
  /** The ticks of the kills of its subject in it; only kills that count. */
  kill_ticks: readonly number[];
}

/** Every error is answered with one (RFC 9457). */
export interface Problem {
  /** The kind of problem, as the URL that explains it. */
  type: string;
  /** The kind in a few words, always the same. */
  title: string;
  /** The HTTP status again. */
  status: number;
  /** What went wrong this time. */
  detail: string;
  /** The same text as `detail`, for clients that read `error`. */
  error: string;
  /** As in `X-Request-Id`. Name it when you ask for help. */
  request_id: string;
  /** Only of a plan: why its job would fail, or why its demo could not be read. */
  error_code?: JobErrorCode | undefined;
  /** Every broken rule of an invalid request. */
  errors?: readonly FieldError[] | undefined;
}

/** How far the job is. */
export interface Progress {
  phase: JobStatus;
  /** The step that the host last reported; null before that. */
  stage: "download" | "decompress" | "parse" | "capture" | "encode" | "thumbnail" | "upload" | null;
  /** 0 to 1 of the whole job; null while no host works on it. */
  progress: number | null;
  /** When its host last called. */
  heard_at: string | null;
}

/** Why a job waits, and its position in the queue. */
export interface QueuePlace {
  /** From 1 to about 1,000, or null. */
  position: number | null;
  /** Seconds until a host takes it, at the pace of the last minutes; null where there is none. */
  estimate_s: number | null;
  /** A code such as `hosts_busy`; others may follow. */
  reason: string;
  /** The same in words. */
  text: string;
  /** Able hosts. */
  hosts: number;
  /** Its end, if known. */
  until: string | null;
}

/** A rule. */
export interface Rule {
  /** The rule. */
  id: string;
  /** For people to tell rules apart. */
  name: string;
  /** Whether it acts on new demos. */
  enabled: boolean;
  when: RuleWhen;
  render: RuleRender;
  options: RuleOptions;
  /** Without its secrets. */
  send: {
    /** Where the outcome is posted. Without it, nothing is. */
    webhook_url?: string | undefined;
    /** A Discord webhook: one post for each demo. */
    discord_url?: string | undefined;
  };
  budget: RuleBudget;
  /** What it has used of its budget on this day. */
  used: {
    demos_a_day: number;
    clips_a_day: number;
  };
  /** Why the service has disabled it. */
  paused: {
    at: string;
    reason: string;
  } | null;
  /** Failed runs in a row. Five pause it. */
  failures: number;
  /** The key it acts with. */
  made_by: {
    key_id: string;
    name: string | null;
  };
  /** When it was made. */
  created_at: string;
  /** The latest; null before the first. */
  last_run: RuleRun | null;
  /** The latest 20; absent in lists. */
  runs?: readonly RuleRun[] | undefined;
}

/** For the demos of a day (UTC): by default 20 and 50. */
export interface RuleBudget {
  /** Demos that are inspected. */
  demos_a_day: number;
  /** Clips that are rendered. */
  clips_a_day: number;
}

/** A field that is sent replaces all of that field. */
export interface RuleChange {
  /** For people to tell rules apart. */
  name?: string | undefined;
  /** Whether it acts on new demos. */
  enabled?: boolean | undefined;
  when?: RuleWhen | undefined;
  render?: RuleRender | undefined;
  options?: RuleOptions | undefined;
  send?: RuleSend | undefined;
  budget?: RuleBudget | undefined;
}

/** Fields of `SubmitRequest` for each clip. */
export interface RuleOptions {
  /** Round mode: seconds shown before each kill. Default: `3`. */
  pre_kill_padding?: number | undefined;
  /** Round mode: seconds shown after each kill. Default: `2`. */
  post_kill_padding?: number | undefined;
  /** Round mode: whose view of a kill is shown: one, or one after the other. Default: `"killer"`. */
  pov?: "killer" | "victim" | "both" | undefined;
  /** Round mode: windows of a round with no larger gap stay in one shot. Default: `0`. */
  merge_gap?: number | undefined;
  /** Speed of the game around each kill: 1 is real time. */
  kill_slowdown?: number | undefined;
  /** Frames a second of the clip. Default: `30`. */
  fps?: number | undefined;
  /** Height of the picture in pixels; its width follows at 16:9. Default: `1080`. */
  resolution?: 1080 | 1440 | undefined;
  commands?: Commands | undefined;
  /**
   * Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across cuts.
   * Default: `false`.
   */
  hud_killfeed?: boolean | undefined;
  /** Draw the damage that the player deals beside the crosshair. Default: `false`. */
  hud_damage_ticker?: boolean | undefined;
  /**
   * What is laid over the thumbnail: `full` a headline, the player, the round and the killfeed; `killfeed` that
   * alone; `none` nothing. Default: `"full"`.
   */
  thumbnail_style?: "full" | "killfeed" | "none" | undefined;
  /** Laid over the top left; drawn pixel for pixel at 1080p. */
  watermark_image_id?: string | undefined;
  /** A picture of yours that is shown first. */
  intro_asset_id?: string | undefined;
  /** A picture of yours that is shown last. */
  outro_asset_id?: string | undefined;
  /** Show a card with the title of the clip before its first shot. Default: `false`. */
  title_card?: boolean | undefined;
  /** Length of each card: intro, title, outro. Default: `3`. */
  card_seconds?: number | undefined;
  /** Music of yours under the clip, cut to its length. */
  music_asset_id?: string | undefined;
  /**
   * If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view of
   * the match from above, which needs no game. That is after a final `demo_incompatible` or
   * `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
   * another time.
   */
  fallback?: "radar" | undefined;
}

/** Which moments become clips. */
export interface RuleRender {
  /** The best moments; all kills of a player, a clip for each player; or the best moment of each player. */
  what: "highlights" | "kills" | "best_of_each";
  /** The most clips of a demo: by default 3 of `highlights`, else 10. */
  limit?: number | undefined;
  /** Kinds of highlights, such as `ace`. Not with `kills`. */
  kinds?: readonly string[] | undefined;
  /** Steam ids: one of these players, who are no bots. */
  players?: readonly string[] | undefined;
  /** The side that a player starts on. */
  team?: "T" | "CT" | undefined;
}

/** A rule. */
export interface RuleRequest {
  /** For people to tell rules apart. */
  name: string;
  /** Whether it acts on new demos. */
  enabled?: boolean | undefined;
  when?: RuleWhen | undefined;
  render: RuleRender;
  options?: RuleOptions | undefined;
  send?: RuleSend | undefined;
  budget?: RuleBudget | undefined;
}

/** What a rule does with one demo. */
export interface RuleRun {
  id: string;
  /** `failed`: no clip was made. `skipped`: none was submitted. */
  state: "waiting" | "submitting" | "running" | "done" | "failed" | "skipped";
  /** The demo. */
  upload_id: string;
  /** How many it makes. */
  clips: number;
  /** Why it makes none, or fewer. */
  detail: string | null;
  jobs: readonly {
    /** The job. */
    id: string;
    status: JobStatus;
    /** Why the last attempt failed, while `retrying` or in `error`. */
    error_code: JobErrorCode | null;
  }[];
  /** When the demo came. */
  created_at: string;
  ended_at: string | null;
}

/** Where the outcome goes. */
export interface RuleSend {
  /** Where the outcome is posted. Without it, nothing is. */
  webhook_url?: string | undefined;
  /**
   * Sent as it is in the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within.
   * Needs a `webhook_url`; never shown again.
   */
  webhook_auth_header?: string | undefined;
  /** A Discord webhook: one post for each demo. */
  discord_url?: string | undefined;
}

/** What a rule would do with a demo. */
export interface RuleTrial {
  /** Why it renders nothing. */
  mismatch: string | null;
  clips: readonly {
    request: {
      /**
       * Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with
       * several, `#` and a name chooses one.
       */
      demo_url?: string | undefined;
      /** Round mode: the player whose kills are shown. */
      steam64_id?: string | undefined;
      /** Round mode: the round to take, from 1. Without it, every round of the demo. */
      round?: number | undefined;
      /** Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one. */
      timeline?: readonly TimelineSegment[] | undefined;
    };
    /** Its shots and price; null if it cannot be made. */
    plan: Plan | null;
    /** Why it cannot be made. */
    problem: string | null;
  }[];
}

/** Which demos: those that fit each list. */
export interface RuleWhen {
  /** How the demo came. */
  sources?: readonly ("upload" | "ingest")[] | undefined;
  /** Its tag. */
  tags?: readonly string[] | undefined;
  /** Its map, such as `de_mirage`. */
  maps?: readonly string[] | undefined;
  /** Steam ids: one of these players, who are no bots. */
  players?: readonly string[] | undefined;
}

/** What to render. Exactly one of `steam64_id` (round mode) and `timeline` (timeline mode) is sent. */
export interface SubmitRequest {
  /**
   * Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with several,
   * `#` and a name chooses one.
   */
  demo_url: string;
  /** Round mode: the player whose kills are shown. */
  steam64_id?: string | undefined;
  /** Round mode: the round to take, from 1. Without it, every round of the demo. */
  round?: number | undefined;
  /** Round mode: seconds shown before each kill. Default: `3`. */
  pre_kill_padding?: number | undefined;
  /** Round mode: seconds shown after each kill. Default: `2`. */
  post_kill_padding?: number | undefined;
  /** Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one. */
  timeline?: readonly TimelineSegment[] | undefined;
  /** Round mode: whose view of a kill is shown: one, or one after the other. Default: `"killer"`. */
  pov?: "killer" | "victim" | "both" | undefined;
  /** Round mode: windows of a round with no larger gap stay in one shot. Default: `0`. */
  merge_gap?: number | undefined;
  /** Speed of the game around each kill: 1 is real time. */
  kill_slowdown?: number | undefined;
  /** Frames a second of the clip. Default: `30`. */
  fps?: number | undefined;
  /** Height of the picture in pixels; its width follows at 16:9. Default: `1080`. */
  resolution?: 1080 | 1440 | undefined;
  commands?: Commands | undefined;
  /**
   * Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across cuts.
   * Default: `false`.
   */
  hud_killfeed?: boolean | undefined;
  /** Draw the damage that the player deals beside the crosshair. Default: `false`. */
  hud_damage_ticker?: boolean | undefined;
  /**
   * What is laid over the thumbnail: `full` a headline, the player, the round and the killfeed; `killfeed` that
   * alone; `none` nothing. Default: `"full"`.
   */
  thumbnail_style?: "full" | "killfeed" | "none" | undefined;
  /** Laid over the top left; drawn pixel for pixel at 1080p. */
  watermark_image_id?: string | undefined;
  /** A picture of yours that is shown first. */
  intro_asset_id?: string | undefined;
  /** A picture of yours that is shown last. */
  outro_asset_id?: string | undefined;
  /** Show a card with the title of the clip before its first shot. Default: `false`. */
  title_card?: boolean | undefined;
  /** Length of each card: intro, title, outro. Default: `3`. */
  card_seconds?: number | undefined;
  /** Music of yours under the clip, cut to its length. */
  music_asset_id?: string | undefined;
  /** Names the job on your side: the same key never queues a second job. */
  idempotency_key?: string | undefined;
  /** With an `idempotency_key`: run its job again, with this request, if it has finished. Default: `false`. */
  force?: boolean | undefined;
  /**
   * If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view of
   * the match from above, which needs no game. That is after a final `demo_incompatible` or
   * `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
   * another time.
   */
  fallback?: "radar" | undefined;
  extras?: AnyJson | undefined;
  /** Where the outcome is posted. Without it, nothing is. */
  webhook_url?: string | undefined;
  /**
   * Sent as it is in the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within.
   * Needs a `webhook_url`; never shown again.
   */
  webhook_auth_header?: string | undefined;
}

/** A range of ticks, seen by one player. */
export interface TimelineSegment {
  /** The player through whose eyes the segment is seen. */
  steam64_id: string;
  /** Tick of the demo at which the segment begins. */
  start_tick: number;
  /** Tick at which it ends: 64 to 64000 ticks after `start_tick`. */
  end_tick: number;
  /** Speed of the game: 0.5 is slow motion, 2 is twice as fast. Default: `1`. */
  speed?: number | undefined;
}

/** A demo that is being uploaded, or was. */
export interface Upload {
  /** The upload. */
  id: string;
  /** For you to tell your demos apart; the service does not care. */
  name: string;
  /** Length of the file. */
  bytes: number;
  /** Of the file, in hexadecimal; null while it is still coming. */
  sha256: string | null;
  /** Whether a client or a game server sent it. */
  source: "upload" | "ingest";
  /** Your word for where the demo comes from. */
  tag: string | null;
  facts: UploadFacts | null;
  /** `open` until it was completed; only a `complete` one can be used. */
  state: "open" | "complete";
  /** What a job names as its `demo_url`. It opens for jobs of your account alone. */
  demo_url: string;
  /** When it was begun. */
  created_at: string;
  /** When the upload is removed. A request for the same upload, or a job that uses it, can postpone this. */
  expires_at: string;
  /** What is still to be sent, in any order. */
  parts: readonly MissingPart[];
}

/** What the game server says about the demo. */
export interface UploadFacts {
  /** The name of its file. */
  file_name?: string | undefined;
  /** The match. */
  match_id?: string | undefined;
  /** The map of the match. */
  map_number?: number | undefined;
  /** The last round. */
  round_number?: number | undefined;
}

/** A page of uploads, newest first. */
export interface UploadList {
  uploads: readonly UploadSummary[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** A demo, plain or compressed, that is about to be sent. */
export interface UploadRequest {
  /** For you to tell your demos apart; the service does not care. */
  name: string;
  /** Length of the file. */
  bytes: number;
  /** SHA-256 of the bytes, in lower-case hexadecimal. */
  sha256: string;
  /** Your word for where the demo comes from. */
  tag?: string | undefined;
  facts?: UploadFacts | undefined;
}

/** An upload without its parts. */
export interface UploadSummary {
  /** The upload. */
  id: string;
  /** For you to tell your demos apart; the service does not care. */
  name: string;
  /** Length of the file. */
  bytes: number;
  /** Of the file, in hexadecimal; null while it is still coming. */
  sha256: string | null;
  /** Whether a client or a game server sent it. */
  source: "upload" | "ingest";
  /** Your word for where the demo comes from. */
  tag: string | null;
  facts: UploadFacts | null;
  /** `open` until it was completed; only a `complete` one can be used. */
  state: "open" | "complete";
  /** What a job names as its `demo_url`. It opens for jobs of your account alone. */
  demo_url: string;
  /** When it was begun. */
  created_at: string;
  /** When the upload is removed. A request for the same upload, or a job that uses it, can postpone this. */
  expires_at: string;
}

/** What was rendered in a span of time. */
export interface Usage {
  /** Counted from here, inclusive. */
  from: string;
  /** Counted to here, exclusive. */
  to: string;
  usage: readonly UsageLine[];
}

/** Seconds rendered at one tier, resolution and frame rate. */
export interface UsageLine {
  /** The day (UTC) on which the clips were finished. */
  day?: string | undefined;
  /** Which key submitted. */
  tier: "metered" | "reserved";
  /** Height of the picture in pixels. */
  resolution: number;
  /** Frames a second. */
  fps: number;
  /** What made the clip: `cs2` is the game, `radar` draws a view from above; null where it is not known. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** Seconds of clip, each re-run counted. */
  rendered_seconds: number;
}

/** How your clips are shown. */
export interface Viewing {
  /**
   * Sites that may embed your clips and load their files, as `example.com` or `*.example.com`; an empty list for
   * none but this service, null for any.
   */
  embed_sites: readonly string[] | null;
  /** Whether the page of a clip shows how often it was watched. */
  show_views: boolean;
  /**
   * Whether the page of a clip shows others of its match and of its player. Who has the address of one then finds
   * more of them.
   */
  show_more: boolean;
}

/** What to change; the rest stays. */
export interface ViewingChanges {
  /**
   * Sites that may embed your clips and load their files, as `example.com` or `*.example.com`; an empty list for
   * none but this service, null for any.
   */
  embed_sites?: readonly string[] | null | undefined;
  /** Whether the page of a clip shows how often it was watched. */
  show_views?: boolean | undefined;
  /**
   * Whether the page of a clip shows others of its match and of its player. Who has the address of one then finds
   * more of them.
   */
  show_more?: boolean | undefined;
}

/** The outcome of a job. What does not apply is null, never absent. */
export interface WebhookEvent {
  /** Which outcome. */
  event: "job.completed" | "job.failed";
  /** The job. */
  job_id: string;
  /** The clip; null for a failed job. */
  clip_id: string | null;
  /** Page with the player alone, for an iframe. */
  clip_url: string | null;
  /** The MP4. */
  video_url: string | null;
  /** The JPEG. */
  thumbnail_url: string | null;
  /** Seconds; 0 where the length could not be read, null for a failed job. */
  clip_duration: number | null;
  /** `processed` with `job.completed`, else `error`. */
  status: "processed" | "error";
  /** Why the job failed; null for a completed one. */
  error_code: JobErrorCode | null;
  extras: AnyJson;
}

/** A secret that your webhooks are signed with. */
export interface WebhookSecret {
  /** The secret, for deleting it. */
  id: string;
  /** Its beginning and end, so that you can tell which one it is. */
  hint: string;
  /** When it was made. */
  created_at: string;
}

/** Your live secrets, oldest first. */
export interface WebhookSecretList {
  secrets: readonly WebhookSecret[];
}

/** A new secret. */
export interface WebhookSecretOnce {
  /** The secret, for deleting it. */
  id: string;
  /** Its beginning and end, so that you can tell which one it is. */
  hint: string;
  /** When it was made. */
  created_at: string;
  /** The secret itself, shown this once. */
  secret: string;
}

/** A webhook to try your receiver with. */
export interface WebhookTest {
  /** Where the test is posted. */
  webhook_url: string;
  /**
   * Sent as it is in the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within.
   * Needs a `webhook_url`; never shown again.
   */
  webhook_auth_header?: string | undefined;
  /** Which outcome it tells. Default: `"job.completed"`. */
  event?: "job.completed" | "job.failed" | undefined;
}

/** What became of it. */
export interface WebhookTested {
  /** As in `X-Service-Delivery-Id`. */
  delivery_id: string;
  /** Whether your receiver answered with a 2xx in time. */
  delivered: boolean;
  /** What it answered; null if it did not. */
  http_status: number | null;
  /** Why it does not count as delivered; null if it does. */
  error: string | null;
  /** How long the answer took. */
  duration_ms: number;
  /** Under how many of your secrets it was signed. */
  signatures: number;
}

/** The kinds of problems: `/docs/problems` of the service. */
export type ProblemCode = "account_suspended" | "body_too_large" | "clip_impossible" | "demo_not_inspected" | "forbidden" | "gone" | "internal" | "invalid_request" | "job_finished" | "job_in_flight" | "length_required" | "limit_reached" | "no_webhook" | "not_found" | "not_implemented" | "range_not_satisfiable" | "rate_limited" | "request_forgotten" | "request_timeout" | "site_not_allowed" | "too_many_deliveries" | "unauthorized" | "unavailable" | "unsupported_media_type" | "upload_incomplete" | (string & {});

export interface AccountOperations {
  /** Submit a render job. */
  submitClip: {
    body: SubmitRequest;
    answer: JobRef;
  };
  /** Submit many render jobs. */
  submitBatch: {
    body: BatchRequest;
    answer: BatchAnswer;
  };
  /** Plan a clip. */
  planClip: {
    body: SubmitRequest;
    answer: Plan;
  };
  /** List clips. */
  listClips: {
    query?: {
      /** Only what was created then or later. */
      created_from?: string | undefined;
      /** Only what was created before then. */
      created_to?: string | undefined;
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Only clips in this state. */
      state?: "ready" | "deleted" | undefined;
      /** Fields to add: any of `urls`, `expiry`, `renderer`, `removal`, separated by commas. */
      include?: string | undefined;
      /** `true` for clips that are kept for good, `false` for the others. */
      saved?: "true" | "false" | undefined;
    } | undefined;
    answer: ClipList;
  };
  /** Read a clip. */
  getClip: {
    params: {
      /** The clip. */
      id: string;
    };
    query?: {
      /** Fields to add: any of `urls`, `expiry`, `renderer`, `removal`, separated by commas. */
      include?: string | undefined;
    } | undefined;
    answer: Clip;
  };
  /** Keep a clip for good. */
  saveClip: {
    params: {
      /** The clip. */
      id: string;
    };
    answer: undefined;
  };
  /** Let a clip expire. */
  unsaveClip: {
    params: {
      /** The clip. */
      id: string;
    };
    answer: undefined;
  };
  /** Delete a clip's files. */
  deleteClip: {
    params: {
      /** The clip. */
      id: string;
    };
    answer: undefined;
  };
  /** Count the views of a clip. */
  getClipViews: {
    params: {
      /** The clip. */
      id: string;
    };
    answer: ClipViews;
  };
  /** List jobs. */
  listJobs: {
    query?: {
      /** Only what was created then or later. */
      created_from?: string | undefined;
      /** Only what was created before then. */
      created_to?: string | undefined;
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Only jobs in this state. */
      status?: "pending" | "prefetch" | "render" | "done" | "retrying" | "error" | undefined;
      /** Only jobs of this mode. */
      mode?: "round" | "timeline" | undefined;
    } | undefined;
    answer: JobList;
  };
  /** Read a job. */
  getJob: {
    params: {
      /** The job. */
      id: string;
    };
    query?: {
      /**
       * Fields to add: any of `diagnosis`, `attempts`, `progress`, `queue`, `renderer`, `rule`, `replay`, separated
       * by commas.
       */
      include?: string | undefined;
    } | undefined;
    answer: Job;
  };
  /** Follow a job. */
  watchJob: {
    params: {
      /** The job. */
      id: string;
    };
    query?: {
      /**
       * Fields to add: any of `diagnosis`, `attempts`, `progress`, `queue`, `renderer`, `rule`, `replay`, separated
       * by commas.
       */
      include?: string | undefined;
    } | undefined;
    event: JobNotice;
  };
  /** Cancel a job. */
  cancelJob: {
    params: {
      /** The job. */
      id: string;
    };
    answer: JobRef;
  };
  /** Run a job again. */
  resubmitJob: {
    params: {
      /** The job. */
      id: string;
    };
    answer: JobRef;
  };
  /** Send the outcome webhook again. */
  resendWebhook: {
    params: {
      /** The job. */
      id: string;
    };
    answer: DeliveryRef;
  };
  /** List a job's webhooks. */
  listDeliveries: {
    params: {
      /** The job. */
      id: string;
    };
    answer: DeliveryList;
  };
  /** Upload an image or music. */
  uploadAsset: {
    query: {
      /** What it is for. Each field of a submit that names an asset takes one kind. */
      kind: "watermark" | "intro" | "outro" | "music";
      name?: string | undefined;
    };
    body: Blob;
    answer: Asset;
  };
  /** List assets. */
  listAssets: {
    query?: {
      /** Only what was created then or later. */
      created_from?: string | undefined;
      /** Only what was created before then. */
      created_to?: string | undefined;
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
      kind?: "watermark" | "intro" | "outro" | "music" | undefined;
    } | undefined;
    answer: AssetList;
  };
  /** Read an asset. */
  getAsset: {
    params: {
      /** The asset. */
      id: string;
    };
    answer: Asset;
  };
  /** Delete an asset. */
  deleteAsset: {
    params: {
      /** The asset. */
      id: string;
    };
    answer: undefined;
  };
  /** Inspect a demo. */
  inspectDemo: {
    body: InspectRequest;
    answer: Demo;
  };
  /** Read what is in a demo. */
  getDemo: {
    params: {
      id: string;
    };
    query?: {
      /** Only kills with it, as `weapon` of a kill, such as `ak47`. */
      weapon?: string | undefined;
      /** Only headshots, or only others. */
      headshot?: "true" | "false" | undefined;
      /** Only kills of the player with this `steam64_id`. */
      victim?: string | undefined;
      /** Only this round. */
      round?: number | undefined;
      /** Only highlights of this kind, such as `ace`, and their kills. */
      kind?: string | undefined;
      /** Only players who start on this side, as `team` of a player. */
      team?: "T" | "CT" | undefined;
      /** Write one timeline of so many of these highlights, the best ones in the order of the match. */
      best_of?: number | undefined;
    } | undefined;
    answer: Demo;
  };
  /** Delete an inspection. */
  deleteDemo: {
    params: {
      id: string;
    };
    answer: undefined;
  };
  /** Send a demo from a game server. */
  ingestDemo: {
    query?: {
      tag?: string | undefined;
    } | undefined;
    body: Blob;
    answer: Upload;
  };
  /** Upload a demo. */
  createUpload: {
    body: UploadRequest;
    answer: Upload;
  };
  /** List uploads. */
  listUploads: {
    query?: {
      /** Only what was created then or later. */
      created_from?: string | undefined;
      /** Only what was created before then. */
      created_to?: string | undefined;
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
    } | undefined;
    answer: UploadList;
  };
  /** Read an upload. */
  getUpload: {
    params: {
      id: string;
    };
    answer: Upload;
  };
  /** Send a part. */
  sendUploadPart: {
    params: {
      id: string;
    };
    query: {
      /** Its place in the file, from 1. */
      part: number;
    };
    body: Blob;
    answer: undefined;
  };
  /** Complete an upload. */
  completeUpload: {
    params: {
      id: string;
    };
    answer: Upload;
  };
  /** Delete an upload. */
  deleteUpload: {
    params: {
      id: string;
    };
    answer: undefined;
  };
  /** Make a rule. */
  createRule: {
    body: RuleRequest;
    answer: Rule;
  };
  /** List rules. */
  listRules: {
    answer: {
      rules: readonly Rule[];
    };
  };
  /** Read a rule. */
  getRule: {
    params: {
      id: string;
    };
    answer: Rule;
  };
  /** Change a rule. */
  changeRule: {
    params: {
      id: string;
    };
    body: RuleChange;
    answer: Rule;
  };
  /** Delete a rule. */
  deleteRule: {
    params: {
      id: string;
    };
    answer: undefined;
  };
  /** Try a rule. */
  tryRule: {
    params: {
      id: string;
    };
    body: {
      /**
       * Where the demo lies: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. Of an archive with
       * several, `#` and a name chooses one.
       */
      demo_url: string;
    };
    answer: RuleTrial;
  };
  /** Count rendered seconds. */
  getUsage: {
    query?: {
      /** Count from the beginning of that day (UTC); without it, from the first. */
      from?: string | undefined;
      /**
       * Count until the end of the day before, or of that day (UTC) where it is not midnight; without it, until
       * now.
       */
      to?: string | undefined;
      /** Fields to add: any of `renderer`, `day`, separated by commas. */
      include?: string | undefined;
    } | undefined;
    answer: Usage;
  };
  /** Read how your clips are shown. */
  getViewing: {
    answer: Viewing;
  };
  /** Change how your clips are shown. */
  changeViewing: {
    body: ViewingChanges;
    answer: Viewing;
  };
  /** Follow all jobs. */
  watchEvents: {
    event: JobSummary;
  };
  /** List webhook secrets. */
  listWebhookSecrets: {
    answer: WebhookSecretList;
  };
  /** Create a webhook secret. */
  createWebhookSecret: {
    answer: WebhookSecretOnce;
  };
  /** Delete a webhook secret. */
  deleteWebhookSecret: {
    params: {
      /** The secret. */
      id: string;
    };
    answer: undefined;
  };
  /** Try a receiver. */
  testWebhook: {
    body: WebhookTest;
    answer: WebhookTested;
  };
  /** List your keys. */
  listOwnKeys: {
    query?: {
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
    } | undefined;
    answer: OwnKeyList;
  };
  /** Make a key. */
  createOwnKey: {
    body: NewKey;
    answer: KeyOnce;
  };
  /** Revoke a key. */
  revokeOwnKey: {
    params: {
      /** The key. */
      id: string;
    };
    query?: {
      /**
       * `true` revokes this key alone. Without it, the keys that it has made are revoked too, and those that these
       * have made.
       */
      keep_made?: "true" | "false" | undefined;
    } | undefined;
    answer: undefined;
  };
}

export const API_ROUTES = {
  submitClip: 'POST /api/clips',
  submitBatch: 'POST /api/clips/batch',
  planClip: 'POST /api/plan',
  listClips: 'GET /api/clips',
  getClip: 'GET /api/clips/:id',
  saveClip: 'POST /api/clips/:id/save',
  unsaveClip: 'POST /api/clips/:id/unsave',
  deleteClip: 'DELETE /api/clips/:id',
  getClipViews: 'GET /api/clips/:id/views',
  listJobs: 'GET /api/jobs',
  getJob: 'GET /api/jobs/:id',
  watchJob: 'GET /api/jobs/:id/events',
  cancelJob: 'POST /api/jobs/:id/cancel',
  resubmitJob: 'POST /api/jobs/:id/resubmit',
  resendWebhook: 'POST /api/jobs/:id/resend-webhook',
  listDeliveries: 'GET /api/jobs/:id/deliveries',
  uploadAsset: 'POST /api/assets',
  listAssets: 'GET /api/assets',
  getAsset: 'GET /api/assets/:id',
  deleteAsset: 'DELETE /api/assets/:id',
  inspectDemo: 'POST /api/demos',
  getDemo: 'GET /api/demos/:id',
  deleteDemo: 'DELETE /api/demos/:id',
  ingestDemo: 'POST /api/ingest',
  createUpload: 'POST /api/uploads',
  listUploads: 'GET /api/uploads',
  getUpload: 'GET /api/uploads/:id',
  sendUploadPart: 'PUT /api/uploads/:id/part',
  completeUpload: 'POST /api/uploads/:id/complete',
  deleteUpload: 'DELETE /api/uploads/:id',
  createRule: 'POST /api/rules',
  listRules: 'GET /api/rules',
  getRule: 'GET /api/rules/:id',
  changeRule: 'PATCH /api/rules/:id',
  deleteRule: 'DELETE /api/rules/:id',
  tryRule: 'POST /api/rules/:id/try',
  getUsage: 'GET /api/usage',
  getViewing: 'GET /api/viewing',
  changeViewing: 'PATCH /api/viewing',
  watchEvents: 'GET /api/events',
  listWebhookSecrets: 'GET /api/webhook-secrets',
  createWebhookSecret: 'POST /api/webhook-secrets',
  deleteWebhookSecret: 'DELETE /api/webhook-secrets/:id',
  testWebhook: 'POST /api/webhooks/test',
  listOwnKeys: 'GET /api/keys',
  createOwnKey: 'POST /api/keys',
  revokeOwnKey: 'DELETE /api/keys/:id',
} as const;

export const REPEATABLE: Readonly<Record<string, 'always' | 'by key'>> = {
  submitClip: 'by key',
  planClip: 'always',
  saveClip: 'always',
  unsaveClip: 'always',
  inspectDemo: 'always',
  ingestDemo: 'always',
  createUpload: 'always',
  completeUpload: 'always',
  tryRule: 'always',
};
