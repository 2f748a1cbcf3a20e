import type { Renderer } from '../../domain/need.ts';
import type { RenderOrder } from '../../domain/render-order.ts';
import type { Result } from '../../domain/result.ts';
import type { ValidRequest } from '../../protocol/submit.ts';

/** A submit as the job's object takes it. */
export interface Submission {
  readonly jobId: string;
  readonly accountId: string;
  readonly clipId: string;
  /** Missing where a Worker of before submits. */
  readonly database?: string;
  readonly priority: boolean;
  readonly request: ValidRequest;
  readonly requestId?: string;
  /** What the account asks of hosts. A Worker of the version before asks for nothing. */
  readonly asks?: { readonly renderer: Renderer | null; readonly labels: readonly string[] };
}

/** `created` is a 201; the others matched an existing job. `differs`: a replay whose request is another one. */
export type SubmitOutcome = 'created' | 'replayed' | 'differs' | 'redone';

export interface GrantedLease {
  readonly fence: number;
  readonly order: RenderOrder;
  /** Names the demo for hosts that keep demos; an object of the version before names none. */
  readonly demoKey?: string;
  /** Names the account to hosts, likewise. */
  readonly accountKey?: string;
}

export type Claimed = Result<GrantedLease, 'not_queued' | 'leased'>;

/** What a host's upload needs to know. `isDone`: the host has completed the job, and may say so again. */
export interface Leased {
  readonly clipId: string;
  readonly isDone: boolean;
}

export type ClipChange = 'save' | 'unsave' | 'delete-clip';
