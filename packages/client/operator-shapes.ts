/* Written by `npm run openapi` out of the operations of the service. */
import type { Delivery, JobPayload, JobRef, JobStatus } from './shapes.ts';

/** Who has keys, jobs and clips. */
export interface Account {
  /** The account. */
  account_id: string;
  /** Its name. */
  name: string;
  /** How many reserved jobs go ahead of best-effort work at a time; null for all. */
  provisioned_slots: number | null;
  /** Only hosts with this renderer get its jobs; null for any. */
  renderer: "radar" | "cs2" | null;
  /** Only hosts that have all of these labels get its jobs. */
  labels: readonly string[];
  /** Where its jobs, clips and assets are indexed: a binding of the Worker. */
  database: string;
  /** Since when it is suspended; null while it is not. */
  suspended_at: string | null;
  /** Since when it is being erased; null while it is not. */
  erasing_at: string | null;
  /** Its own limits; what is left out is the deployment's. */
  limits: {
    /** Requests in a minute. */
    requests?: number | undefined;
    /** Submits in a minute. */
    submits?: number | undefined;
    /** Uploads of images in a minute. */
    uploads?: number | undefined;
    /** Streams of events that are opened in a minute. */
    follows?: number | undefined;
    /** Jobs that have not finished. */
    jobs?: number | undefined;
    /** Jobs that are made on a day (UTC). */
    jobs_a_day?: number | undefined;
    /** Jobs in all. */
    jobs_kept?: number | undefined;
    /** Uploads of demos that are not complete. */
    open_uploads?: number | undefined;
    /** Images that are stored. */
    assets?: number | undefined;
    /** MiB of them. */
    asset_mib?: number | undefined;
    /** Frames of one clip. */
    frames?: number | undefined;
    /** Minutes a day (UTC) that hosts work on runs that make no clip. */
    unbilled?: number | undefined;
  };
  /** When it was made. */
  created_at: string;
}

/** What to change; the rest stays. */
export interface AccountChanges {
  /** For people to tell them apart. */
  name?: string | undefined;
  /** How many reserved jobs go ahead of best-effort work at a time; null for all. */
  provisioned_slots?: number | null | undefined;
  /** Only hosts with this renderer get its jobs; null for any. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** Only hosts that have all of these labels get its jobs. */
  labels?: readonly string[] | undefined;
  /** A suspended account may read and change nothing; its queued jobs wait, those that run are finished. */
  suspended?: boolean | undefined;
  /** Its own limits; what is left out is the deployment's. */
  limits?: {
    /** Requests in a minute. */
    requests?: number | undefined;
    /** Submits in a minute. */
    submits?: number | undefined;
    /** Uploads of images in a minute. */
    uploads?: number | undefined;
    /** Streams of events that are opened in a minute. */
    follows?: number | undefined;
    /** Jobs that have not finished. */
    jobs?: number | undefined;
    /** Jobs that are made on a day (UTC). */
    jobs_a_day?: number | undefined;
    /** Jobs in all. */
    jobs_kept?: number | undefined;
    /** Uploads of demos that are not complete. */
    open_uploads?: number | undefined;
    /** Images that are stored. */
    assets?: number | undefined;
    /** MiB of them. */
    asset_mib?: number | undefined;
    /** Frames of one clip. */
    frames?: number | undefined;
    /** Minutes a day (UTC) that hosts work on runs that make no clip. */
    unbilled?: number | undefined;
  } | undefined;
}

/** That this very account is to be erased. */
export interface AccountErasure {
  /** Its name, so that nobody erases another by mistake. */
  name: string;
}

/** A page of accounts, the oldest first. */
export interface AccountList {
  accounts: readonly Account[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/**
 * A page of jobs, newest first. With a filter it may be short, even empty, while `next_cursor` leads to more: each
 * page looks at some thousand jobs.
 */
export interface AllJobs {
  jobs: readonly AnyJob[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** A job of any account. */
export interface AnyJob {
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
  /** Why the last attempt failed, while `retrying` or in `error`. Take a code you do not know for a plain failure. */
  error_code: string | null;
  /** When the job was submitted. */
  created_at: string;
  /** When the outcome was reached; null before. */
  finished_at: string | null;
  /** Whose it is. */
  account_id: string;
  /** How its moments are chosen; `inspect` only looks into a demo. */
  mode: "round" | "timeline" | "inspect";
  /** What is wrong with its last webhook; null where nothing is. */
  webhook: "failing" | "exhausted" | null;
}

/** An API key without its secret. */
export interface ApiKey {
  /** The key, for revoking it. */
  key_id: string;
  /** `metered` for best effort, `reserved` for priority. */
  kind: "metered" | "reserved";
  /** For people to tell keys apart. */
  name: string | null;
  /** `read` reads; `submit` also submits jobs; `manage` does everything, such as deleting clips. */
  scope: "read" | "submit" | "manage";
  /** Its beginning and end. */
  hint: string;
  /** Until when it is good; null for good. */
  expires_at: string | null;
  /** To an hour; null before its first use. */
  last_used: string | null;
  /** When it was made. */
  created_at: string;
  /** When it was revoked; null while it is good. */
  revoked_at: string | null;
}

/** A change that an operator made. */
export interface AuditEntry {
  /** When. */
  at: string;
  /** Who; null for the deployment's own token. */
  operator_id: string | null;
  /** The name that they had then. */
  operator: string;
  /** The operation, as in `createKey`. */
  action: string;
  /** The ids of what was changed or made. */
  target: {
    [name: string]: string;
  };
  /** The body that was sent, cut after 2000 characters; null where there was none. */
  changes: string | null;
  /** What was answered; null where it was cut short. */
  status: number | null;
  /** As in `X-Request-Id`. */
  request_id: string;
}

/** A page of changes, the latest first. */
export interface AuditList {
  entries: readonly AuditEntry[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** Jobs of an account that were canceled. */
export interface Canceled {
  /** How many of them are canceled now. */
  canceled: number;
  /** Jobs that did not answer: try these again. */
  failed: readonly string[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** Which clips to look after. */
export interface CheckClips {
  /** Whether clips without their files are rendered again. */
  resubmit?: boolean | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | undefined;
}

/** A page of clips that were looked after. */
export interface CheckedClips {
  /** Clips whose files were looked for. */
  checked: number;
  /** Clips that lack a file. */
  lost: readonly {
    /** The clip. */
    clip_id: string;
    /** The job that made it. */
    job_id: string;
    /** Whose it is. */
    account_id: string;
    /** Which files are not there. */
    missing: readonly ("video" | "thumbnail")[];
  }[];
  /** How many of them are rendered again. */
  resubmitted: number;
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** Whose session the console has. */
export interface ConsoleSession {
  /** Who it is. */
  name: string;
  /** `read` looks; `operate` also holds hosts and sends webhooks again; `admin` does everything. */
  role: "read" | "operate" | "admin";
}

/** A webhook that has not arrived. */
export interface FailingDelivery {
  /** The job. */
  job_id: string;
  /** Whose it is. */
  account_id: string;
  /** `failing`: an attempt has failed, and another comes; `exhausted`: none comes any more. */
  trouble: "failing" | "exhausted";
  /** When the webhook was made. */
  created_at: string;
  /** The webhook itself; null where its job is silent. */
  delivery: Delivery | null;
}

/** A page of webhooks that have not arrived, the oldest first. */
export interface FailingDeliveryList {
  deliveries: readonly FailingDelivery[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** A render host without its token. */
export interface Host {
  /** The host, for changing it or revoking its token. */
  host_id: string;
  /** Its name. */
  name: string;
  /** When it was made. */
  created_at: string;
  /** When it was revoked; null while it is good. */
  revoked_at: string | null;
  /**
   * `idle` and `busy`; `paused` and `draining` by the operator; `set aside` for a while after three jobs in a row
   * failed by its own fault; `gone` when it asks for nothing any more.
   */
  state: "idle" | "busy" | "paused" | "draining" | "set aside" | "gone";
  /** When it was heard of last; null before that. */
  last_seen: string | null;
  /** When its pause ends by itself; null where it is not held, or until somebody ends it. */
  held_until: string | null;
  /** When it is tried again; null where it is not set aside. */
  set_aside_until: string | null;
  /** The operator's note. */
  note: string | null;
  /** The operator's words for it, which accounts can ask for. */
  labels: readonly string[];
  /** Version of its software. This and the following: what it said last; null before that. */
  agent_version: string | null;
  /** What it draws with. */
  renderer: "radar" | "cs2" | null;
  /** Build of the game. */
  game_build: string | null;
  /** Its GPU. */
  gpu: string | null;
  /** What it encodes with. */
  encoder: string | null;
  /** Greatest height in pixels. */
  max_resolution: number | null;
  /** Most frames a second. */
  max_fps: number | null;
  /** Ten of those that it works on. */
  jobs: readonly {
    /** The job. */
    job_id: string;
    /** Its state; null where it could not be asked. */
    status: "pending" | "prefetch" | "render" | "done" | "retrying" | "error" | null;
    /** 0 to 1; null where nothing was heard of late. */
    progress: number | null;
  }[];
  /** Attempts that failed on it in 24 hours, by code; of each 500 are counted. */
  failures_24h: {
    [name: string]: number;
  };
  /** How it is called; null where it polls. */
  push: PushSettings | null;
}

/** What to change; the rest stays. */
export interface HostChanges {
  /** For people to tell them apart. */
  name?: string | undefined;
  /** The operator's words for it, which accounts can ask for. */
  labels?: readonly string[] | undefined;
  /** `paused` or `draining`: no further jobs, those in hand are finished. null lets it go on. */
  hold?: "paused" | "draining" | null | undefined;
  /** When the hold ends by itself. Without it, when somebody ends it. */
  until?: string | null | undefined;
  /** For whoever reads the list. Where it is left out, a change of `hold` takes the old one away. */
  note?: string | null | undefined;
  /** `false` forgets its faults: it is tried at once. */
  set_aside?: false | undefined;
}

/** A page of render hosts, the oldest first, the revoked ones too. */
export interface HostList {
  hosts: readonly Host[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** A new render host. */
export interface HostOnce {
  /** The host, for changing it or revoking its token. */
  host_id: string;
  /** Its name. */
  name: string;
  /** The token itself, shown this once. */
  token: string;
  /** What grants are signed under, for a host that is called; shown this once. It goes with the token. */
  push_secret?: string | undefined;
}

/** A registration without its token. */
export interface HostRegistration {
  /** The registration, for revoking it. */
  registration_id: string;
  /** Its name. */
  name: string;
  /** How many hosts it makes. */
  uses: number;
  /** How many hosts it has made. */
  used: number;
  /** Until when it is good. */
  expires_at: string;
  /** When it was made. */
  created_at: string;
  /** When it was revoked; null while it is good. */
  revoked_at: string | null;
}

/** A page of registrations, the newest first. */
export interface HostRegistrationList {
  registrations: readonly HostRegistration[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** A new registration. */
export interface HostRegistrationOnce {
  /** The registration, for revoking it. */
  registration_id: string;
  /** Its name. */
  name: string;
  /** The token itself, shown this once. */
  token: string;
  /** How many hosts it makes. */
  uses: number;
  /** Until when it is good. */
  expires_at: string;
}

/** All that is known of a job, but for the header of its webhook. */
export interface JobStory {
  job: {
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
    /** Why the last attempt failed, while `retrying` or in `error`. Take a code you do not know for a plain failure. */
    error_code: string | null;
    /** When the job was submitted. */
    created_at: string;
    /** When the outcome was reached; null before. */
    finished_at: string | null;
    payload: JobPayload;
  };
  /** Whose it is. */
  account_id: string;
  /** The clip that it makes, or will. */
  clip_id: string;
  /** 1 for the first run; each re-run in place adds one. */
  run: number;
  /** Attempts begun in this run. */
  attempt: number;
  /** Seconds of hosts that this run has taken by attempts that made no clip. */
  host_seconds: number;
  /** When this run was queued. */
  queued_at: string;
  /** When it is tried again. */
  retry_at: string | null;
  /** The host's own words for `error_code`. */
  error_detail: string | null;
  /** 0 to 1; null where nothing was heard of late. */
  progress: number | null;
  /** Null where no host has it. */
  lease: {
    /** The host that has it. */
    host_id: string;
    /** Since when. */
    granted_at: string;
    /** When it is taken back, unless the host is heard of. */
    deadline: string;
    /** Whether the host was heard of. */
    is_confirmed: boolean;
  } | null;
  /** The latest 20 attempts that made no clip, oldest first. */
  attempts: readonly {
    /** Of which run. */
    run: number;
    /** Its number in the run. */
    attempt: number;
    /** The host. */
    host_id: string;
    /** When the host got the job. */
    granted_at: string;
    /** When it had it no longer. */
    ended_at: string;
    /** Why it failed; null where the host gave the job back, or never had it. */
    code: string | null;
    /** The host's own words. */
    detail: string | null;
    /** The end of the host's log, where it sent one. */
    log: string | null;
  }[];
  /** Its webhooks, oldest first. */
  deliveries: readonly Delivery[];
  /** Null before the first success. */
  clip: {
    /** Whether its files are there. */
    state: "ready" | "deleted";
    /** Whether it is kept for good. */
    is_saved: boolean;
    /** Its title. */
    title: string;
    /** How long it is. */
    duration_seconds: number;
    /** When it was made. */
    rendered_at: string;
    /** The host that made it. */
    rendered_by: string | null;
    /** The MP4. */
    video: {
      /** Where it lies in the bucket. */
      key: string;
      /** How long it is. */
      bytes: number;
      /** Its SHA-256 in hexadecimal. */
      sha256: string;
    };
    /** The JPEG. */
    thumbnail: {
      /** Where it lies in the bucket. */
      key: string;
      /** How long it is. */
      bytes: number;
      /** Its SHA-256 in hexadecimal. */
      sha256: string;
    };
  } | null;
}

/** A page of the keys of an account, the oldest first, the revoked ones too. */
export interface KeyList {
  keys: readonly ApiKey[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** A new API key. */
export interface KeyOnce {
  /** The key, for revoking it. */
  key_id: string;
  /** `metered` for best effort, `reserved` for priority. */
  kind: "metered" | "reserved";
  /** For people to tell keys apart. */
  name: string | null;
  /** `read` reads; `submit` also submits jobs; `manage` does everything, such as deleting clips. */
  scope: "read" | "submit" | "manage";
  /** The key itself, shown this once. */
  key: string;
  /** Until when it is good; null for good. */
  expires_at: string | null;
  /** When it was made. */
  created_at: string;
}

/** An account to make. */
export interface NewAccount {
  /** For people to tell them apart. */
  name: string;
  /** How many reserved jobs go ahead of best-effort work at a time; null for all. */
  provisioned_slots?: number | null | undefined;
  /** Only hosts with this renderer get its jobs; null for any. */
  renderer?: "radar" | "cs2" | null | undefined;
  /** Only hosts that have all of these labels get its jobs. */
  labels?: readonly string[] | undefined;
}

/** A render host to let in. */
export interface NewHost {
  /** For people to tell them apart. */
  name: string;
  push?: PushSettings | undefined;
}

/** A token with which machines become render hosts. */
export interface NewHostRegistration {
  /** For people to tell them apart. */
  name: string;
  /** How many hosts it makes. */
  uses?: number | undefined;
  /** For how long it is good. */
  expires_in_hours?: number | undefined;
}

/** An API key to make. */
export interface NewKey {
  /** `metered` for best effort, `reserved` for priority. */
  kind: "metered" | "reserved";
  /** For people to tell them apart. */
  name?: string | undefined;
  /** `read` reads; `submit` also submits jobs; `manage` does everything, such as deleting clips. */
  scope?: "read" | "submit" | "manage" | undefined;
  /** Until when it is good; without it, for good. */
  expires_at?: string | undefined;
}

/** An operator to let in. */
export interface NewOperator {
  /** For people to tell them apart. */
  name: string;
  /** `read` looks; `operate` also holds hosts and sends webhooks again; `admin` does everything. */
  role: "read" | "operate" | "admin";
}

/** An operator without the token. */
export interface Operator {
  /** The operator, for revoking the token. */
  operator_id: string;
  /** For people to tell them apart. */
  name: string;
  /** `read` looks; `operate` also holds hosts and sends webhooks again; `admin` does everything. */
  role: "read" | "operate" | "admin";
  /** When it was made. */
  created_at: string;
  /** When it was revoked; null while it is good. */
  revoked_at: string | null;
}

/** A page of operators, the oldest first. */
export interface OperatorList {
  operators: readonly Operator[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

/** A new operator. */
export interface OperatorOnce {
  /** The operator, for revoking the token. */
  operator_id: string;
  /** For people to tell them apart. */
  name: string;
  /** `read` looks; `operate` also holds hosts and sends webhooks again; `admin` does everything. */
  role: "read" | "operate" | "admin";
  /** The token itself, shown this once. */
  token: string;
}

/** The service at a glance. */
export interface Overview {
  /** When it was counted. */
  at: string;
  /** What waits, by tier. */
  queue: readonly {
    /** Which key submitted. */
    tier: "metered" | "reserved";
    /** Jobs that wait for a host. */
    waiting: number;
    /** Seconds that the first of them has waited, to ten. */
    oldest_s: number | null;
  }[];
  /** Jobs that hosts work on. */
  running: number;
  /** Hosts that were heard of within a day, by state, as far as the dispatchers remember. */
  hosts: {
    [name: string]: number;
  };
  /** Jobs whose last webhook has not arrived, of each database 10,000 at most. */
  webhooks: {
    /** An attempt has failed. */
    failing: number;
    /** No attempt is left. */
    exhausted: number;
    /** Those of `exhausted` that were given up within the last day. */
    given_up: number;
  };
  /** What is stored. */
  clips: {
    /** Clips that can be played. */
    count: number;
    /** Bytes of their files. */
    bytes: number;
  };
  /** The latest days, oldest first, each by what ended on it. */
  days: readonly {
    /** The day (UTC). */
    day: string;
    /** Runs that made a clip. */
    done: number;
    /** Seconds of clip that they made. */
    rendered_seconds: number;
    /** Runs that failed, by code. */
    failed: {
      [name: string]: number;
    };
  }[];
}

/** What the host can do. It is never sent a job beyond that. */
export interface PushCapabilities {
  /** What it draws with. */
  renderer: "radar" | "cs2";
  /** Greatest height in pixels that it renders. */
  max_resolution: 1080 | 1440;
  /** Most frames a second that it renders. */
  max_fps: number;
  /** Build of the game it renders with; null for a renderer without a game. */
  game_build: string | null;
  /**
   * Work that it knows beyond rendering: `uploads` fetches demos that were uploaded to the service, `inspect` says
   * what is in a demo. Without the word it is given no such job.
   */
  skills?: readonly string[] | undefined;
}

/** A host that is sent its jobs instead of polling for them. */
export interface PushSettings {
  /** Where grants are sent to, with POST. The rules for addresses of webhooks hold. */
  url: string;
  /** How many jobs it may have at a time; at most `HOST_SLOTS`. */
  slots: number;
  capabilities: PushCapabilities;
}

/** Where to take a job back to. */
export interface RecoverRequest {
  /** The time to go back to: 30 days ago at most. */
  at?: string | undefined;
  /** Or the `undo_bookmark` of an earlier answer. */
  bookmark?: string | undefined;
}

/** A job that was taken back. */
export interface Recovered {
  /** The job. */
  job_id: string;
  /** Its state now; null where there was no job then. */
  status: "pending" | "prefetch" | "render" | "done" | "retrying" | "error" | null;
  /** Leads back to where it was before this. */
  undo_bookmark: string;
}

/** Jobs that are to write their rows of the index. */
export interface ReindexRequest {
  /** Ids of objects of class RenderJob, as the platform's API lists them. */
  objects: readonly string[];
}

/** What became of it. */
export interface Reindexed {
  /** Of these the index had no row, or another than the job: now it has. */
  indexed: number;
  /** These were as they should be. */
  current: number;
  /** These have nothing stored: a job that was forgotten, or never was. */
  empty: number;
  /** These could not be asked; ask again. */
  failed: readonly string[];
}

/** Which webhooks to send again. */
export interface ResendRequest {
  /** Of these jobs. */
  job_ids?: readonly string[] | undefined;
  /** Of all jobs that have one that is exhausted. */
  all?: "exhausted" | undefined;
  /** With `all`: of this account. */
  account?: string | undefined;
  /** With `all`: the `next_cursor` of the answer before. */
  cursor?: string | undefined;
}

/** What became of it; `next_cursor` leads to the rest of `all`, a hundred each. */
export interface Resent {
  /** How many are on their way again. */
  resent: number;
  /** Those that are not. */
  refused: readonly {
    /** The job. */
    job_id: string;
    /** Why it cannot be sent now. */
    reason: string;
  }[];
  /** Ask for it as `cursor` to go on; null at the end. */
  next_cursor: string | null;
}

export interface OperatorOperations {
  /** List accounts. */
  listAccounts: {
    query?: {
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
    } | undefined;
    answer: AccountList;
  };
  /** Create an account. */
  createAccount: {
    body: NewAccount;
    answer: Account;
  };
  /** Read an account. */
  getAccount: {
    params: {
      /** The account. */
      id: string;
    };
    answer: Account;
  };
  /** Change an account. */
  changeAccount: {
    params: {
      /** The account. */
      id: string;
    };
    body: AccountChanges;
    answer: Account;
  };
  /** Cancel all jobs of an account. */
  cancelAccount: {
    params: {
      /** The account. */
      id: string;
    };
    query?: {
      /** The `next_cursor` of the answer before. */
      cursor?: string | undefined;
    } | undefined;
    answer: Canceled;
  };
  /** Erase an account. */
  eraseAccount: {
    params: {
      /** The account. */
      id: string;
    };
    body: AccountErasure;
    answer: Account;
  };
  /** Cancel a job. */
  cancelAnyJob: {
    params: {
      /** The job. */
      id: string;
    };
    answer: JobRef;
  };
  /** List an account's keys. */
  listKeys: {
    params: {
      /** The account. */
      id: string;
    };
    query?: {
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
    } | undefined;
    answer: KeyList;
  };
  /** Create an API key. */
  createKey: {
    params: {
      /** The account. */
      id: string;
    };
    body: NewKey;
    answer: KeyOnce;
  };
  /** Rotate an API key. */
  rotateKey: {
    params: {
      /** The account. */
      id: string;
      /** The key. */
      key: string;
    };
    answer: KeyOnce;
  };
  /** Revoke an API key. */
  revokeKey: {
    params: {
      /** The account. */
      id: string;
      /** The key. */
      key: string;
    };
    answer: undefined;
  };
  /** List render hosts. */
  listHosts: {
    query?: {
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
    } | undefined;
    answer: HostList;
  };
  /** Create a render host. */
  createHost: {
    body: NewHost;
    answer: HostOnce;
  };
  /** Change a render host. */
  changeHost: {
    params: {
      /** The render host. */
      id: string;
    };
    body: HostChanges;
    answer: Host;
  };
  /** Replace a render host's token. */
  rotateHost: {
    params: {
      /** The render host. */
      id: string;
    };
    answer: HostOnce;
  };
  /** Revoke a render host's token. */
  revokeHost: {
    params: {
      /** The render host. */
      id: string;
    };
    answer: undefined;
  };
  /** List registrations of render hosts. */
  listRegistrations: {
    query?: {
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
    } | undefined;
    answer: HostRegistrationList;
  };
  /** Create a registration of render hosts. */
  createRegistration: {
    body: NewHostRegistration;
    answer: HostRegistrationOnce;
  };
  /** Revoke a registration of render hosts. */
  revokeRegistration: {
    params: {
      id: string;
    };
    answer: undefined;
  };
  /** Read the overview. */
  getOverview: {
    query?: {
      /** How many to give at most. */
      days?: number | undefined;
    } | undefined;
    answer: Overview;
  };
  /** Follow the overview. */
  watchOverview: {
    event: Overview;
  };
  /** List jobs of all accounts. */
  listAllJobs: {
    query?: {
      /** Only what was created then or later. */
      created_from?: string | undefined;
      /** Only what was created before then. */
      created_to?: string | undefined;
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Only jobs of this account. */
      account?: string | undefined;
      /** Only jobs in this state. */
      status?: "pending" | "prefetch" | "render" | "done" | "retrying" | "error" | undefined;
      /** Of this mode. */
      mode?: "round" | "timeline" | "inspect" | undefined;
      /** Only jobs that this kind of key submitted. */
      tier?: "metered" | "reserved" | undefined;
      /** Only jobs with this code. */
      error_code?: string | undefined;
    } | undefined;
    answer: AllJobs;
  };
  /** Read the whole story of a job. */
  getJobStory: {
    params: {
      /** The job. */
      id: string;
    };
    answer: JobStory;
  };
  /** Restore an earlier state of a job. */
  recoverJob: {
    params: {
      /** The job. */
      id: string;
    };
    body: RecoverRequest;
    answer: Recovered;
  };
  /** Rebuild the index from the jobs. */
  reindexJobs: {
    body: ReindexRequest;
    answer: Reindexed;
  };
  /** Find clips without their files. */
  checkClips: {
    body: CheckClips;
    answer: CheckedClips;
  };
  /** List webhooks that have not arrived. */
  listTroubles: {
    query?: {
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
      trouble?: "failing" | "exhausted" | undefined;
      /** Only those of this account. */
      account?: string | undefined;
    } | undefined;
    answer: FailingDeliveryList;
  };
  /** Send webhooks again. */
  resendTroubles: {
    body: ResendRequest;
    answer: Resent;
  };
  /** List the audit log. */
  listAudit: {
    query?: {
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
    } | undefined;
    answer: AuditList;
  };
  /** List operators. */
  listOperators: {
    query?: {
      /** How many to give at most. */
      limit?: number | undefined;
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined;
    } | undefined;
    answer: OperatorList;
  };
  /** Create an operator. */
  createOperator: {
    body: NewOperator;
    answer: OperatorOnce;
  };
  /** Revoke an operator's token. */
  revokeOperator: {
    params: {
      id: string;
    };
    answer: undefined;
  };
  /** Read the session of the console. */
  getSession: {
    answer: ConsoleSession;
  };
  /** Begin a session of the console. */
  beginSession: {
    answer: ConsoleSession;
  };
  /** End a session of the console. */
  endSession: {
    answer: undefined;
  };
}

export const OPERATOR_ROUTES = {
  listAccounts: 'GET /admin/accounts',
  createAccount: 'POST /admin/accounts',
  getAccount: 'GET /admin/accounts/:id',
  changeAccount: 'PATCH /admin/accounts/:id',
  cancelAccount: 'POST /admin/accounts/:id/cancel',
  eraseAccount: 'POST /admin/accounts/:id/erase',
  cancelAnyJob: 'POST /admin/jobs/:id/cancel',
  listKeys: 'GET /admin/accounts/:id/keys',
  createKey: 'POST /admin/accounts/:id/keys',
  rotateKey: 'POST /admin/accounts/:id/keys/:key/rotate',
  revokeKey: 'DELETE /admin/accounts/:id/keys/:key',
  listHosts: 'GET /admin/hosts',
  createHost: 'POST /admin/hosts',
  changeHost: 'PATCH /admin/hosts/:id',
  rotateHost: 'POST /admin/hosts/:id/rotate',
  revokeHost: 'DELETE /admin/hosts/:id',
  listRegistrations: 'GET /admin/host-registrations',
  createRegistration: 'POST /admin/host-registrations',
  revokeRegistration: 'DELETE /admin/host-registrations/:id',
  getOverview: 'GET /admin/overview',
  watchOverview: 'GET /admin/events',
  listAllJobs: 'GET /admin/jobs',
  getJobStory: 'GET /admin/jobs/:id',
  recoverJob: 'POST /admin/jobs/:id/recover',
  reindexJobs: 'POST /admin/reindex',
  checkClips: 'POST /admin/clips/check',
  listTroubles: 'GET /admin/deliveries',
  resendTroubles: 'POST /admin/deliveries/resend',
  listAudit: 'GET /admin/audit',
  listOperators: 'GET /admin/operators',
  createOperator: 'POST /admin/operators',
  revokeOperator: 'DELETE /admin/operators/:id',
  getSession: 'GET /console/session',
  beginSession: 'POST /console/session',
  endSession: 'DELETE /console/session',
} as const;
