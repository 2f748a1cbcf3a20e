import type { HostPolicy } from '#domain/host/host-state.ts';
import type { PushSettings } from '#protocol/host/push.ts';
import type { Suggestion } from './dispatcher.ts';

/** The calls that the object of a push host answers. A push host does not poll: the service sends it jobs. */
export interface PushHostRpc {
  /** Stores the host with a closed circuit, and registers it with the dispatcher. Keeps its secret headers. */
  register(host: PushHostRegistration): Promise<void>;
  /** Replaces the secret headers of the calls. Returns false if there is no such host. */
  setHeaders(headers: Readonly<Record<string, string>>): Promise<boolean>;
  /** Applies the operator's changes to the host. Ignores an older revision. */
  revise(policy: HostPolicy): Promise<void>;
  /** Deletes the host: it is sent no more jobs. */
  revoke(): Promise<void>;
  /** Sends the host a suggested job. Returns before the host has answered. */
  push(hostId: string, suggestion: Suggestion): void;
}

export interface PushHostRegistration {
  readonly id: string;
  readonly push: PushSettings;
  /** SHA-256 of the host's token. The secret that grants are signed with is derived from it. */
  readonly tokenSha256: string;
  /** The operator's policy for the host. */
  readonly policy?: HostPolicy | undefined;
}
