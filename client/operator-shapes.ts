/* Written by `npm run openapi` out of the shapes that the service checks with. */

import type { JobRef } from './shapes.ts';

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
}

/** All accounts. */
export interface AccountList {
  accounts: readonly Account[];
}

/** An API key without its secret. */
export interface ApiKey {
  /** The key, for revoking it. */
  key_id: string;
  /** `metered` for best effort, `reserved` for priority. */
  kind: "metered" | "reserved";
  /** Its beginning and end. */
  hint: string;
  /** When it was made. */
  created_at: string;
  /** When it was revoked; null while it is good. */
  revoked_at: string | null;
}

/** Jobs of an account that were canceled. */
export interface Canceled {
  /** How many of them are canceled now. */
  canceled: number;
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

/** The newest 200 registrations, the newest first. */
export interface HostRegistrationList {
  registrations: readonly HostRegistration[];
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

/** The keys of an account, the revoked ones too. */
export interface KeyList {
  keys: readonly ApiKey[];
}

/** A new API key. */
export interface KeyOnce {
  /** The key, for revoking it. */
  key_id: string;
  /** `metered` for best effort, `reserved` for priority. */
  kind: "metered" | "reserved";
  /** The key itself, shown this once. */
  key: string;
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

export interface OperatorOperations {
  /** List accounts. */
  listAccounts: {
    answer: AccountList;
  };
  /** Make an account. */
  createAccount: {
    body: NewAccount;
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
    answer: KeyList;
  };
  /** Make an API key. */
  createKey: {
    params: {
      /** The account. */
      id: string;
    };
    body: NewKey;
    answer: KeyOnce;
  };
  /** Make the successor of an API key. */
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
  /** Let a render host in. */
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
    answer: HostRegistrationList;
  };
  /** Let many render hosts in. */
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
}
