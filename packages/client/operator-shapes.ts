/* Written by `npm run openapi` out of the operations of the service. */
import type { ClipRemoval, Delivery, JobErrorCode, JobPayload, JobRef, JobStatus, KeyOnce, NewKey, QueuePlace, Rule } from './shapes.ts';

export interface Account {
  account_id: string;
  name: string;
  provisioned_slots: number | null;
  renderer: "radar" | "cs2" | "cs2_only" | null;
  labels: readonly string[];
  suspended_at: string | null;
  clips_hidden: boolean;
  brand: {
    name: string | null;
    url: string | null;
    logo: string | null;
    colour: string | null;
  };
  erasing_at: string | null;
  limits: {
    requests?: number | undefined;
    submits?: number | undefined;
    uploads?: number | undefined;
    follows?: number | undefined;
    jobs?: number | undefined;
    jobs_a_day?: number | undefined;
    agent_seconds_a_day?: number | undefined;
    jobs_kept?: number | undefined;
    jobs_mib?: number | undefined;
    open_uploads?: number | undefined;
    assets?: number | undefined;
    asset_mib?: number | undefined;
    frames?: number | undefined;
    unbilled?: number | undefined;
    fallback?: number | undefined;
  };
  default_limits: {
    requests?: number | undefined;
    submits?: number | undefined;
    uploads?: number | undefined;
    follows?: number | undefined;
    jobs?: number | undefined;
    jobs_a_day?: number | undefined;
    agent_seconds_a_day?: number | undefined;
    jobs_kept?: number | undefined;
    jobs_mib?: number | undefined;
    open_uploads?: number | undefined;
    assets?: number | undefined;
    asset_mib?: number | undefined;
    frames?: number | undefined;
    unbilled?: number | undefined;
    fallback?: number | undefined;
  };
  created_at: string;
  drawn_share: number | null;
}

export interface AccountChanges {
  name?: string | undefined;
  provisioned_slots?: number | null | undefined;
  renderer?: "radar" | "cs2" | "cs2_only" | null | undefined;
  labels?: readonly string[] | undefined;
  suspended?: boolean | undefined;
  hide_clips?: boolean | undefined;
  limits?: {
    requests?: number | undefined;
    submits?: number | undefined;
    uploads?: number | undefined;
    follows?: number | undefined;
    jobs?: number | undefined;
    jobs_a_day?: number | undefined;
    agent_seconds_a_day?: number | undefined;
    jobs_kept?: number | undefined;
    jobs_mib?: number | undefined;
    open_uploads?: number | undefined;
    assets?: number | undefined;
    asset_mib?: number | undefined;
    frames?: number | undefined;
    unbilled?: number | undefined;
    fallback?: number | undefined;
  } | undefined;
  brand?: {
    name?: string | null | undefined;
    url?: string | null | undefined;
    logo?: string | null | undefined;
    colour?: string | null | undefined;
  } | undefined;
}

export interface AccountErasure {
  name: string;
}

export interface AccountExport {
  records: readonly {
    table: string;
    [name: string]: unknown;
  }[];
  next_cursor: string | null;
}

export interface AccountList {
  accounts: readonly Account[];
  next_cursor: string | null;
}

export interface AccountUsage {
  day: string;
  account_id: string;
  account_name: string | null;
  tier: "metered" | "reserved";
  resolution: number;
  fps: number;
  renderer: "radar" | "cs2" | null;
  rendered_seconds: number;
  runs: number;
  state: "open" | "settled" | "final";
}

export interface AlertTested {
  delivered: boolean;
  http_status: number | null;
  error: string | null;
  duration_ms: number;
}

export interface AllJobs {
  jobs: readonly AnyJob[];
  next_cursor: string | null;
}

export interface AllUsage {
  usage: readonly AccountUsage[];
  final_before: string;
  next_cursor: string | null;
}

export interface AnyJob {
  id: string;
  status: JobStatus;
  priority: boolean;
  fps: number | null;
  resolution: number;
  clip_id: string | null;
  error_code: JobErrorCode | null;
  created_at: string;
  finished_at: string | null;
  account_id: string;
  account_name: string | null;
  title: string | null;
  mode: "round" | "timeline" | "inspect";
  webhook: "failing" | "exhausted" | null;
  waits: string | null;
}

export interface ApiKey {
  key_id: string;
  kind: "metered" | "reserved" | "test";
  name: string | null;
  scope: "ingest" | "read" | "submit" | "manage";
  hint: string;
  expires_at: string | null;
  ingest_limits: {
    mib?: number | undefined;
    demos?: number | undefined;
    clips?: number | undefined;
  } | null;
  last_used: string | null;
  made_by: string | null;
  created_at: string;
  revoked_at: string | null;
}

export interface Arrival {
  account_id: string;
  account_name: string | null;
  key_id: string | null;
  name: string;
  state: "arriving" | "refused";
  bytes: number | null;
  stored_bytes: number | null;
  at: string;
  status: number | null;
  reason: string | null;
  times: number;
}

export interface ArrivalList {
  arrivals: readonly Arrival[];
}

export interface AuditEntry {
  at: string;
  operator_id: string | null;
  operator: string;
  action: string;
  target: {
    [name: string]: string;
  };
  target_name: string | null;
  changes: string | null;
  status: number | null;
  request_id: string;
}

export interface AuditList {
  entries: readonly AuditEntry[];
  next_cursor: string | null;
}

export interface Block {
  block_id: string;
  address: string;
  reason: string;
  created_at: string;
  operator: string;
}

export interface BlockRequest {
  address: string;
  reason: string;
}

export interface Canceled {
  canceled: number;
  failed: readonly string[];
  next_cursor: string | null;
}

export interface CheckClips {
  resubmit?: boolean | undefined;
  cursor?: string | undefined;
}

export interface CheckedClips {
  checked: number;
  lost: readonly {
    clip_id: string;
    job_id: string;
    account_id: string;
    missing: readonly ("video" | "thumbnail")[];
  }[];
  resubmitted: number;
  next_cursor: string | null;
}

export interface ConsoleSession {
  name: string;
  role: "read" | "operate" | "admin";
}

export interface Controls {
  maintenance: Maintenance | null;
  blocks: readonly Block[];
}

export interface ErasingAccount {
  account_id: string;
  name: string;
  provisioned_slots: number | null;
  renderer: "radar" | "cs2" | "cs2_only" | null;
  labels: readonly string[];
  suspended_at: string | null;
  clips_hidden: boolean;
  brand: {
    name: string | null;
    url: string | null;
    logo: string | null;
    colour: string | null;
  };
  erasing_at: string | null;
  limits: {
    requests?: number | undefined;
    submits?: number | undefined;
    uploads?: number | undefined;
    follows?: number | undefined;
    jobs?: number | undefined;
    jobs_a_day?: number | undefined;
    agent_seconds_a_day?: number | undefined;
    jobs_kept?: number | undefined;
    jobs_mib?: number | undefined;
    open_uploads?: number | undefined;
    assets?: number | undefined;
    asset_mib?: number | undefined;
    frames?: number | undefined;
    unbilled?: number | undefined;
    fallback?: number | undefined;
  };
  default_limits: {
    requests?: number | undefined;
    submits?: number | undefined;
    uploads?: number | undefined;
    follows?: number | undefined;
    jobs?: number | undefined;
    jobs_a_day?: number | undefined;
    agent_seconds_a_day?: number | undefined;
    jobs_kept?: number | undefined;
    jobs_mib?: number | undefined;
    open_uploads?: number | undefined;
    assets?: number | undefined;
    asset_mib?: number | undefined;
    frames?: number | undefined;
    unbilled?: number | undefined;
    fallback?: number | undefined;
  };
  created_at: string;
  drawn_share: number | null;
  keeps: string;
}

export interface FaceitCheck {
  state: "key_missing" | "data_refused" | "downloads_refused" | "no_answer" | "works";
  detail: string | null;
}

export interface FailingDelivery {
  job_id: string;
  account_id: string;
  account_name: string | null;
  trouble: "failing" | "exhausted";
  created_at: string;
  delivery: Delivery | null;
}

export interface FailingDeliveryList {
  deliveries: readonly FailingDelivery[];
  next_cursor: string | null;
}

export interface Host {
  host_id: string;
  name: string;
  created_at: string;
  revoked_at: string | null;
  state: "idle" | "busy" | "paused" | "draining" | "set aside" | "resting" | "lost" | "gone";
  last_seen: string | null;
  held_until: string | null;
  set_aside_until: string | null;
  set_aside_reason: string | null;
  resting_until: string | null;
  resting_reason: string | null;
  note: string | null;
  labels: readonly string[];
  agent_version: string | null;
  renderer: "radar" | "cs2" | null;
  game_build: string | null;
  gpu: string | null;
  encoder: string | null;
  max_resolution: number | null;
  max_film_height: number | null;
  max_fps: number | null;
  clock_off_s: number | null;
  jobs: readonly {
    job_id: string;
    status: "pending" | "prefetch" | "render" | "done" | "retrying" | "error" | null;
    progress: number | null;
  }[];
  failures_24h: {
    [name: string]: number;
  };
  push: PushSettings | null;
}

export interface HostChanges {
  name?: string | undefined;
  labels?: readonly string[] | undefined;
  hold?: "paused" | "draining" | null | undefined;
  until?: string | null | undefined;
  note?: string | null | undefined;
  set_aside?: false | undefined;
}

export interface HostDetail {
  host_id: string;
  name: string;
  created_at: string;
  revoked_at: string | null;
  state: "idle" | "busy" | "paused" | "draining" | "set aside" | "resting" | "lost" | "gone";
  last_seen: string | null;
  held_until: string | null;
  set_aside_until: string | null;
  set_aside_reason: string | null;
  resting_until: string | null;
  resting_reason: string | null;
  note: string | null;
  labels: readonly string[];
  agent_version: string | null;
  renderer: "radar" | "cs2" | null;
  game_build: string | null;
  gpu: string | null;
  encoder: string | null;
  max_resolution: number | null;
  max_film_height: number | null;
  max_fps: number | null;
  clock_off_s: number | null;
  jobs: readonly {
    job_id: string;
    status: "pending" | "prefetch" | "render" | "done" | "retrying" | "error" | null;
    progress: number | null;
  }[];
  failures_24h: {
    [name: string]: number;
  };
  push: PushSettings | null;
  slots: number;
  driver: string | null;
  free_bytes: number | null;
  ended: readonly {
    job_id: string;
    code: string | null;
    started_at: string | null;
    ended_at: string;
  }[];
  faults: readonly {
    code: string;
    count: number;
    last_at: string;
    job_ids: readonly string[];
  }[];
}

export interface HostList {
  hosts: readonly Host[];
  next_cursor: string | null;
}

export interface HostOnce {
  host_id: string;
  name: string;
  token: string;
  push_secret?: string | undefined;
}

export interface HostRegistration {
  registration_id: string;
  name: string;
  uses: number;
  used: number;
  expires_at: string;
  created_at: string;
  revoked_at: string | null;
}

export interface HostRegistrationList {
  registrations: readonly HostRegistration[];
  next_cursor: string | null;
}

export interface HostRegistrationOnce {
  registration_id: string;
  name: string;
  token: string;
  uses: number;
  expires_at: string;
}

export interface JobStory {
  job: {
    id: string;
    status: JobStatus;
    priority: boolean;
    fps: number | null;
    resolution: number;
    clip_id: string | null;
    error_code: JobErrorCode | null;
    created_at: string;
    finished_at: string | null;
    payload: JobPayload;
  };
  account_id: string;
  account_name: string | null;
  clip_id: string;
  run: number;
  attempt: number;
  host_seconds: number;
  queued_at: string;
  retry_at: string | null;
  error_detail: string | null;
  progress: number | null;
  queue: QueuePlace | null;
  lease: {
    host_id: string;
    host_name: string | null;
    granted_at: string;
    deadline: string;
    is_confirmed: boolean;
  } | null;
  attempts: readonly {
    run: number;
    attempt: number;
    fence: number;
    host_id: string;
    host_name: string | null;
    game_build: string | null;
    granted_at: string;
    ended_at: string;
    code: string | null;
    detail: string | null;
    log: string | null;
  }[];
  deliveries: readonly Delivery[];
  clip: {
    state: "ready" | "deleted";
    is_saved: boolean;
    title: string;
    duration_seconds: number;
    rendered_at: string;
    rendered_by: string | null;
    host_name: string | null;
    video: {
      key: string;
      bytes: number;
      sha256: string;
    };
    thumbnail: {
      key: string;
      bytes: number;
      sha256: string;
    };
    removal: ClipRemoval | null;
  } | null;
}

export interface KeyList {
  keys: readonly ApiKey[];
  next_cursor: string | null;
}

export interface Maintenance {
  reason: string;
  since: string;
  until: string | null;
  operator: string;
}

export interface MaintenanceRequest {
  reason: string;
  until?: string | null | undefined;
}

export interface NewAccount {
  name: string;
  provisioned_slots?: number | null | undefined;
  renderer?: "radar" | "cs2" | "cs2_only" | null | undefined;
  labels?: readonly string[] | undefined;
}

export interface NewHost {
  name: string;
  push?: PushSettings | undefined;
}

export interface NewHostRegistration {
  name: string;
  uses?: number | undefined;
  expires_in_hours?: number | undefined;
}

export interface NewOperator {
  name: string;
  role: "read" | "operate" | "admin";
}

export interface Operator {
  operator_id: string;
  name: string;
  role: "read" | "operate" | "admin";
  created_at: string;
  revoked_at: string | null;
}

export interface OperatorList {
  operators: readonly Operator[];
  next_cursor: string | null;
}

export interface OperatorOnce {
  operator_id: string;
  name: string;
  role: "read" | "operate" | "admin";
  token: string;
}

export interface Overview {
  at: string;
  firing: readonly {
    alert: string;
    text: string;
    since: string | null;
    help: string;
  }[];
  alerts: {
    receiver: string | null;
    last_sent: string | null;
    last_error: {
      since: string;
      error: string;
    } | null;
  };
  maintenance: Maintenance | null;
  queue: readonly {
    tier: "metered" | "reserved";
    waiting: number;
    oldest_s: number | null;
  }[];
  waits: readonly {
    jobs: number;
    oldest_s: number;
    reason: "account_suspended" | "retry_later" | "no_host" | "hosts_gone" | "hosts_awaited" | "hosts_held" | "host_avoided" | "slots_in_use" | "share_in_use" | "hosts_busy" | "offered" | "in_turn";
    text: string;
    hosts: number;
    until: string | null;
    needs: {
      resolution: number;
      fps: number;
      renderer: "radar" | "cs2" | null;
      labels: readonly string[];
      skills: readonly string[];
      refused_builds: readonly string[];
    };
  }[];
  running: number;
  hosts: {
    [name: string]: number;
  };
  webhooks: {
    failing: number;
    exhausted: number;
    given_up: number;
  };
  clips: {
    count: number;
    bytes: number;
  };
  speed: {
    clips_an_hour: number;
    p50_s: number | null;
    p95_s: number | null;
    clips: number;
  };
  wrong_variables: readonly {
    variable: string;
    problem: string;
  }[];
  days: readonly {
    day: string;
    done: number;
    rendered_seconds: number;
    failed: {
      [name: string]: number;
    };
  }[];
}

export interface PushCapabilities {
  renderer: "radar" | "cs2";
  max_resolution: 1080 | 1440;
  max_fps: number;
  game_build: string | null;
  max_film_height?: number | undefined;
  skills?: readonly string[] | undefined;
}

export interface PushSettings {
  url: string;
  slots: number;
  capabilities: PushCapabilities;
}

export interface RecoverRequest {
  at?: string | undefined;
  bookmark?: string | undefined;
}

export interface Recovered {
  job_id: string;
  status: "pending" | "prefetch" | "render" | "done" | "retrying" | "error" | null;
  undo_bookmark: string;
}

export interface ReindexRequest {
  objects: readonly string[];
}

export interface Reindexed {
  indexed: number;
  current: number;
  empty: number;
  failed: readonly string[];
}

export interface ResendRequest {
  job_ids?: readonly string[] | undefined;
  all?: "exhausted" | undefined;
  account?: string | undefined;
  cursor?: string | undefined;
}

export interface Resent {
  resent: number;
  refused: readonly {
    job_id: string;
    reason: string;
  }[];
  next_cursor: string | null;
}

export interface RetryAnswer {
  jobs: number;
  reserved: number;
  webhooks: number;
  seconds: number;
  unknown_seconds: number;
  checked: number;
  refused: readonly {
    job_id: string;
    reason: string;
  }[];
  next_cursor: string | null;
}

export interface RetryRequest {
  job_ids?: readonly string[] | undefined;
  all?: true | undefined;
  status?: "error" | "done" | undefined;
  error_code?: string | undefined;
  account?: string | undefined;
  tier?: "metered" | "reserved" | undefined;
  host?: string | undefined;
  build?: string | undefined;
  created_from?: string | undefined;
  created_to?: string | undefined;
  dry_run?: boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface SearchAnswer {
  results: readonly {
    kind: "job" | "clip" | "account" | "host";
    id: string;
    name: string;
    job_id: string | null;
    account_id: string | null;
    account_name: string | null;
  }[];
  accounts_tried: number;
  is_every_account: boolean;
}

export interface SecretHeaders {
  headers: {
    [name: string]: string;
  };
}

export interface TakeDown {
  reason: string;
}

export interface OperatorOperations {
  listAccounts: {
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: AccountList;
  };
  createAccount: {
    body: NewAccount;
    answer: Account;
  };
  getAccount: {
    params: {
      id: string;
    };
    answer: Account;
  };
  changeAccount: {
    params: {
      id: string;
    };
    body: AccountChanges;
    answer: Account;
  };
  cancelAccount: {
    params: {
      id: string;
    };
    query?: {
      cursor?: string | undefined;
    } | undefined;
    answer: Canceled;
  };
  eraseAccount: {
    params: {
      id: string;
    };
    body: AccountErasure;
    answer: ErasingAccount;
  };
  exportAccount: {
    params: {
      id: string;
    };
    query?: {
      cursor?: string | undefined;
    } | undefined;
    answer: AccountExport;
  };
  getAccountFile: {
    params: {
      id: string;
      file: string;
    };
    answer: string;
  };
  cancelAnyJob: {
    params: {
      id: string;
    };
    answer: JobRef;
  };
  listAccountRules: {
    params: {
      id: string;
    };
    answer: {
      rules: readonly Rule[];
    };
  };
  listKeys: {
    params: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: KeyList;
  };
  createKey: {
    params: {
      id: string;
    };
    body: NewKey;
    answer: KeyOnce;
  };
  rotateKey: {
    params: {
      id: string;
      key: string;
    };
    answer: KeyOnce;
  };
  revokeKey: {
    params: {
      id: string;
      key: string;
    };
    query?: {
      keep_made?: "true" | "false" | undefined;
    } | undefined;
    answer: undefined;
  };
  listHosts: {
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: HostList;
  };
  getHost: {
    params: {
      id: string;
    };
    answer: HostDetail;
  };
  createHost: {
    body: NewHost;
    answer: HostOnce;
  };
  changeHost: {
    params: {
      id: string;
    };
    body: HostChanges;
    answer: Host;
  };
  setHostHeaders: {
    params: {
      id: string;
    };
    body: SecretHeaders;
    answer: undefined;
  };
  rotateHost: {
    params: {
      id: string;
    };
    answer: HostOnce;
  };
  revokeHost: {
    params: {
      id: string;
    };
    answer: undefined;
  };
  listRegistrations: {
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: HostRegistrationList;
  };
  createRegistration: {
    body: NewHostRegistration;
    answer: HostRegistrationOnce;
  };
  revokeRegistration: {
    params: {
      id: string;
    };
    answer: undefined;
  };
  getOverview: {
    query?: {
      days?: number | undefined;
    } | undefined;
    answer: Overview;
  };
  checkFaceit: {
    answer: FaceitCheck;
  };
  testAlerts: {
    answer: AlertTested;
  };
  watchOverview: {
    event: Overview;
  };
  searchAll: {
    query: {
      q: string;
      account?: string | undefined;
    };
    answer: SearchAnswer;
  };
  listAllJobs: {
    query?: {
      created_from?: string | undefined;
      created_to?: string | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
      account?: string | undefined;
      status?: "pending" | "prefetch" | "render" | "done" | "retrying" | "error" | undefined;
      mode?: "round" | "timeline" | "inspect" | undefined;
      tier?: "metered" | "reserved" | undefined;
      error_code?: string | undefined;
    } | undefined;
    answer: AllJobs;
  };
  getJobStory: {
    params: {
      id: string;
    };
    query?: {
      host?: string | undefined;
      fence?: number | undefined;
    } | undefined;
    answer: JobStory;
  };
  recoverJob: {
    params: {
      id: string;
    };
    body: RecoverRequest;
    answer: Recovered;
  };
  reindexJobs: {
    body: ReindexRequest;
    answer: Reindexed;
  };
  checkClips: {
    body: CheckClips;
    answer: CheckedClips;
  };
  removeClip: {
    params: {
      id: string;
    };
    body: TakeDown;
    answer: undefined;
  };
  listTroubles: {
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
      trouble?: "failing" | "exhausted" | undefined;
      account?: string | undefined;
    } | undefined;
    answer: FailingDeliveryList;
  };
  resendTroubles: {
    body: ResendRequest;
    answer: Resent;
  };
  listArrivals: {
    query?: {
      account?: string | undefined;
    } | undefined;
    answer: ArrivalList;
  };
  resubmitJobs: {
    body: RetryRequest;
    answer: RetryAnswer;
  };
  getControls: {
    answer: Controls;
  };
  beginMaintenance: {
    body: MaintenanceRequest;
    answer: Maintenance;
  };
  endMaintenance: {
    answer: undefined;
  };
  addBlock: {
    body: BlockRequest;
    answer: Block;
  };
  removeBlock: {
    params: {
      id: string;
    };
    answer: undefined;
  };
  listAudit: {
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: AuditList;
  };
  listUsage: {
    query?: {
      from?: string | undefined;
      to?: string | undefined;
      account?: string | undefined;
      format?: "json" | "csv" | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: AllUsage;
  };
  listOperators: {
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    answer: OperatorList;
  };
  createOperator: {
    body: NewOperator;
    answer: OperatorOnce;
  };
  revokeOperator: {
    params: {
      id: string;
    };
    answer: undefined;
  };
  getSession: {
    answer: ConsoleSession;
  };
  beginSession: {
    answer: ConsoleSession;
  };
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
  exportAccount: 'GET /admin/accounts/:id/export',
  getAccountFile: 'GET /admin/accounts/:id/files/:file',
  cancelAnyJob: 'POST /admin/jobs/:id/cancel',
  listAccountRules: 'GET /admin/accounts/:id/rules',
  listKeys: 'GET /admin/accounts/:id/keys',
  createKey: 'POST /admin/accounts/:id/keys',
  rotateKey: 'POST /admin/accounts/:id/keys/:key/rotate',
  revokeKey: 'DELETE /admin/accounts/:id/keys/:key',
  listHosts: 'GET /admin/hosts',
  getHost: 'GET /admin/hosts/:id',
  createHost: 'POST /admin/hosts',
  changeHost: 'PATCH /admin/hosts/:id',
  setHostHeaders: 'PUT /admin/hosts/:id/headers',
  rotateHost: 'POST /admin/hosts/:id/rotate',
  revokeHost: 'DELETE /admin/hosts/:id',
  listRegistrations: 'GET /admin/host-registrations',
  createRegistration: 'POST /admin/host-registrations',
  revokeRegistration: 'DELETE /admin/host-registrations/:id',
  getOverview: 'GET /admin/overview',
  checkFaceit: 'POST /admin/checks/faceit',
  testAlerts: 'POST /admin/alerts/test',
  watchOverview: 'GET /admin/events',
  searchAll: 'GET /admin/search',
  listAllJobs: 'GET /admin/jobs',
  getJobStory: 'GET /admin/jobs/:id',
  recoverJob: 'POST /admin/jobs/:id/recover',
  reindexJobs: 'POST /admin/reindex',
  checkClips: 'POST /admin/clips/check',
  removeClip: 'DELETE /admin/clips/:id',
  listTroubles: 'GET /admin/deliveries',
  resendTroubles: 'POST /admin/deliveries/resend',
  listArrivals: 'GET /admin/arrivals',
  resubmitJobs: 'POST /admin/jobs/resubmit',
  getControls: 'GET /admin/controls',
  beginMaintenance: 'PUT /admin/maintenance',
  endMaintenance: 'DELETE /admin/maintenance',
  addBlock: 'POST /admin/blocks',
  removeBlock: 'DELETE /admin/blocks/:id',
  listAudit: 'GET /admin/audit',
  listUsage: 'GET /admin/usage',
  listOperators: 'GET /admin/operators',
  createOperator: 'POST /admin/operators',
  revokeOperator: 'DELETE /admin/operators/:id',
  getSession: 'GET /console/session',
  beginSession: 'POST /console/session',
  endSession: 'DELETE /console/session',
} as const;

export const OPERATOR_COMMANDS = {
  listAccounts: {"line":"accounts list","about":"list accounts", fields: {
    limit: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
    cursor: {"about":"The `next_cursor` of the previous page."},
  }},
  createAccount: {"line":"accounts create <name>","about":"create an account","place":"body", fields: {
    name: {"about":"The name that people see in lists.","isRequired":true,"input":{"maxLength":100}},
    provisioned_slots: {"kind":"integer","about":"Number of reserved jobs that go ahead of best-effort work at the same time.","isNullable":true,"input":{"min":0,"max":10000}},
    renderer: {"about":"Renderer of clips whose request names none.","values":["radar","cs2","cs2_only"],"isNullable":true},
    labels: {"kind":"array","about":"Labels that a host must have, all of them, to get jobs of the account."},
  }},
  getAccount: {"line":"accounts show <account>","about":"read an account"},
  changeAccount: {"line":"accounts update <account>","about":"change an account","place":"body", fields: {
    name: {"about":"The name that people see in lists.","input":{"maxLength":100}},
    provisioned_slots: {"kind":"integer","about":"Number of reserved jobs that go ahead of best-effort work at the same time.","isNullable":true,"input":{"min":0,"max":10000}},
    renderer: {"about":"Renderer of clips whose request names none.","values":["radar","cs2","cs2_only"],"isNullable":true},
    labels: {"kind":"array","about":"Labels that a host must have, all of them, to get jobs of the account."},
    suspended: {"kind":"boolean","about":"Whether to suspend the account."},
    hide_clips: {"kind":"boolean","about":"Whether the pages and files of its clips answer 410 until the account is resumed."},
    limits: {"kind":"object","about":"Limits of this account alone.","fields":{"requests":{"kind":"integer","about":"Requests a minute, at most."},"submits":{"kind":"integer","about":"Submits a minute, at most."},"uploads":{"kind":"integer","about":"Uploads of assets and demos begun a minute, at most."},"follows":{"kind":"integer","about":"Event streams opened a minute, at most."},"jobs":{"kind":"integer","about":"Jobs not finished at a time, at most."},"jobs_a_day":{"kind":"integer","about":"New jobs, or runs of test keys a day, at most."},"agent_seconds_a_day":{"kind":"integer","about":"Seconds of clip rendered by agents a day, at most."},"jobs_kept":{"kind":"integer","about":"Jobs kept at a time, at most."},"jobs_mib":{"kind":"integer","about":"MiB of requests of kept jobs at a time, at most."},"open_uploads":{"kind":"integer","about":"Demo uploads not complete at a time, at most."},"assets":{"kind":"integer","about":"Assets stored at a time, at most."},"asset_mib":{"kind":"integer","about":"MiB of assets stored at a time, at most."},"frames":{"kind":"integer","about":"Frames rendered a clip, at most."},"unbilled":{"kind":"integer","about":"Unbilled minutes of hosts a day, at most."},"fallback":{"kind":"integer","about":"Minutes before a fallback to the radar a run, at most."}}},
    brand: {"kind":"object","about":"Brand on the clips of this account.","fields":{"name":{"about":"Name that viewers see.","isNullable":true},"url":{"about":"Address to which the name leads.","isNullable":true},"logo":{"about":"Path of a picture instead of icon and name, such as `/player/logo.svg`.","isNullable":true},"colour":{"about":"Accent of the pages, such as `#ffb658`.","isNullable":true}}},
  }},
  cancelAccount: {"about":"cancel all jobs of an account", fields: {
    cursor: {"about":"The `next_cursor` of the previous answer."},
  }},
  eraseAccount: {"line":"accounts erase <account>","about":"erase an account","place":"body", fields: {
    name: {"about":"The present name of the account.","isRequired":true},
  }},
  exportAccount: {"about":"export an account", fields: {
    cursor: {},
  }},
  getAccountFile: {"about":"download an asset or a demo of an account"},
  cancelAnyJob: {"line":"jobs cancel <job>","about":"cancel a job"},
  listAccountRules: {"line":"rules list <account>","about":"list an account's rules"},
  listKeys: {"line":"keys list <account>","about":"list an account's keys", fields: {
    limit: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
    cursor: {"about":"The `next_cursor` of the previous page."},
  }},
  createKey: {"line":"keys create <account> <kind>","about":"create an API key","place":"body", fields: {
    kind: {"about":"`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing.","values":["metered","reserved","test"],"isRequired":true},
    name: {"about":"The name that people see in lists.","input":{"maxLength":100}},
    scope: {"about":"`ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and submits jobs; `manage` does everything, such as deleting clips.","values":["ingest","read","submit","manage"],"input":{"value":"manage"}},
    expires_at: {"kind":"time","about":"Time when the key expires."},
    ingest_limits: {"kind":"object","about":"Limits a day (UTC) of a key of scope `ingest`.","fields":{"mib":{"kind":"integer","about":"MiB of demos sent a day, at most."},"demos":{"kind":"integer","about":"Demos sent a day, at most."},"clips":{"kind":"integer","about":"Clips that rules make of its demos a day, at most."}}},
  }},
  rotateKey: {"line":"keys rotate <account> <key>","about":"rotate an API key"},
  revokeKey: {"line":"keys revoke <account> <key>","about":"revoke an API key", fields: {
    keep_made: {"kind":"flag","about":"`true` revokes this key alone.","values":["true"]},
  }},
  listHosts: {"about":"list render hosts", fields: {
    limit: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
    cursor: {"about":"The `next_cursor` of the previous page."},
  }},
  getHost: {"about":"read a render host"},
  createHost: {"about":"create a render host","place":"body", fields: {
    name: {"about":"The name that people see in lists.","isRequired":true,"input":{"maxLength":100}},
    push: {"kind":"object","about":"Settings of a host that is sent its jobs instead of polling for them.","fields":{"url":{"about":"Address to which grants are posted."},"slots":{"kind":"integer","about":"Number of jobs that the host may have at the same time."},"capabilities":{"kind":"object","about":"The abilities of the host.","fields":{"renderer":{"about":"The renderer of the host.","values":["radar","cs2"]},"max_resolution":{"kind":"integer","about":"Greatest `resolution` that the host renders.","values":[1080,1440]},"max_fps":{"kind":"integer","about":"Highest frame rate that the host renders."},"game_build":{"about":"Build of the game on the host.","isNullable":true},"max_film_height":{"kind":"integer","about":"Greatest height in pixels that the game films, for the operator."},"skills":{"kind":"array","about":"Work that not every host can do: `uploads` fetches demos that were uploaded to the service, `inspect` reports the contents of a demo, `tracks` writes the data of its replay, `aspect` draws other shapes than 16:9, `names` replaces the names of players (docs/gateway.md)."}}}}},
  }},
  changeHost: {"about":"change a render host","place":"body", fields: {
    name: {"about":"The name that people see in lists.","input":{"maxLength":100}},
    labels: {"kind":"array","about":"Labels from the operator."},
    hold: {"about":"`paused` or `draining`: the host finishes its jobs and gets no more.","values":["paused","draining"],"isNullable":true},
    until: {"kind":"time","about":"Time when the hold ends by itself.","isNullable":true},
    note: {"about":"A note for other operators.","isNullable":true,"input":{"maxLength":500}},
    set_aside: {"kind":"flag","about":"`false` deletes its failures, and the report that its recorder does not support its build.","values":[false]},
  }},
  setHostHeaders: {"about":"set the secret headers of a push host","place":"body", fields: {
    headers: {"kind":"object","about":"All headers by name.","fields":{},"isRequired":true},
  }},
  rotateHost: {"line":"hosts rotate <host>","about":"replace a render host's token"},
  revokeHost: {"line":"hosts revoke <host>","about":"revoke a render host's token"},
  listRegistrations: {"line":"registrations list","about":"list registrations of render hosts", fields: {
    limit: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
    cursor: {"about":"The `next_cursor` of the previous page."},
  }},
  createRegistration: {"line":"registrations create <name>","about":"create a registration of render hosts","place":"body", fields: {
    name: {"about":"The name that people see in lists.","isRequired":true,"input":{"maxLength":100}},
    uses: {"kind":"integer","about":"Number of hosts that can register with the token.","input":{"min":1,"max":10000,"value":1}},
    expires_in_hours: {"kind":"number","about":"Hours until the registration expires.","input":{"max":8784,"value":24}},
  }},
  revokeRegistration: {"line":"registrations revoke <registration>","about":"revoke a registration of render hosts"},
  getOverview: {"line":"overview","about":"read the overview", fields: {
    days: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
  }},
  checkFaceit: {"line":"checks faceit","about":"check the access to FACEIT"},
  testAlerts: {"about":"send a test alert"},
  watchOverview: {"about":"follow the overview"},
  searchAll: {"line":"search <q>","about":"search for anything", fields: {
    q: {"about":"An id, an address, an idempotency key or a name.","isRequired":true,"input":{"maxLength":300}},
    account: {"about":"The account of the idempotency key."},
  }},
  listAllJobs: {"line":"jobs list","about":"list jobs of all accounts", fields: {
    created_from: {"kind":"time","about":"Return only items created at this time or later."},
    created_to: {"kind":"time","about":"Return only items created before this time."},
    limit: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
    cursor: {"about":"The `next_cursor` of the previous page."},
    account: {"about":"Return only jobs of this account."},
    status: {"about":"Return only jobs in this state.","values":["pending","prefetch","render","done","retrying","error"]},
    mode: {"about":"Return only jobs of this mode.","values":["round","timeline","inspect"]},
    tier: {"about":"Return only jobs that this kind of key submitted.","values":["metered","reserved"]},
    error_code: {"about":"Return only jobs with this error code.","input":{"maxLength":40}},
  }},
  getJobStory: {"line":"jobs show <job>","about":"read the whole story of a job", fields: {
    host: {"about":"Return only attempts of this host."},
    fence: {"kind":"integer","about":"Return only the attempt with this `fence`.","input":{"min":1}},
  }},
  recoverJob: {"line":"jobs recover <job>","about":"restore an earlier state of a job","place":"body", fields: {
    at: {"kind":"time","about":"Time of the state to restore, at most 30 days ago."},
    bookmark: {"about":"An `undo_bookmark` of an earlier answer, instead of `at`.","input":{"maxLength":200}},
  }},
  reindexJobs: {"about":"rebuild the index from the jobs","place":"body", fields: {
    objects: {"kind":"array","about":"Ids of objects of class RenderJob, as the platform's API lists them.","isRequired":true},
  }},
  checkClips: {"about":"find clips without their files","place":"body", fields: {
    resubmit: {"kind":"flag","about":"Whether clips without their files are rendered again.","values":[true]},
    cursor: {"about":"The `next_cursor` of the previous answer."},
  }},
  removeClip: {"line":"clips remove <clip>","about":"take a clip down","place":"body", fields: {
    reason: {"about":"The reason, for the owner of the clip and the audit log.","isRequired":true,"input":{"maxLength":500}},
  }},
  listTroubles: {"line":"deliveries list","about":"list webhooks that have not arrived", fields: {
    limit: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
    cursor: {"about":"The `next_cursor` of the previous page."},
    trouble: {"values":["failing","exhausted"]},
    account: {"about":"Return only webhooks of this account."},
  }},
  resendTroubles: {"about":"send webhooks again","place":"body", fields: {
    job_ids: {"kind":"array","about":"Send again the webhooks of these jobs."},
    all: {"kind":"flag","about":"Send again the webhooks of all jobs whose webhook is exhausted.","values":["exhausted"]},
    account: {"about":"Limit `all` to this account."},
    cursor: {"about":"The `next_cursor` of the previous answer."},
  }},
  listArrivals: {"line":"arrivals list","about":"list demos that arrive", fields: {
    account: {"about":"Return only demos of this account."},
  }},
  resubmitJobs: {"about":"run jobs again","place":"body", fields: {
    job_ids: {"kind":"array","about":"Ids of the jobs to run again, whatever their code."},
    all: {"kind":"flag","about":"Select all jobs that match the other fields.","values":[true]},
    status: {"about":"State of the jobs to run again: `error` for failed jobs, `done` for jobs with a clip, which is replaced and billed again.","values":["error","done"],"input":{"value":"error"}},
    error_code: {"about":"Select only jobs with this code.","input":{"maxLength":40}},
    account: {"about":"Select only jobs of this account."},
    tier: {"about":"Select only jobs that this kind of key submitted.","values":["metered","reserved"]},
    host: {"about":"Select only jobs whose last attempt was on this host."},
    build: {"about":"Select only jobs that were tried with this build of the game.","input":{"maxLength":100}},
    created_from: {"kind":"time","about":"Return only items created at this time or later."},
    created_to: {"kind":"time","about":"Return only items created before this time."},
    dry_run: {"kind":"flag","about":"Whether to count the jobs without running them.","values":[true]},
    limit: {"kind":"integer","about":"Maximum number of jobs to check in one call.","input":{"min":1,"max":100,"value":100}},
    cursor: {"about":"The `next_cursor` of the previous answer."},
  }},
  getControls: {"line":"blocks list","about":"read maintenance and blocked demos"},
  beginMaintenance: {"line":"maintenance on","about":"begin maintenance","place":"body", fields: {
    reason: {"about":"The reason that clients read in the answer.","isRequired":true,"input":{"maxLength":300}},
    until: {"kind":"time","about":"Time when the maintenance ends by itself.","isNullable":true},
  }},
  endMaintenance: {"line":"maintenance off","about":"end maintenance"},
  addBlock: {"line":"blocks add <address>","about":"block a demo domain or URL","place":"body", fields: {
    address: {"about":"A domain, with its subdomains; or the URL of a demo, whatever its scheme.","isRequired":true,"input":{"maxLength":500}},
    reason: {"about":"The reason, for other operators only.","isRequired":true,"input":{"maxLength":300}},
  }},
  removeBlock: {"line":"blocks remove <block>","about":"remove a block"},
  listAudit: {"line":"audit","about":"list the audit log", fields: {
    limit: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
    cursor: {"about":"The `next_cursor` of the previous page."},
  }},
  listUsage: {"about":"bill what accounts rendered", fields: {
    from: {"about":"The first day (UTC)."},
    to: {"about":"The day (UTC) after the last."},
    account: {"about":"Return only lines of this account, which may be erased."},
    format: {"about":"The format of the answer.","values":["json","csv"]},
    limit: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
    cursor: {},
  }},
  listOperators: {"line":"operators list","about":"list operators", fields: {
    limit: {"kind":"integer","about":"Maximum number of items to return.","input":{"min":1,"max":200}},
    cursor: {"about":"The `next_cursor` of the previous page."},
  }},
  createOperator: {"line":"operators create <name> <role>","about":"create an operator","place":"body", fields: {
    name: {"about":"The name that people see in lists.","isRequired":true,"input":{"maxLength":100}},
    role: {"about":"`read` looks; `operate` also holds hosts and sends webhooks again; `admin` does everything.","values":["read","operate","admin"],"isRequired":true},
  }},
  revokeOperator: {"line":"operators revoke <operator>","about":"revoke an operator's token"},
};
