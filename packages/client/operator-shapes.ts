/* Written by `npm run openapi` out of the operations of the service. */
import type { ClipRemoval, Delivery, JobErrorCode, JobPayload, JobRef, JobStatus, KeyOnce, NewKey, QueuePlace, Rule } from './shapes.ts';

export interface Account {
  account_id: string;
  name: string;
  provisioned_slots: number | null;
  renderer: "radar" | "cs2" | null;
  labels: readonly string[];
  suspended_at: string | null;
  clips_hidden: boolean;
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
    open_uploads?: number | undefined;
    assets?: number | undefined;
    asset_mib?: number | undefined;
    frames?: number | undefined;
    unbilled?: number | undefined;
    fallback?: number | undefined;
  };
  created_at: string;
}

export interface AccountChanges {
  name?: string | undefined;
  provisioned_slots?: number | null | undefined;
  renderer?: "radar" | "cs2" | null | undefined;
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
    open_uploads?: number | undefined;
    assets?: number | undefined;
    asset_mib?: number | undefined;
    frames?: number | undefined;
    unbilled?: number | undefined;
    fallback?: number | undefined;
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
  renderer: "radar" | "cs2" | null;
  labels: readonly string[];
  suspended_at: string | null;
  clips_hidden: boolean;
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
    open_uploads?: number | undefined;
    assets?: number | undefined;
    asset_mib?: number | undefined;
    frames?: number | undefined;
    unbilled?: number | undefined;
    fallback?: number | undefined;
  };
  created_at: string;
  keeps: string;
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
  renderer?: "radar" | "cs2" | null | undefined;
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

export const OPERATOR_COMMANDS: Readonly<Record<string, keyof OperatorOperations>> = {
  'accounts list': 'listAccounts',
  'accounts create <name>': 'createAccount',
  'accounts show <account>': 'getAccount',
  'accounts update <account>': 'changeAccount',
  'accounts erase <account>': 'eraseAccount',
  'jobs cancel <job>': 'cancelAnyJob',
  'rules list <account>': 'listAccountRules',
  'keys list <account>': 'listKeys',
  'keys create <account> <kind>': 'createKey',
  'keys rotate <account> <key>': 'rotateKey',
  'keys revoke <account> <key>': 'revokeKey',
  'hosts rotate <host>': 'rotateHost',
  'hosts revoke <host>': 'revokeHost',
  'registrations list': 'listRegistrations',
  'registrations create <name>': 'createRegistration',
  'registrations revoke <registration>': 'revokeRegistration',
  'overview': 'getOverview',
  'search <q>': 'searchAll',
  'jobs list': 'listAllJobs',
  'jobs show <job>': 'getJobStory',
  'jobs recover <job>': 'recoverJob',
  'clips remove <clip>': 'removeClip',
  'deliveries list': 'listTroubles',
  'blocks list': 'getControls',
  'maintenance on': 'beginMaintenance',
  'maintenance off': 'endMaintenance',
  'blocks add <address>': 'addBlock',
  'blocks remove <block>': 'removeBlock',
  'audit': 'listAudit',
  'operators list': 'listOperators',
  'operators create <name> <role>': 'createOperator',
  'operators revoke <operator>': 'revokeOperator',
};
