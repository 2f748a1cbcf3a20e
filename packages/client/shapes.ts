/* Written by `npm run openapi` out of the operations of the service. */

/** Any JSON value. The service returns it unchanged. */
export type AnyJson = unknown;

/** An uploaded image, or music. */
export interface Asset {
  /** Id of the asset, for the asset fields of a submit. */
  id: string;
  /** The use of the file. Each field of a submit that names an asset takes one kind. */
  kind: "watermark" | "intro" | "outro" | "music";
  /** The file name that was sent with the upload. Null for none. */
  name: string | null;
  /** The media type of the file. */
  content_type: "image/png" | "image/jpeg" | "image/webp" | "audio/wav" | "audio/mpeg" | "audio/flac" | "audio/ogg";
  /** Width in pixels. A watermark is drawn in this size at 1080p, and in proportion at 1440p. Null for music. */
  width: number | null;
  /** Height in pixels. Null for music. */
  height: number | null;
  /** Length of the music in seconds, as its file states. Null for an image. */
  seconds: number | null;
  /** Length of the file in bytes. */
  bytes: number;
  /** Time when the file was uploaded. */
  created_at: string;
}

/** A page of assets, newest first. */
export interface AssetList {
  assets: readonly Asset[];
  /** Value of `cursor` for the next page. Null on the last page. */
  next_cursor: string | null;
}

/** One attempt of a host to make the clip. */
export interface Attempt {
  /** The name that the operator gave the host. Null for unnamed hosts. */
  host: string | null;
  /**
   * The state of the attempt. `working` is under way. `handed_back`: the host was stopped, which costs the job no
   * attempt.
   */
  outcome: "working" | "completed" | "failed" | "handed_back" | "canceled";
  /** The phase that the attempt reached. */
  phase: "prefetch" | "render";
  /** The last step that the host reported. Null before that. */
  stage: "download" | "decompress" | "parse" | "capture" | "encode" | "thumbnail" | "upload" | null;
  /** Time when the host got the job. */
  started_at: string;
  /** Time when the attempt ended. Null while it is under way. */
  ended_at: string | null;
  /** The error code of the attempt. Null if it did not fail. */
  error_code: JobErrorCode | null;
  /** The cause and what you can do about it, in a sentence or two. */
  summary: string | null;
  /** Facts about the cause, for programs. Null if there are none. */
  facts: Facts | null;
  /** Whether another attempt may succeed without a change of the request. */
  retryable: boolean;
  /** Time of the next attempt. Null if there will be none. */
  retry_at: string | null;
}

/** The results of the submits, in the order of `clips`. */
export interface BatchAnswer {
  results: readonly BatchResult[];
}

/** Submits that share some of their fields. */
export interface BatchRequest {
  /** Fields of a `SubmitRequest` that apply to each submit which does not have the field itself. */
  defaults?: {
    [name: string]: unknown;
  } | undefined;
  /** The submits: each, with the defaults, a `SubmitRequest`. */
  clips: readonly {
    [name: string]: unknown;
  }[];
}

/** The result of one submit. */
export interface BatchResult {
  /** Position of the submit in `clips`, from 0. */
  index: number;
  /** HTTP status that `POST /api/clips` answers to the same submit, such as 201, 200 or 400. */
  status: number;
  /** Id of the job. Null if the submit was refused. */
  job_id: string | null;
  /** Whether the submit changed nothing, as `Idempotent-Replayed` says. */
  replayed: boolean;
  /** Whether the body differs from that of the existing job, as `Idempotency-Body-Differs` says. */
  body_differs: boolean;
  /** The reason why the submit was refused. Null if it was accepted. */
  problem: Problem | null;
}

/** A clip, with the included fields. */
export interface Clip {
  /** Id of the clip, as in its public addresses. It differs from the id of the job. */
  id: string;
  /** The state of the clip. `deleted` by you, by the operator, or because it expired. */
  state: "ready" | "deleted";
  /** Whether the clip is kept for good. Other clips expire. */
  is_saved: boolean;
  /** Title of the clip, made from the demo: what happens, who, and where. */
  title: string;
  /** Shorter side of the picture in pixels: its height at 16:9. */
  resolution: number;
  /** Frame rate in frames a second. */
  fps: number;
  /** The kind of key that submitted the job. */
  tier: "metered" | "reserved";
  /** Length of the clip in seconds. 0 if it could not be read. */
  duration_seconds: number;
  /** Size of the MP4 in bytes, as a string of decimal digits. */
  size: string;
  /** Id of the job that made the clip. */
  job_id: string | null;
  /** Time when the clip was first ready. */
  created_at: string;
  /** Public addresses of the clip. Those of a deleted clip show that it was deleted. */
  urls?: ClipUrls | undefined;
  /** Time when the clip is deleted, unless it is saved before. Null for saved and for deleted clips. */
  expires_at?: string | null | undefined;
  /** The program that drew the clip: `cs2` is the game, `radar` draws a view from above. Null if unknown. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** Width of the picture in pixels. */
  width?: number | undefined;
  /** Height of the picture in pixels. */
  height?: number | undefined;
  /** The removal by the operator. Null if there was none. */
  removal?: ClipRemoval | null | undefined;
}

/** A page of clips, newest first. */
export interface ClipList {
  clips: readonly Clip[];
  /** Value of `cursor` for the next page. Null on the last page. */
  next_cursor: string | null;
}

/** The removal of a clip by the operator. */
export interface ClipRemoval {
  /** Time of the removal, in UTC. */
  at: string;
  /** The reason that the operator gave. */
  reason: string;
}

/** The public addresses of a clip. */
export interface ClipUrls {
  /** Address of the page to share. */
  page: string;
  /** Address of the player alone, for an iframe. */
  embed: string;
  /** Address of the MP4 file. */
  video: string;
  /** Address of the JPEG file. */
  thumbnail: string;
}

/** The views of a clip, by day. */
export interface ClipViews {
  /** Id of the clip. */
  clip_id: string;
  /** The first day (UTC) that is still known. */
  since: string;
  /** Number of views since then. */
  total: number;
  /** Days with views, the oldest first. */
  days: readonly {
    /** The day in UTC. */
    date: string;
    /** Number of times that a player began to play the clip. */
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
  /** Id of the webhook, as in `X-Service-Delivery-Id`. */
  id: string;
  /** The kind of webhook: `job.completed` or `job.failed`. `discord` for the post of a rule. */
  event: string;
  /**
   * The state of the webhook. `queued` has another attempt, `delivered` was answered with a 2xx, `exhausted` has no
   * attempt left, `canceled` was replaced by a re-run, or is a post that has nothing to send.
   */
  status: "queued" | "delivered" | "exhausted" | "canceled";
  /** Address of the receiver. A Discord address is shown without its token. */
  url: string;
  /** Time when the webhook was created, by an outcome or a resend. */
  created_at: string;
  /** Time of the next attempt. Null unless `queued`. */
  next_attempt_at: string | null;
  /** Reason why the next attempt waits for a later hour: the budget that is used up. Absent without a wait. */
  wait_reason?: string | undefined;
  /** All attempts, oldest first. */
  attempts: readonly DeliveryAttempt[];
}

/** One attempt to deliver a webhook. */
export interface DeliveryAttempt {
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Time of the attempt, in UTC. */
  at: string;
  /** HTTP status of your receiver. Null if it did not answer. */
  http_status: number | null;
  /** The reason why the attempt does not count as delivered. Null if it does. */
  error: string | null;
}

/** The webhooks of a job, oldest first. */
export interface DeliveryList {
  deliveries: readonly Delivery[];
}

/** The new webhook of a resend. */
export interface DeliveryRef {
  /** Id of the new webhook, as in `X-Service-Delivery-Id`. */
  delivery_id: string;
}

/** The inspection of a demo. */
export interface Demo {
  /** Id of the demo. */
  id: string;
  /** Address of the demo, as it was sent. */
  demo_url: string;
  /** `pending` until a host has read it, then `ready`, or `error` if it cannot be read and never was. */
  state: "pending" | "ready" | "error";
  /** The error code of the last try. Null for none. While `pending`, another try follows. */
  error_code: JobErrorCode | null;
  /** The diagnosis of `error_code`. Null if that is null. */
  diagnosis: Diagnosis | null;
  /** Time when the inspection was requested. */
  created_at: string;
  /** Time when the inspection ended. Null before that. */
  finished_at: string | null;
  /** Time when the inspection is deleted. Null while `pending`. */
  expires_at: string | null;
  /**
   * Address of the page that plays the demo from above. Null while there is none. Absent unless `replay` was
   * requested.
   */
  replay_url?: string | null | undefined;
  /** The contents of the demo. Null before it was read. A demo that is read again keeps what was found before. */
  match: DemoMatch | null;
}

/** Damage in the file: only the ticks before it are read. Absent for a file without damage. */
export interface DemoDamage {
  /** The last tick before the damage. */
  tick: number;
  /** The damage of the file, in words. */
  reason: string;
}

/** A highlight: the actions of one player in one round. docs/rules.md lists the scores. */
export interface DemoHighlight {
  /** The most valuable of `kinds`, such as `ace` or `clutch_1v3`. */
  kind: string;
  /** All kinds of this highlight, the most valuable first. */
  kinds: readonly string[];
  /** Position of the player in `players`, from 0. */
  player: number;
  /** The round, as on the scoreboard. */
  round: number;
  /** First tick of the highlight, without padding. */
  start_tick: number;
  /** Last tick of the highlight. */
  end_tick: number;
  /** Value of the highlight: a higher score is more worth seeing. */
  score: number;
  /** The body of a submit that makes a clip of the highlight. */
  request: {
    /**
     * Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with
     * several demos, add `#` and the name of one.
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
  /** Tick of the kill. */
  tick: number;
  /** The round, as on the scoreboard. */
  round: number;
  /** Position of the player in `players`, from 0. */
  attacker: number;
  /** Position of the player in `players`, from 0. */
  victim: number;
  /** Position in `players` of the player who assisted. Null for nobody. */
  assister: number | null;
  /** The name of the weapon in the game, such as `ak47`. */
  weapon: string;
  headshot: boolean;
  wallbang: boolean;
  no_scope: boolean;
  through_smoke: boolean;
  attacker_blind: boolean;
  /** `true` if the kill decided the round for the side of the killer. */
  ends_round?: true | undefined;
}

/** The contents of a demo. */
export interface DemoMatch {
  /** The map, as the game names it. */
  map: string;
  /** The version of the game, such as 14160 for 1.41.6.0. Null if the demo lacks it. */
  game_patch: number | null;
  /** Build of the game that recorded the demo. Null if the demo lacks it. */
  build: number | null;
  /** Number of ticks a second. */
  tick_rate: number;
  /** The first tick that can be shown. */
  first_tick: number;
  /** The last tick that can be shown. */
  last_tick: number;
  /** Whether the recording ended properly. Clips can be made of an incomplete one, too. */
  is_complete: boolean;
  damage?: DemoDamage | undefined;
  /** Steam id of the player who recorded the demo, if only that player can be shown. Null if all can. */
  recorded_by: string | null;
  /**
   * The version of the program that read the demo; absent for the oldest. If there is a newer one, a request reads
   * the demo again.
   */
  reader?: number | undefined;
  /** Players in the order of the demo. */
  players: readonly DemoPlayer[];
  /** Rounds in the order of the match. */
  rounds: readonly DemoRound[];
  /**
   * Ticks that clips leave out, because the recording or the game paused. Absent if the host does not report
   * everything that the plan of a clip depends on.
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
    /** Number of rounds of the part that were decided. */
    rounds: number;
    /** The players of the part. */
    players: readonly number[];
  }[] | undefined;
  /** Names of the demos in the archive. Add `#` and a name to `demo_url` to choose one. */
  archive?: readonly string[] | undefined;
  /** Kills that count, in the order of the match. */
  kills: readonly DemoKill[];
  /** Number of kills that are not in `kills`, because there are too many. Absent if none is left out. */
  kills_left_out?: number | undefined;
  /** Highlights of the demo, best first. */
  highlights: readonly DemoHighlight[];
  /**
   * The body of a submit that shows the best highlights one after the other. Null if there is none. Absent without
   * `best_of` in the query.
   */
  best_of?: {
    /**
     * Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with
     * several demos, add `#` and the name of one.
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
  /** Steam id of the player, for `steam64_id` of a request. `0` for some bots. */
  steam64_id: string;
  /** The name of the player in the demo. */
  name: string;
  /** Whether the game plays this player. */
  is_bot: boolean;
  /** The side on which the player starts. Null for a player who was on none. */
  team: "T" | "CT" | null;
  /** Number of kills that count. */
  kills: number;
  /** Number of deaths in rounds that count. */
  deaths: number;
  /** Number of kills by round. Rounds without kills are left out. */
  kills_by_round: {
    [name: string]: number;
  };
}

/** A round of a demo. */
export interface DemoRound {
  /** The round, as on the scoreboard. */
  round: number;
  /** Tick at which the round begins. */
  start_tick: number;
  /** Tick at which the round is decided. Null if the demo lacks it. */
  end_tick: number | null;
  /** Tick at which the announcement of the win ends. Null if the demo lacks it. */
  official_end_tick?: number | null | undefined;
  /** The side that won the round. Null if the demo lacks it. */
  winner: "T" | "CT" | null;
  /** The reason why the round ended, such as `bomb_defused`. Null if the demo lacks it. */
  reason: string | null;
  /** The scoreboard after the round, by the side that each team plays. Null if the demo lacks it. */
  score: {
    T: number;
    CT: number;
  } | null;
}

/** The reason why the job is in `error` or `retrying`. */
export interface Diagnosis {
  /** The `error_code` of the job. */
  error_code: JobErrorCode;
  /** The cause and what you can do about it, in a sentence or two. */
  summary: string;
  /** Facts about the cause, for programs. Null if there are none. */
  facts: Facts | null;
  /** Whether another attempt may succeed without a change of the request. */
  retryable: boolean;
  /** Time of the next attempt. Null if there will be none. */
  retry_at: string | null;
  /** Address of the page on this code, with its causes and what to do. */
  docs_url: string;
}

/** A message of a webhook of FACEIT. */
export interface FaceitEvent {
  /** The kind of event. Any but `match_demo_ready` is ignored. */
  event: string;
  /** The match of `match_demo_ready`, with `id` and `demo_url`. */
  payload?: unknown | undefined;
  [name: string]: unknown;
}

/** Facts about a failure, for programs, as in `{"round_asked": 9, "rounds": [1, 2, 3]}`. */
export interface Facts {
  [name: string]: string | number | boolean | null | readonly (string | number | boolean | null)[];
}

/** A rule that the request breaks. */
export interface FieldError {
  /** The field, such as `timeline[2].end_tick`. Empty for the whole body. */
  path: string;
  /** The rule that the field breaks. */
  message: string;
}

/** A demo to inspect. */
export interface InspectRequest {
  /** Address of the demo, or the `demo_url` of one of your uploads. */
  demo_url: string;
  /**
   * Whether the demo can also be played from above, in a browser: `replay_url` then names the page. Whoever has
   * that address can open it.
   */
  replay?: boolean | undefined;
}

/** A render job, with the included fields. */
export interface Job {
  /** Id of the job. */
  id: string;
  status: JobStatus;
  /** Whether the job was submitted with a reserved key. */
  priority: boolean;
  /** Frame rate of the request. Null if none was sent, which means 30. */
  fps: number | null;
  /** Shorter side of the picture in pixels. */
  resolution: number;
  /** Id of the clip. Null until the job is `done`. */
  clip_id: string | null;
  /** The error code of the last attempt, while `retrying` or in `error`. Null otherwise. */
  error_code: JobErrorCode | null;
  /** Time when the job was submitted. */
  created_at: string;
  /** Time when the job finished. Null before that. */
  finished_at: string | null;
  payload: JobPayload;
  /** The diagnosis of a failure. Null if the job has not failed. */
  diagnosis?: Diagnosis | null | undefined;
  /** The latest attempts of this run, oldest first. */
  attempts?: readonly Attempt[] | undefined;
  progress?: Progress | undefined;
  /** The position in the queue. Null unless the job waits. */
  queue?: QueuePlace | null | undefined;
  /** The program that drew the clip: `cs2` is the game, `radar` draws a view from above. Null if unknown. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** Ids of the rule that made the job, and of its run. Null for a job of a client. */
  rule?: {
    id: string;
    run: string;
  } | null | undefined;
  /**
   * Address of the page that plays the ticks of the clip until the video is ready. Null if it was not published
   * (`POST /api/jobs/:id/replay`).
   */
  replay?: string | null | undefined;
}

/** The reason why a job failed. Treat an unknown code as a failure. */
export type JobErrorCode = "demo_url_rejected" | "demo_404" | "demo_incompatible" | "player_not_in_demo" | "pov_only" | "no_kills_found" | "segment_not_in_demo" | "clip_too_long" | "workshop_not_supported" | "demo_failed_parse" | "decompress_failed" | "download_timeout" | "download_error" | "cs2_unavailable" | "render_failed" | "upload_error" | "finalize_failed" | "canceled" | "clip_removed" | (string & {});

/** A page of jobs, newest first. */
export interface JobList {
  jobs: readonly JobSummary[];
  /** Value of `cursor` for the next page. Null on the last page. */
  next_cursor: string | null;
}

/** A change of a job that you follow. */
export interface JobNotice {
  status: JobStatus;
  /** Share of the whole job that is done, from 0 to 1. Null while no host works on it. */
  progress: number | null;
  /** Number of attempts since you last submitted or resubmitted the job. */
  attempt: number;
  /** The error code of the last attempt, while `retrying` or in `error`. Null otherwise. */
  error_code: JobErrorCode | null;
  /** The diagnosis of a failure. Null if the job has not failed. */
  diagnosis?: Diagnosis | null | undefined;
  /** The latest attempts of this run, oldest first. */
  attempts?: readonly Attempt[] | undefined;
  /** The position in the queue. Null unless the job waits. */
  queue?: QueuePlace | null | undefined;
  /** The program that drew the clip: `cs2` is the game, `radar` draws a view from above. Null if unknown. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** Ids of the rule that made the job, and of its run. Null for a job of a client. */
  rule?: {
    id: string;
    run: string;
  } | null | undefined;
  /**
   * Address of the page that plays the ticks of the clip until the video is ready. Null if it was not published
   * (`POST /api/jobs/:id/replay`).
   */
  replay?: string | null | undefined;
  /** The last step that the host reported. Null before that. */
  stage?: "download" | "decompress" | "parse" | "capture" | "encode" | "thumbnail" | "upload" | null | undefined;
  /** Time of the last heartbeat of the host. Null without a host. */
  heard_at?: string | null | undefined;
}

/** The stored request: the sent fields, without `force` and the auth header. */
export interface JobPayload {
  /** Address of the demo, as it was sent. Empty once the request is no longer kept. */
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
  /** Round mode: the player whose view of a kill is shown, or both, one after the other. Default: `"killer"`. */
  pov?: "killer" | "victim" | "both" | undefined;
  /** Round mode: windows of a round with no larger gap stay in one shot. Default: `0`. */
  merge_gap?: number | undefined;
  /** Speed of the game around each kill: 1 is real time. */
  kill_slowdown?: number | undefined;
  /** Frame rate of the clip in frames a second. Default: `30`. */
  fps?: number | undefined;
  /** Resolution of the request, or the default. */
  resolution: number;
  /**
   * Shape of the picture, width to height. Names and killfeed stay clear of the controls of phone apps. Default:
   * `"16:9"`.
   */
  aspect?: "16:9" | "9:16" | "1:1" | "4:5" | undefined;
  commands?: Commands | undefined;
  /**
   * Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across cuts.
   * Default: `false`.
   */
  hud_killfeed?: boolean | undefined;
  /** Draw the damage that the player deals beside the crosshair. Default: `false`. */
  hud_damage_ticker?: boolean | undefined;
  /**
   * The overlay of the thumbnail: `full` shows a headline, the player, the round and the killfeed; `killfeed` only
   * the killfeed; `none` nothing. Default: `"full"`.
   */
  thumbnail_style?: "full" | "killfeed" | "none" | undefined;
  /**
   * Tick of the demo that the thumbnail shows, instead of the best moment. In timeline mode it must be in a
   * segment. In round mode, the best moment is shown if no shot has it.
   */
  thumbnail_tick?: number | undefined;
  /**
   * `hide` replaces the names of players with `Player 1`, `Player 2` and so on, wherever the clip shows or names
   * them. An object gives names by Steam id, 1 to 32 characters each; other players are numbered. Default: `show`,
   * or `hide` if your account hides names.
   */
  names?: "show" | "hide" | {
    [name: string]: string;
  } | undefined;
  /** Image of yours for the top left corner of the safe area, drawn pixel for pixel at 1080. */
  watermark_image_id?: string | undefined;
  /** Image of yours that is shown first. */
  intro_asset_id?: string | undefined;
  /** Image of yours that is shown last. */
  outro_asset_id?: string | undefined;
  /** Show a card with the title of the clip before its first shot. Default: `false`. */
  title_card?: boolean | undefined;
  /** Length in seconds of each card: intro, title, outro. Default: `3`. */
  card_seconds?: number | undefined;
  /** Music of yours under the clip, cut to its length. */
  music_asset_id?: string | undefined;
  /** Idempotency key of the request. Null if none was sent. */
  idempotency_key: string | null;
  /**
   * Renderer of the clip. `cs2` is the game, through the player’s eyes. `radar` draws the match from above. Without
   * it, the default of your account, else of the service.
   */
  renderer?: "radar" | "cs2" | undefined;
  /**
   * If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view of
   * the match from above, which needs no game. That is after a final `demo_incompatible` or
   * `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
   * another time.
   */
  fallback?: "radar" | undefined;
  /** The value of `extras` as JSON text. Null if none was sent. */
  extras: string | null;
  /** Address to which the outcome is posted. Without it, no webhook is sent. */
  webhook_url?: string | undefined;
  [name: string]: unknown;
}

/** The id of a job. */
export interface JobRef {
  /** Id of the job. */
  job_id: string;
}

/** The replay of a job. */
export interface JobReplay {
  /** Id of the job. */
  job_id: string;
  /** Address of the page that plays the ticks of the clip, and the video when it is ready. */
  replay: string;
}

/**
 * `pending` waits for a render host, `prefetch` fetches the demo, `render` renders. `retrying` waits for the next
 * attempt after a temporary failure. `done` and `error` are the two outcomes.
 */
export type JobStatus = "pending" | "prefetch" | "render" | "done" | "retrying" | "error";

/** A job without its payload. */
export interface JobSummary {
  /** Id of the job. */
  id: string;
  status: JobStatus;
  /** Whether the job was submitted with a reserved key. */
  priority: boolean;
  /** Frame rate of the request. Null if none was sent, which means 30. */
  fps: number | null;
  /** Shorter side of the picture in pixels. */
  resolution: number;
  /** Id of the clip. Null until the job is `done`. */
  clip_id: string | null;
  /** The error code of the last attempt, while `retrying` or in `error`. Null otherwise. */
  error_code: JobErrorCode | null;
  /** Time when the job was submitted. */
  created_at: string;
  /** Time when the job finished. Null before that. */
  finished_at: string | null;
  /** The way in which the moments of the clip were chosen. */
  mode: "round" | "timeline";
}

/** A new API key. */
export interface KeyOnce {
  /** Id of the key, for revoking it. */
  key_id: string;
  /** `metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing. */
  kind: "metered" | "reserved" | "test";
  /** The name that people see in lists. Null for none. */
  name: string | null;
  /**
   * `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
   * submits jobs; `manage` does everything, such as deleting clips.
   */
  scope: "ingest" | "read" | "submit" | "manage";
  /** The key itself. It is shown only once. */
  key: string;
  /** Time when the key expires. Null for never. */
  expires_at: string | null;
  /** Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left out. */
  ingest_limits: {
    /** MiB of demos sent a day, at most. */
    mib?: number | undefined;
    /** Demos sent a day, at most. */
    demos?: number | undefined;
    /** Clips that rules make of its demos a day, at most. */
    clips?: number | undefined;
  } | null;
  /** Time of creation, in UTC. */
  created_at: string;
}

/** A part of the file that has not arrived. */
export interface MissingPart {
  /** Number of the part, from 1. */
  part: number;
  /** Position of the first byte of the part in the file. */
  offset: number;
  /** Length of the part in bytes. */
  bytes: number;
  /** Address to which you `PUT` these bytes of the file. */
  url: string;
}

/** An API key to make. */
export interface NewKey {
  /** `metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing. */
  kind: "metered" | "reserved" | "test";
  /** The name that people see in lists. */
  name?: string | undefined;
  /**
   * `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
   * submits jobs; `manage` does everything, such as deleting clips. Default: `"manage"`.
   */
  scope?: "ingest" | "read" | "submit" | "manage" | undefined;
  /**
   * Time when the key expires. Without it, a key of the operator never expires, and a key that a key makes expires
   * with that key.
   */
  expires_at?: string | undefined;
  /** Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left out. */
  ingest_limits?: {
    /** MiB of demos sent a day, at most. */
    mib?: number | undefined;
    /** Demos sent a day, at most. */
    demos?: number | undefined;
    /** Clips that rules make of its demos a day, at most. */
    clips?: number | undefined;
  } | undefined;
}

/** An API key of your account, without its secret. */
export interface OwnKey {
  /** Id of the key, for revoking it. */
  key_id: string;
  /** `metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing. */
  kind: "metered" | "reserved" | "test";
  /** The name that people see in lists. Null for none. */
  name: string | null;
  /**
   * `ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and
   * submits jobs; `manage` does everything, such as deleting clips.
   */
  scope: "ingest" | "read" | "submit" | "manage";
  /** The first and last characters of the key. */
  hint: string;
  /** Time when the key expires. Null for never. */
  expires_at: string | null;
  /** Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left out. */
  ingest_limits: {
    /** MiB of demos sent a day, at most. */
    mib?: number | undefined;
    /** Demos sent a day, at most. */
    demos?: number | undefined;
    /** Clips that rules make of its demos a day, at most. */
    clips?: number | undefined;
  } | null;
  /** Time of the last use, to the hour. Null before the first use. */
  last_used: string | null;
  /** Id of the key that made this key. Null if the operator made it. */
  made_by: string | null;
  /** Time of creation, in UTC. */
  created_at: string;
  /** Time of revocation. Null while it is valid. */
  revoked_at: string | null;
  /** Whether it is the key of this request. */
  is_this: boolean;
}

/** A page of your keys, the oldest first, the revoked ones too. */
export interface OwnKeyList {
  keys: readonly OwnKey[];
  /** Value of `cursor` for the next page. Null on the last page. */
  next_cursor: string | null;
}

/** The shots of the clip that this request would make. */
export interface Plan {
  /** Length of the clip in seconds. */
  seconds: number;
  /**
   * Whether the clip may differ, because the host that inspected the demo did not report gaps and win
   * announcements.
   */
  is_estimate: boolean;
  /** Shots in the order of the clip. */
  shots: readonly PlanShot[];
  /** The renderer of the clip. With a `fallback`, the one that is tried first. */
  renderer: "radar" | "cs2";
  /** Whether a render host that can make the clip is online. Absent if that is not known. */
  host_online?: boolean | undefined;
  /** Cards in the order of the clip. Absent if there are none. */
  cards?: readonly PlanCard[] | undefined;
  /** The price of one successful run. Absent for a reserved key, and if the operator has set no price for it. */
  price?: {
    /** Price in `currency`, rounded to four decimals. */
    amount: number;
    /** ISO 4217 code of the currency. */
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
  /** Steam id of the player that the shot follows. */
  steam64_id: string;
  /** Steam id of the player whose kills the shot shows. Absent if it is the followed player. */
  subject_steam64_id?: string | undefined;
  /** Number of the round in which the shot begins. Null before the first round. */
  round: number | null;
  /** First tick of the shot. */
  start_tick: number;
  /** The tick after the last of the shot. */
  end_tick: number;
  /** Length of the shot in the clip, in seconds. */
  seconds: number;
  /** The lowest speed of the game in the shot. Absent if it is 1. */
  speed?: number | undefined;
  /** Ticks of the kills in the shot that count, by the player whose kills it shows. */
  kill_ticks: readonly number[];
}

/** The body of every error answer (RFC 9457). */
export interface Problem {
  /** The kind of problem, as the URL that explains it. */
  type: string;
  /** The title of this kind of problem, always the same. */
  title: string;
  /** HTTP status of the answer. */
  status: number;
  /** The cause of the problem this time. */
  detail: string;
  /** The same text as `detail`, for clients that read `error`. */
  error: string;
  /** Id of the request, as in `X-Request-Id`. Include it when you ask for help. */
  request_id: string;
  /**
   * The code with which a job of this plan would fail, or with which its demo could not be read. Only in answers of
   * a plan, and to hosts.
   */
  error_code?: JobErrorCode | undefined;
  /** Facts about the failure that `error_code` names. Only in answers to hosts. */
  facts?: {
    [name: string]: unknown;
  } | undefined;
  /** Every rule that an invalid request breaks. */
  errors?: readonly FieldError[] | undefined;
}

/** The progress of the job. */
export interface Progress {
  phase: JobStatus;
  /** The last step that the host reported. Null before that. */
  stage: "download" | "decompress" | "parse" | "capture" | "encode" | "thumbnail" | "upload" | null;
  /** Share of the whole job that is done, from 0 to 1. Null while no host works on it. */
  progress: number | null;
  /** Time of the last heartbeat of the host. Null without a host. */
  heard_at: string | null;
}

/** The reason why a job waits, and its position in the queue. */
export interface QueuePlace {
  /** Position in the queue, from 1. Null beyond about 1,000 and for jobs outside of the queue. */
  position: number | null;
  /** Estimated seconds until a host takes the job, at the pace of the last minutes. Null if there is no estimate. */
  estimate_s: number | null;
  /** The renderer that the job waits for. Null for any. */
  renderer: "radar" | "cs2" | null;
  /** The reason as a code, such as `hosts_busy`. New codes may be added. */
  reason: string;
  /** The reason in a sentence. */
  text: string;
  /** Number of hosts that can render the job. */
  hosts: number;
  /** Time when the reason ends. Null if it is not known. */
  until: string | null;
}

/** A rule that renders clips of new demos. */
export interface Rule {
  /** Id of the rule. */
  id: string;
  /** The name that people see in lists. */
  name: string;
  /** Whether the rule applies to new demos. */
  enabled: boolean;
  when: RuleWhen;
  render: RuleRender;
  options: RuleOptions;
  /** The receivers of the outcome, without secrets. */
  send: {
    /** Address to which the outcome is posted. Without it, no webhook is sent. */
    webhook_url?: string | undefined;
    /** Address of a Discord webhook. It gets one post for each demo. */
    discord_url?: string | undefined;
  };
  budget: RuleBudget;
  /** The share of the budget that was used today (UTC). */
  used: {
    demos_a_day: number;
    clips_a_day: number;
  };
  /** The reason why the service has disabled the rule, whose runs wait meanwhile. Null while it has not. */
  paused: {
    at: string;
    reason: string;
  } | null;
  /** Number of failed runs in a row. Five pause the rule. */
  failures: number;
  /** The key with which the rule submits jobs. */
  made_by: {
    key_id: string;
    name: string | null;
  };
  /** Time when the rule was created. */
  created_at: string;
  /** The latest run of the rule. Null before the first. */
  last_run: RuleRun | null;
  /** The latest 20 runs of the rule. Absent in lists. */
  runs?: readonly RuleRun[] | undefined;
}

/** Limits for the demos of a day (UTC). By default 20 and 50. */
export interface RuleBudget {
  /** Maximum number of demos whose match is read. */
  demos_a_day: number;
  /** Maximum number of clips that are rendered. */
  clips_a_day: number;
}

/** Changes of a rule. A field that is sent replaces the whole field. */
export interface RuleChange {
  /** The name that people see in lists. */
  name?: string | undefined;
  /** Whether the rule applies to new demos. */
  enabled?: boolean | undefined;
  when?: RuleWhen | undefined;
  render?: RuleRender | undefined;
  options?: RuleOptions | undefined;
  send?: RuleSend | undefined;
  budget?: RuleBudget | undefined;
}

/** The webhook of a rule run that made no job. */
export interface RuleEnded {
  /** Id of the upload with the demo. */
  upload_id: string;
  /** The event: a rule run has ended. */
  event: "rule.ended";
  /** Id of the rule. */
  rule_id: string;
  /** Id of the run for this demo. */
  run_id: string;
  /** The state in which the run ended. */
  state: "failed" | "skipped";
  /** The reason why the run made no clip. */
  detail: string | null;
}

/** Fields of `SubmitRequest` that apply to each clip. */
export interface RuleOptions {
  /** Round mode: seconds shown before each kill. Default: `3`. */
  pre_kill_padding?: number | undefined;
  /** Round mode: seconds shown after each kill. Default: `2`. */
  post_kill_padding?: number | undefined;
  /** Round mode: the player whose view of a kill is shown, or both, one after the other. Default: `"killer"`. */
  pov?: "killer" | "victim" | "both" | undefined;
  /** Round mode: windows of a round with no larger gap stay in one shot. Default: `0`. */
  merge_gap?: number | undefined;
  /** Speed of the game around each kill: 1 is real time. */
  kill_slowdown?: number | undefined;
  /** Frame rate of the clip in frames a second. Default: `30`. */
  fps?: number | undefined;
  /** Shorter side of the picture in pixels: its height at 16:9. Default: `1080`. */
  resolution?: 1080 | 1440 | undefined;
  /**
   * Shape of the picture, width to height. Names and killfeed stay clear of the controls of phone apps. Default:
   * `"16:9"`.
   */
  aspect?: "16:9" | "9:16" | "1:1" | "4:5" | undefined;
  commands?: Commands | undefined;
  /**
   * Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across cuts.
   * Default: `false`.
   */
  hud_killfeed?: boolean | undefined;
  /** Draw the damage that the player deals beside the crosshair. Default: `false`. */
  hud_damage_ticker?: boolean | undefined;
  /**
   * The overlay of the thumbnail: `full` shows a headline, the player, the round and the killfeed; `killfeed` only
   * the killfeed; `none` nothing. Default: `"full"`.
   */
  thumbnail_style?: "full" | "killfeed" | "none" | undefined;
  /**
   * `hide` replaces the names of players with `Player 1`, `Player 2` and so on, wherever the clip shows or names
   * them. An object gives names by Steam id, 1 to 32 characters each; other players are numbered. Default: `show`,
   * or `hide` if your account hides names.
   */
  names?: "show" | "hide" | {
    [name: string]: string;
  } | undefined;
  /** Image of yours for the top left corner of the safe area, drawn pixel for pixel at 1080. */
  watermark_image_id?: string | undefined;
  /** Image of yours that is shown first. */
  intro_asset_id?: string | undefined;
  /** Image of yours that is shown last. */
  outro_asset_id?: string | undefined;
  /** Show a card with the title of the clip before its first shot. Default: `false`. */
  title_card?: boolean | undefined;
  /** Length in seconds of each card: intro, title, outro. Default: `3`. */
  card_seconds?: number | undefined;
  /** Music of yours under the clip, cut to its length. */
  music_asset_id?: string | undefined;
  /**
   * Renderer of the clip. `cs2` is the game, through the player’s eyes. `radar` draws the match from above. Without
   * it, the default of your account, else of the service.
   */
  renderer?: "radar" | "cs2" | undefined;
  /**
   * If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view of
   * the match from above, which needs no game. That is after a final `demo_incompatible` or
   * `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
   * another time.
   */
  fallback?: "radar" | undefined;
}

/** The moments that become clips. */
export interface RuleRender {
  /**
   * `highlights`: the best moments. `kills`: all kills of a player, one clip for each player. `best_of_each`: the
   * best moment of each player.
   */
  what: "highlights" | "kills" | "best_of_each";
  /** Maximum number of clips of a demo. By default 3 with `highlights`, else 10. */
  limit?: number | undefined;
  /** Kinds of highlights, such as `ace`. Not allowed with `kills`. */
  kinds?: readonly string[] | undefined;
  /** Steam ids of players, of whom one must match. Bots do not count. */
  players?: readonly string[] | undefined;
  /** The side on which a player starts. */
  team?: "T" | "CT" | undefined;
}

/** A rule that renders clips of new demos. */
export interface RuleRequest {
  /** The name that people see in lists. */
  name: string;
  /** Whether the rule applies to new demos. */
  enabled?: boolean | undefined;
  when?: RuleWhen | undefined;
  render: RuleRender;
  options?: RuleOptions | undefined;
  send?: RuleSend | undefined;
  budget?: RuleBudget | undefined;
}

/** The run of a rule for one demo. */
export interface RuleRun {
  id: string;
  /** The state of the run. `failed`: no clip was made. `skipped`: none was submitted. */
  state: "waiting" | "submitting" | "running" | "done" | "failed" | "skipped";
  /** Id of the upload with the demo. */
  upload_id: string;
  /** Number of clips that the run makes. */
  clips: number;
  /** The reason why the run waits, or why it makes no clips, or fewer. Null for none. */
  detail: string | null;
  jobs: readonly {
    /** Id of the job. */
    id: string;
    status: JobStatus;
    /** The error code of the last attempt, while `retrying` or in `error`. Null otherwise. */
    error_code: JobErrorCode | null;
  }[];
  /** Time when the demo arrived, or the run began anew. */
  created_at: string;
  ended_at: string | null;
}

/** The receivers of the outcome. */
export interface RuleSend {
  /** Address to which the outcome is posted. Without it, no webhook is sent. */
  webhook_url?: string | undefined;
  /**
   * Value of the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within. Needs a
   * `webhook_url`, and is never shown again.
   */
  webhook_auth_header?: string | undefined;
  /** Address of a Discord webhook. It gets one post for each demo. */
  discord_url?: string | undefined;
}

/** The clips that a rule would make of a demo. */
export interface RuleTrial {
  /** The reason why the rule does not apply to the demo. Null if it does. */
  mismatch: string | null;
  clips: readonly {
    request: {
      /**
       * Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with
       * several demos, add `#` and the name of one.
       */
      demo_url?: string | undefined;
      /** Round mode: the player whose kills are shown. */
      steam64_id?: string | undefined;
      /** Round mode: the round to take, from 1. Without it, every round of the demo. */
      round?: number | undefined;
      /** Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one. */
      timeline?: readonly TimelineSegment[] | undefined;
    };
    /** Shots and price of the clip. Null if it cannot be made. */
    plan: Plan | null;
    /** The reason why the clip cannot be made. Null if it can. */
    problem: string | null;
  }[];
}

/** The demos that a rule applies to: they must match each list. */
export interface RuleWhen {
  /** The ways in which the demo may arrive. */
  sources?: readonly ("upload" | "ingest" | "faceit")[] | undefined;
  /** Tags that the demo may have. */
  tags?: readonly string[] | undefined;
  /** Maps of the demo, such as `de_mirage`. */
  maps?: readonly string[] | undefined;
  /** Steam ids of players, of whom one must match. Bots do not count. */
  players?: readonly string[] | undefined;
}

/** A clip to render. Send exactly one of `steam64_id` (round mode) and `timeline` (timeline mode). */
export interface SubmitRequest {
  /**
   * Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with several
   * demos, add `#` and the name of one.
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
  /** Round mode: the player whose view of a kill is shown, or both, one after the other. Default: `"killer"`. */
  pov?: "killer" | "victim" | "both" | undefined;
  /** Round mode: windows of a round with no larger gap stay in one shot. Default: `0`. */
  merge_gap?: number | undefined;
  /** Speed of the game around each kill: 1 is real time. */
  kill_slowdown?: number | undefined;
  /** Frame rate of the clip in frames a second. Default: `30`. */
  fps?: number | undefined;
  /** Shorter side of the picture in pixels: its height at 16:9. Default: `1080`. */
  resolution?: 1080 | 1440 | undefined;
  /**
   * Shape of the picture, width to height. Names and killfeed stay clear of the controls of phone apps. Default:
   * `"16:9"`.
   */
  aspect?: "16:9" | "9:16" | "1:1" | "4:5" | undefined;
  commands?: Commands | undefined;
  /**
   * Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across cuts.
   * Default: `false`.
   */
  hud_killfeed?: boolean | undefined;
  /** Draw the damage that the player deals beside the crosshair. Default: `false`. */
  hud_damage_ticker?: boolean | undefined;
  /**
   * The overlay of the thumbnail: `full` shows a headline, the player, the round and the killfeed; `killfeed` only
   * the killfeed; `none` nothing. Default: `"full"`.
   */
  thumbnail_style?: "full" | "killfeed" | "none" | undefined;
  /**
   * Tick of the demo that the thumbnail shows, instead of the best moment. In timeline mode it must be in a
   * segment. In round mode, the best moment is shown if no shot has it.
   */
  thumbnail_tick?: number | undefined;
  /**
   * `hide` replaces the names of players with `Player 1`, `Player 2` and so on, wherever the clip shows or names
   * them. An object gives names by Steam id, 1 to 32 characters each; other players are numbered. Default: `show`,
   * or `hide` if your account hides names.
   */
  names?: "show" | "hide" | {
    [name: string]: string;
  } | undefined;
  /** Image of yours for the top left corner of the safe area, drawn pixel for pixel at 1080. */
  watermark_image_id?: string | undefined;
  /** Image of yours that is shown first. */
  intro_asset_id?: string | undefined;
  /** Image of yours that is shown last. */
  outro_asset_id?: string | undefined;
  /** Show a card with the title of the clip before its first shot. Default: `false`. */
  title_card?: boolean | undefined;
  /** Length in seconds of each card: intro, title, outro. Default: `3`. */
  card_seconds?: number | undefined;
  /** Music of yours under the clip, cut to its length. */
  music_asset_id?: string | undefined;
  /** Your name for the job. The same key never queues a second job. */
  idempotency_key?: string | undefined;
  /** Whether to run an existing, finished job of the `idempotency_key` again, with this request. Default: `false`. */
  force?: boolean | undefined;
  /**
   * Renderer of the clip. `cs2` is the game, through the player’s eyes. `radar` draws the match from above. Without
   * it, the default of your account, else of the service.
   */
  renderer?: "radar" | "cs2" | undefined;
  /**
   * If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view of
   * the match from above, which needs no game. That is after a final `demo_incompatible` or
   * `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set
   * another time.
   */
  fallback?: "radar" | undefined;
  extras?: AnyJson | undefined;
  /** Address to which the outcome is posted. Without it, no webhook is sent. */
  webhook_url?: string | undefined;
  /**
   * Value of the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within. Needs a
   * `webhook_url`, and is never shown again.
   */
  webhook_auth_header?: string | undefined;
}

/** A range of ticks, seen by one player. */
export interface TimelineSegment {
  /** The player through whose eyes the segment is seen. */
  steam64_id: string;
  /** Tick of the demo at which the segment begins. */
  start_tick: number;
  /** Tick at which the segment ends: 64 to 64000 ticks after `start_tick`. */
  end_tick: number;
  /** Speed of the game: 0.5 is slow motion, 2 is twice as fast. Default: `1`. */
  speed?: number | undefined;
}

/** A demo that is being uploaded, or was. */
export interface Upload {
  /** Id of the upload. */
  id: string;
  /** Your name for the demo. The service does not use it. */
  name: string;
  /** Length of the file in bytes; 0 for a file of FACEIT, which is not stored. */
  bytes: number;
  /** SHA-256 of the file, in lower-case hexadecimal. Null until all of it has arrived, and for a file of FACEIT. */
  sha256: string | null;
  /** Whether a client, a game server or FACEIT sent it. */
  source: "upload" | "ingest" | "faceit";
  /** Your word for the origin of the demo. */
  tag: string | null;
  facts: UploadFacts | null;
  /** The state of the upload: `open` until it is completed. Only a `complete` upload can be used. */
  state: "open" | "complete";
  /** Address of the uploaded demo, for `demo_url` of a job. Only jobs of your account can use it. */
  demo_url: string;
  /** Time when the upload began. */
  created_at: string;
  /** Time when the upload is deleted. A request for the same upload, or a job that uses it, can postpone this. */
  expires_at: string;
  /** Parts that are still to be sent, in any order. */
  parts: readonly MissingPart[];
}

/** Facts about the demo, from the game server. */
export interface UploadFacts {
  /** The name of the demo file. */
  file_name?: string | undefined;
  /** Id of the match on the game server. */
  match_id?: string | undefined;
  /** Number of the map in the match, from 0. */
  map_number?: number | undefined;
  /** Number of the last round. */
  round_number?: number | undefined;
}

/** A page of uploads, newest first. */
export interface UploadList {
  uploads: readonly UploadSummary[];
  /** Value of `cursor` for the next page. Null on the last page. */
  next_cursor: string | null;
}

/** A demo, plain or compressed, that is about to be sent. */
export interface UploadRequest {
  /** Your name for the demo. The service does not use it. */
  name: string;
  /** Length of the file in bytes. */
  bytes: number;
  /** SHA-256 of the bytes, in lower-case hexadecimal. */
  sha256: string;
  /** Your word for the origin of the demo. */
  tag?: string | undefined;
  facts?: UploadFacts | undefined;
}

/** An upload without its parts. */
export interface UploadSummary {
  /** Id of the upload. */
  id: string;
  /** Your name for the demo. The service does not use it. */
  name: string;
  /** Length of the file in bytes; 0 for a file of FACEIT, which is not stored. */
  bytes: number;
  /** SHA-256 of the file, in lower-case hexadecimal. Null until all of it has arrived, and for a file of FACEIT. */
  sha256: string | null;
  /** Whether a client, a game server or FACEIT sent it. */
  source: "upload" | "ingest" | "faceit";
  /** Your word for the origin of the demo. */
  tag: string | null;
  facts: UploadFacts | null;
  /** The state of the upload: `open` until it is completed. Only a `complete` upload can be used. */
  state: "open" | "complete";
  /** Address of the uploaded demo, for `demo_url` of a job. Only jobs of your account can use it. */
  demo_url: string;
  /** Time when the upload began. */
  created_at: string;
  /** Time when the upload is deleted. A request for the same upload, or a job that uses it, can postpone this. */
  expires_at: string;
}

/** The seconds of clip that were rendered in a span of time. */
export interface Usage {
  /** Start of the count, inclusive. */
  from: string;
  /** End of the count, exclusive. */
  to: string;
  usage: readonly UsageLine[];
}

/** Seconds rendered at one tier, resolution and frame rate. */
export interface UsageLine {
  /** The day (UTC) on which the clips were finished. */
  day?: string | undefined;
  /** The kind of key that submitted the jobs. */
  tier: "metered" | "reserved";
  /** Shorter side of the picture in pixels. */
  resolution: number;
  /** Frame rate in frames a second. */
  fps: number;
  /** The program that drew the clip: `cs2` is the game, `radar` draws a view from above. Null if unknown. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** Seconds of clip. Each re-run counts. */
  rendered_seconds: number;
}

/** Settings for the pages of your clips. */
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
  /** Whether new requests without `names` hide the names of players, as `names: "hide"` does. */
  hide_names: boolean;
}

/** Fields to change. Fields that are left out keep their values. */
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
  /** Whether new requests without `names` hide the names of players, as `names: "hide"` does. */
  hide_names?: boolean | undefined;
}

/** The outcome of a job. Fields that do not apply are null, never absent. */
export interface WebhookEvent {
  /** The outcome of the job. */
  event: "job.completed" | "job.failed";
  /** Id of the job. */
  job_id: string;
  /** Id of the clip. Null for a failed job. */
  clip_id: string | null;
  /** Address of the player alone, for an iframe. Null for a failed job. */
  clip_url: string | null;
  /** Address of the MP4 file. Null for a failed job. */
  video_url: string | null;
  /** Address of the JPEG file. Null for a failed job. */
  thumbnail_url: string | null;
  /** Length of the clip in seconds. 0 if it could not be read. Null for a failed job. */
  clip_duration: number | null;
  /** `processed` with `job.completed`, else `error`. */
  status: "processed" | "error";
  /** The error code of a failed job. Null for a completed one. */
  error_code: JobErrorCode | null;
  extras: AnyJson;
}

/** A secret that your webhooks are signed with. */
export interface WebhookSecret {
  /** Id of the secret, for deleting it. */
  id: string;
  /** The first and last characters of the secret. */
  hint: string;
  /** Time when the secret was made. */
  created_at: string;
}

/** Your live secrets, oldest first. */
export interface WebhookSecretList {
  secrets: readonly WebhookSecret[];
}

/** A new secret for webhooks. */
export interface WebhookSecretOnce {
  /** Id of the secret, for deleting it. */
  id: string;
  /** The first and last characters of the secret. */
  hint: string;
  /** Time when the secret was made. */
  created_at: string;
  /** The secret itself. It is shown only once. */
  secret: string;
}

/** A webhook to try your receiver with. */
export interface WebhookTest {
  /** Address to which the test is posted. */
  webhook_url: string;
  /**
   * Value of the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within. Needs a
   * `webhook_url`, and is never shown again.
   */
  webhook_auth_header?: string | undefined;
  /** The outcome that the test reports. Default: `"job.completed"`. */
  event?: "job.completed" | "job.failed" | undefined;
}

/** The result of a test webhook. */
export interface WebhookTested {
  /** Id of the webhook, as in `X-Service-Delivery-Id`. */
  delivery_id: string;
  /** Whether your receiver answered with a 2xx in time. */
  delivered: boolean;
  /** HTTP status of your receiver. Null if it did not answer. */
  http_status: number | null;
  /** The reason why the test does not count as delivered. Null if it does. */
  error: string | null;
  /** Milliseconds until the answer came. */
  duration_ms: number;
  /** Number of your secrets with which the test was signed. */
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
      /** Return only items created at this time or later. */
      created_from?: string | undefined;
      /** Return only items created before this time. */
      created_to?: string | undefined;
      /** Maximum number of items to return. */
      limit?: number | undefined;
      /** The `next_cursor` of the previous page. */
      cursor?: string | undefined;
      /** Return only clips in this state. */
      state?: "ready" | "deleted" | undefined;
      /** Fields to add: any of `urls`, `expiry`, `renderer`, `removal`, `picture`, separated by commas. */
      include?: string | undefined;
      /** Return only clips that are kept for good (`true`), or only others (`false`). */
      saved?: "true" | "false" | undefined;
    } | undefined;
    answer: ClipList;
  };
  /** Read a clip. */
  getClip: {
    params: {
      /** Id of the clip. */
      id: string;
    };
    query?: {
      /** Fields to add: any of `urls`, `expiry`, `renderer`, `removal`, `picture`, separated by commas. */
      include?: string | undefined;
    } | undefined;
    answer: Clip;
  };
  /** Keep a clip for good. */
  saveClip: {
    params: {
      /** Id of the clip. */
      id: string;
    };
    answer: undefined;
  };
  /** Let a clip expire. */
  unsaveClip: {
    params: {
      /** Id of the clip. */
      id: string;
    };
    answer: undefined;
  };
  /** Delete a clip's files. */
  deleteClip: {
    params: {
      /** Id of the clip. */
      id: string;
    };
    answer: undefined;
  };
  /** Count the views of a clip. */
  getClipViews: {
    params: {
      /** Id of the clip. */
      id: string;
    };
    answer: ClipViews;
  };
  /** List jobs. */
  listJobs: {
    query?: {
      /** Return only items created at this time or later. */
      created_from?: string | undefined;
      /** Return only items created before this time. */
      created_to?: string | undefined;
      /** Maximum number of items to return. */
      limit?: number | undefined;
      /** The `next_cursor` of the previous page. */
      cursor?: string | undefined;
      /** Return only jobs in this state. */
      status?: "pending" | "prefetch" | "render" | "done" | "retrying" | "error" | undefined;
      /** Return only jobs of this mode. */
      mode?: "round" | "timeline" | undefined;
    } | undefined;
    answer: JobList;
  };
  /** Read a job. */
  getJob: {
    params: {
      /** Id of the job. */
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
      /** Id of the job. */
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
  /** Publish the replay of a job. */
  publishReplay: {
    params: {
      /** Id of the job. */
      id: string;
    };
    answer: JobReplay;
  };
  /** Cancel a job. */
  cancelJob: {
    params: {
      /** Id of the job. */
      id: string;
    };
    answer: JobRef;
  };
  /** Run a job again. */
  resubmitJob: {
    params: {
      /** Id of the job. */
      id: string;
    };
    answer: JobRef;
  };
  /** Send the outcome webhook again. */
  resendWebhook: {
    params: {
      /** Id of the job. */
      id: string;
    };
    answer: DeliveryRef;
  };
  /** List a job's webhooks. */
  listDeliveries: {
    params: {
      /** Id of the job. */
      id: string;
    };
    answer: DeliveryList;
  };
  /** Upload an image or music. */
  uploadAsset: {
    query: {
      /** The use of the file. Each field of a submit that names an asset takes one kind. */
      kind: "watermark" | "intro" | "outro" | "music";
      name?: string | undefined;
    };
    body: Blob;
    answer: Asset;
  };
  /** List assets. */
  listAssets: {
    query?: {
      /** Return only items created at this time or later. */
      created_from?: string | undefined;
      /** Return only items created before this time. */
      created_to?: string | undefined;
      /** Maximum number of items to return. */
      limit?: number | undefined;
      /** The `next_cursor` of the previous page. */
      cursor?: string | undefined;
      kind?: "watermark" | "intro" | "outro" | "music" | undefined;
    } | undefined;
    answer: AssetList;
  };
  /** Read an asset. */
  getAsset: {
    params: {
      /** Id of the asset. */
      id: string;
    };
    answer: Asset;
  };
  /** Delete an asset. */
  deleteAsset: {
    params: {
      /** Id of the asset. */
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
      /** Id of the demo. */
      id: string;
    };
    query?: {
      /** Keep only kills with this weapon, named as in `weapon` of a kill, such as `ak47`. */
      weapon?: string | undefined;
      /** Keep only headshots (`true`), or only other kills (`false`). */
      headshot?: "true" | "false" | undefined;
      /** Keep only kills of the player with this `steam64_id`. */
      victim?: string | undefined;
      /** Keep only kills and highlights of this round. */
      round?: number | undefined;
      /** Keep only highlights of this kind, such as `ace`, and their kills. */
      kind?: string | undefined;
      /** Keep only players who start on this side, as in `team` of a player. */
      team?: "T" | "CT" | undefined;
      /** Write one timeline of so many of these highlights, the best ones in the order of the match. */
      best_of?: number | undefined;
    } | undefined;
    answer: Demo;
  };
  /** Delete an inspection. */
  deleteDemo: {
    params: {
      /** Id of the demo. */
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
  /** Take a webhook of FACEIT. */
  ingestFaceit: {
    query?: {
      tag?: string | undefined;
      /** Your key, if FACEIT cannot send it in a header. The service does not log it. */
      key?: string | undefined;
    } | undefined;
    body: FaceitEvent;
    answer: undefined;
  };
  /** Upload a demo. */
  createUpload: {
    body: UploadRequest;
    answer: Upload;
  };
  /** List uploads. */
  listUploads: {
    query?: {
      /** Return only items created at this time or later. */
      created_from?: string | undefined;
      /** Return only items created before this time. */
      created_to?: string | undefined;
      /** Maximum number of items to return. */
      limit?: number | undefined;
      /** The `next_cursor` of the previous page. */
      cursor?: string | undefined;
    } | undefined;
    answer: UploadList;
  };
  /** Read an upload. */
  getUpload: {
    params: {
      /** Id of the upload. */
      id: string;
    };
    answer: Upload;
  };
  /** Send a part. */
  sendUploadPart: {
    params: {
      /** Id of the upload. */
      id: string;
    };
    query: {
      /** Number of the part, from 1. */
      part: number;
    };
    body: Blob;
    answer: undefined;
  };
  /** Complete an upload. */
  completeUpload: {
    params: {
      /** Id of the upload. */
      id: string;
    };
    answer: Upload;
  };
  /** Delete an upload. */
  deleteUpload: {
    params: {
      /** Id of the upload. */
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
      /** Id of the rule. */
      id: string;
    };
    answer: Rule;
  };
  /** Change a rule. */
  changeRule: {
    params: {
      /** Id of the rule. */
      id: string;
    };
    body: RuleChange;
    answer: Rule;
  };
  /** Delete a rule. */
  deleteRule: {
    params: {
      /** Id of the rule. */
      id: string;
    };
    answer: undefined;
  };
  /** Try a rule. */
  tryRule: {
    params: {
      /** Id of the rule. */
      id: string;
    };
    body: {
      /**
       * Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with
       * several demos, add `#` and the name of one.
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
      /** Count until this time, which is exclusive. A time within a day (UTC) includes that whole day. Default: now. */
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
      /** Id of the secret. */
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
      /** Maximum number of items to return. */
      limit?: number | undefined;
      /** The `next_cursor` of the previous page. */
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
      /** Id of the key. */
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
  publishReplay: 'POST /api/jobs/:id/replay',
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
  ingestFaceit: 'POST /api/ingest/faceit',
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
  publishReplay: 'always',
  inspectDemo: 'always',
  ingestDemo: 'always',
  ingestFaceit: 'always',
  createUpload: 'always',
  completeUpload: 'always',
  tryRule: 'always',
};

/** The operation that each method calls. */
export interface AccountMethods {
  clips: {
    /** Plan a clip. */
    plan: 'planClip';
    /** List clips. */
    list: 'listClips';
    /** Read a clip. */
    get: 'getClip';
    /** Keep a clip for good. */
    save: 'saveClip';
    /** Let a clip expire. */
    unsave: 'unsaveClip';
    /** Delete a clip's files. */
    delete: 'deleteClip';
    /** Count the views of a clip. */
    views: 'getClipViews';
  };
  jobs: {
    /** List jobs. */
    list: 'listJobs';
    /** Read a job. */
    get: 'getJob';
    /** Publish the replay of a job. */
    replay: 'publishReplay';
    /** Cancel a job. */
    cancel: 'cancelJob';
    /** Run a job again. */
    resubmit: 'resubmitJob';
    /** Send the outcome webhook again. */
    resendWebhook: 'resendWebhook';
    /** List a job's webhooks. */
    deliveries: 'listDeliveries';
  };
  assets: {
    /** List assets. */
    list: 'listAssets';
    /** Read an asset. */
    get: 'getAsset';
    /** Delete an asset. */
    delete: 'deleteAsset';
  };
  demos: {
    /** Delete an inspection. */
    delete: 'deleteDemo';
  };
  uploads: {
    /** List uploads. */
    list: 'listUploads';
    /** Read an upload. */
    get: 'getUpload';
    /** Delete an upload. */
    delete: 'deleteUpload';
  };
  rules: {
    /** Make a rule. */
    create: 'createRule';
    /** Read a rule. */
    get: 'getRule';
    /** Change a rule. */
    change: 'changeRule';
    /** Delete a rule. */
    delete: 'deleteRule';
  };
  /** Count rendered seconds. */
  usage: 'getUsage';
  viewing: {
    /** Read how your clips are shown. */
    get: 'getViewing';
    /** Change how your clips are shown. */
    change: 'changeViewing';
  };
  webhooks: {
    secrets: {
      /** List webhook secrets. */
      list: 'listWebhookSecrets';
      /** Create a webhook secret. */
      create: 'createWebhookSecret';
      /** Delete a webhook secret. */
      delete: 'deleteWebhookSecret';
    };
    /** Try a receiver. */
    test: 'testWebhook';
  };
  keys: {
    /** List your keys. */
    list: 'listOwnKeys';
  };
}

export const METHODS = {
  planClip: {"path":"clips plan","takes":["body"]},
  listClips: {"path":"clips list","takes":["query"],"items":"clips"},
  getClip: {"path":"clips get","takes":["id"]},
  saveClip: {"path":"clips save","takes":["id"]},
  unsaveClip: {"path":"clips unsave","takes":["id"]},
  deleteClip: {"path":"clips delete","takes":["id"]},
  getClipViews: {"path":"clips views","takes":["id"]},
  listJobs: {"path":"jobs list","takes":["query"],"items":"jobs"},
  getJob: {"path":"jobs get","takes":["id"]},
  publishReplay: {"path":"jobs replay","takes":["id"]},
  cancelJob: {"path":"jobs cancel","takes":["id"]},
  resubmitJob: {"path":"jobs resubmit","takes":["id"]},
  resendWebhook: {"path":"jobs resendWebhook","takes":["id"]},
  listDeliveries: {"path":"jobs deliveries","takes":["id"]},
  listAssets: {"path":"assets list","takes":["query"],"items":"assets"},
  getAsset: {"path":"assets get","takes":["id"]},
  deleteAsset: {"path":"assets delete","takes":["id"]},
  deleteDemo: {"path":"demos delete","takes":["id"]},
  listUploads: {"path":"uploads list","takes":["query"],"items":"uploads"},
  getUpload: {"path":"uploads get","takes":["id"]},
  deleteUpload: {"path":"uploads delete","takes":["id"]},
  createRule: {"path":"rules create","takes":["body"]},
  getRule: {"path":"rules get","takes":["id"]},
  changeRule: {"path":"rules change","takes":["id","body"]},
  deleteRule: {"path":"rules delete","takes":["id"]},
  getUsage: {"path":"usage","takes":["query"]},
  getViewing: {"path":"viewing get","takes":[]},
  changeViewing: {"path":"viewing change","takes":["body"]},
  listWebhookSecrets: {"path":"webhooks secrets list","takes":[]},
  createWebhookSecret: {"path":"webhooks secrets create","takes":[]},
  deleteWebhookSecret: {"path":"webhooks secrets delete","takes":["id"]},
  testWebhook: {"path":"webhooks test","takes":["body"]},
  listOwnKeys: {"path":"keys list","takes":["query"],"items":"keys"},
};

export const ACCOUNT_COMMANDS = {
  submitClip: {"about":"submit a render job","place":"body", fields: {
    demo_url: {"about":"Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`.","isRequired":true},
    steam64_id: {"about":"Round mode: the player whose kills are shown."},
    round: {"kind":"integer","about":"Round mode: the round to take, from 1."},
    pre_kill_padding: {"kind":"number","about":"Round mode: seconds shown before each kill."},
    post_kill_padding: {"kind":"number","about":"Round mode: seconds shown after each kill."},
    timeline: {"kind":"array","about":"Timeline mode: the ranges to show, in this order."},
    pov: {"about":"Round mode: the player whose view of a kill is shown, or both, one after the other.","values":["killer","victim","both"]},
    merge_gap: {"kind":"number","about":"Round mode: windows of a round with no larger gap stay in one shot."},
    kill_slowdown: {"kind":"number","about":"Speed of the game around each kill: 1 is real time."},
    fps: {"kind":"integer","about":"Frame rate of the clip in frames a second."},
    resolution: {"kind":"integer","about":"Shorter side of the picture in pixels: its height at 16:9.","values":[1080,1440]},
    aspect: {"about":"Shape of the picture, width to height.","values":["16:9","9:16","1:1","4:5"]},
    commands: {"kind":"object","about":"Settings of the game that a clip may change.","fields":{"spec_show_xray":{"about":"`\"1\"` shows the outlines of players through walls.","values":["0","1"]},"cl_draw_only_deathnotices":{"about":"`\"1\"` hides the HUD except for the killfeed, `\"0\"` shows all of it.","values":["0","1"]}}},
    hud_killfeed: {"kind":"flag","about":"Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across cuts.","values":[true]},
    hud_damage_ticker: {"kind":"flag","about":"Draw the damage that the player deals beside the crosshair.","values":[true]},
    thumbnail_style: {"about":"The overlay of the thumbnail: `full` shows a headline, the player, the round and the killfeed; `killfeed` only the killfeed; `none` nothing.","values":["full","killfeed","none"]},
    thumbnail_tick: {"kind":"integer","about":"Tick of the demo that the thumbnail shows, instead of the best moment."},
    names: {"about":"`hide` replaces the names of players with `Player 1`, `Player 2` and so on, wherever the clip shows or names them.","values":["show","hide"]},
    watermark_image_id: {"about":"Image of yours for the top left corner of the safe area, drawn pixel for pixel at 1080."},
    intro_asset_id: {"about":"Image of yours that is shown first."},
    outro_asset_id: {"about":"Image of yours that is shown last."},
    title_card: {"kind":"flag","about":"Show a card with the title of the clip before its first shot.","values":[true]},
    card_seconds: {"kind":"number","about":"Length in seconds of each card: intro, title, outro."},
    music_asset_id: {"about":"Music of yours under the clip, cut to its length."},
    idempotency_key: {"about":"Your name for the job."},
    force: {"kind":"flag","about":"Whether to run an existing, finished job of the `idempotency_key` again, with this request.","values":[true]},
    renderer: {"about":"Renderer of the clip.","values":["radar","cs2"]},
    fallback: {"kind":"flag","about":"If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view of the match from above, which needs no game.","values":["radar"]},
    extras: {"about":"Any JSON value."},
    webhook_url: {"about":"Address to which the outcome is posted."},
    webhook_auth_header: {"about":"Value of the `Authorization` header of the webhook."},
  }},
  listClips: {"line":"clips list","about":"list clips", fields: {
    created_from: {"kind":"time","about":"Return only items created at this time or later."},
    created_to: {"kind":"time","about":"Return only items created before this time."},
    limit: {"kind":"integer","about":"Maximum number of items to return."},
    cursor: {"about":"The `next_cursor` of the previous page."},
    state: {"about":"Return only clips in this state.","values":["ready","deleted"]},
    include: {"kind":"array","about":"Fields to add: any of `urls`, `expiry`, `renderer`, `removal`, `picture`, separated by commas."},
    saved: {"about":"Return only clips that are kept for good (`true`), or only others (`false`).","values":["true","false"]},
  }},
  getClip: {"line":"clips show <clip>","about":"read a clip", fields: {
    include: {"kind":"array","about":"Fields to add: any of `urls`, `expiry`, `renderer`, `removal`, `picture`, separated by commas."},
  }},
  saveClip: {"line":"clips save <clip>","about":"keep a clip for good"},
  unsaveClip: {"line":"clips unsave <clip>","about":"let a clip expire"},
  deleteClip: {"line":"clips delete <clip>","about":"delete a clip's files"},
  getClipViews: {"line":"clips views <clip>","about":"count the views of a clip"},
  listJobs: {"line":"jobs list","about":"list jobs", fields: {
    created_from: {"kind":"time","about":"Return only items created at this time or later."},
    created_to: {"kind":"time","about":"Return only items created before this time."},
    limit: {"kind":"integer","about":"Maximum number of items to return."},
    cursor: {"about":"The `next_cursor` of the previous page."},
    status: {"about":"Return only jobs in this state.","values":["pending","prefetch","render","done","retrying","error"]},
    mode: {"about":"Return only jobs of this mode.","values":["round","timeline"]},
  }},
  getJob: {"line":"jobs show <job>","about":"read a job", fields: {
    include: {"kind":"array","about":"Fields to add: any of `diagnosis`, `attempts`, `progress`, `queue`, `renderer`, `rule`, `replay`, separated by commas."},
  }},
  publishReplay: {"line":"jobs replay <job>","about":"publish the replay of a job"},
  cancelJob: {"line":"jobs cancel <job>","about":"cancel a job"},
  resubmitJob: {"line":"jobs resubmit <job>","about":"run a job again"},
  resendWebhook: {"line":"jobs resend-webhook <job>","about":"send the outcome webhook again"},
  listDeliveries: {"line":"jobs deliveries <job>","about":"list a job's webhooks"},
  listAssets: {"line":"assets list","about":"list assets", fields: {
    created_from: {"kind":"time","about":"Return only items created at this time or later."},
    created_to: {"kind":"time","about":"Return only items created before this time."},
    limit: {"kind":"integer","about":"Maximum number of items to return."},
    cursor: {"about":"The `next_cursor` of the previous page."},
    kind: {"values":["watermark","intro","outro","music"]},
  }},
  getAsset: {"line":"assets show <asset>","about":"read an asset"},
  deleteAsset: {"line":"assets delete <asset>","about":"delete an asset"},
  getDemo: {"line":"demos show <demo>","about":"read what is in a demo", fields: {
    weapon: {"about":"Keep only kills with this weapon, named as in `weapon` of a kill, such as `ak47`."},
    headshot: {"about":"Keep only headshots (`true`), or only other kills (`false`).","values":["true","false"]},
    victim: {"about":"Keep only kills of the player with this `steam64_id`."},
    round: {"kind":"integer","about":"Keep only kills and highlights of this round."},
    kind: {"about":"Keep only highlights of this kind, such as `ace`, and their kills."},
    team: {"about":"Keep only players who start on this side, as in `team` of a player.","values":["T","CT"]},
    best_of: {"kind":"integer","about":"Write one timeline of so many of these highlights, the best ones in the order of the match."},
  }},
  deleteDemo: {"line":"demos delete <demo>","about":"delete an inspection"},
  listUploads: {"line":"uploads list","about":"list uploads", fields: {
    created_from: {"kind":"time","about":"Return only items created at this time or later."},
    created_to: {"kind":"time","about":"Return only items created before this time."},
    limit: {"kind":"integer","about":"Maximum number of items to return."},
    cursor: {"about":"The `next_cursor` of the previous page."},
  }},
  getUpload: {"line":"uploads show <upload>","about":"read an upload"},
  deleteUpload: {"line":"uploads delete <upload>","about":"delete an upload"},
  getRule: {"line":"rules show <rule>","about":"read a rule"},
  deleteRule: {"line":"rules delete <rule>","about":"delete a rule"},
  getUsage: {"line":"usage","about":"count rendered seconds", fields: {
    from: {"kind":"time","about":"Count from the beginning of that day (UTC); without it, from the first."},
    to: {"kind":"time","about":"Count until this time, which is exclusive."},
    include: {"kind":"array","about":"Fields to add: any of `renderer`, `day`, separated by commas."},
  }},
  getViewing: {"line":"viewing show","about":"read how your clips are shown"},
  changeViewing: {"line":"viewing change","about":"change how your clips are shown","place":"body", fields: {
    embed_sites: {"kind":"array","about":"Sites that may embed your clips and load their files, as `example.com` or `*.example.com`; an empty list for none but this service, null for any.","isNullable":true},
    show_views: {"kind":"boolean","about":"Whether the page of a clip shows how often it was watched."},
    show_more: {"kind":"boolean","about":"Whether the page of a clip shows others of its match and of its player."},
    hide_names: {"kind":"boolean","about":"Whether new requests without `names` hide the names of players, as `names: \"hide\"` does."},
  }},
  listWebhookSecrets: {"line":"webhooks secrets list","about":"list webhook secrets"},
  createWebhookSecret: {"line":"webhooks secrets create","about":"create a webhook secret"},
  deleteWebhookSecret: {"line":"webhooks secrets delete <secret>","about":"delete a webhook secret"},
  testWebhook: {"line":"webhooks test <webhook_url>","about":"try a receiver","place":"body", fields: {
    webhook_url: {"about":"Address to which the test is posted.","isRequired":true},
    webhook_auth_header: {"about":"Value of the `Authorization` header of the webhook."},
    event: {"about":"The outcome that the test reports.","values":["job.completed","job.failed"]},
  }},
  listOwnKeys: {"line":"keys list","about":"list your keys", fields: {
    limit: {"kind":"integer","about":"Maximum number of items to return."},
    cursor: {"about":"The `next_cursor` of the previous page."},
  }},
  createOwnKey: {"line":"keys create <kind>","about":"make a key","place":"body", fields: {
    kind: {"about":"`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing.","values":["metered","reserved","test"],"isRequired":true},
    name: {"about":"The name that people see in lists."},
    scope: {"about":"`ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and submits jobs; `manage` does everything, such as deleting clips.","values":["ingest","read","submit","manage"]},
    expires_at: {"kind":"time","about":"Time when the key expires."},
    ingest_limits: {"kind":"object","about":"Limits a day (UTC) of a key of scope `ingest`.","fields":{"mib":{"kind":"integer","about":"MiB of demos sent a day, at most."},"demos":{"kind":"integer","about":"Demos sent a day, at most."},"clips":{"kind":"integer","about":"Clips that rules make of its demos a day, at most."}}},
  }},
  revokeOwnKey: {"line":"keys revoke <key>","about":"revoke a key", fields: {
    keep_made: {"kind":"flag","about":"`true` revokes this key alone.","values":["true"]},
  }},
};
