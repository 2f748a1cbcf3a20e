/**
 * How the table of cases drives a client. A driver is a small program in the client's language. It reads one `Task` a
 * line from its standard input, and writes one `Outcome` a line to its standard output, in the same order, until its
 * input ends. Everything is JSON; absent fields may be left out. It makes a new client for each task.
 *
 * A driver replaces the client's waits between attempts (and between polls) by a function that notes the seconds and
 * returns at once, so that no case waits. Timeouts of an attempt are real. With `keeps_waits`, it notes and waits,
 * because a real service would be polled all the time.
 */
export interface Task {
  readonly client: {
    readonly base_url: string;
    readonly api_key: string;
    readonly timeout_s?: number;
    readonly max_retries?: number;
    readonly webhook_secret?: string;
    readonly keeps_waits?: boolean;
  };
  readonly call: ClientCall;
}

/** What the client does. The value in `Outcome` is in the comment. */
export type ClientCall =
  /** `{ job_id, replayed, body_differs }` */
  | { readonly do: 'submit'; readonly request: object }
  /** The `results` of the batch. */
  | { readonly do: 'submit_batch'; readonly requests: readonly object[]; readonly defaults?: object }
  /** The plan. */
  | { readonly do: 'plan'; readonly request: object }
  /**
   * The clip; progress has `{ status, progress, attempt, error_code }` of each change. `timeout_s`: for all of it.
   * `interrupt`: the program stops the client at its first progress, which cancels the job; the error is `interrupted`.
   */
  | { readonly do: 'render'; readonly request: object; readonly timeout_s?: number; readonly interrupt?: boolean }
  /** The job. */
  | { readonly do: 'get_job'; readonly id: string; readonly include?: readonly string[] }
  /** The job, with progress as `render`. */
  | { readonly do: 'wait_job'; readonly id: string }
  /** `{ job_id }` */
  | { readonly do: 'resubmit_job' | 'cancel_job'; readonly id: string }
  /** null */
  | { readonly do: 'save_clip' | 'delete_clip'; readonly id: string }
  /** The ids of the items, at most `take` of them. `query` filters. */
  | { readonly do: 'list_jobs' | 'list_clips'; readonly query?: object; readonly take?: number }
  /** `[{ id, job_id, status }, …]`: the first `take` changes of the account. */
  | { readonly do: 'events'; readonly after?: string; readonly take: number }
  /** The demo. */
  | { readonly do: 'inspect'; readonly demo: string }
  /** The upload; progress has the bytes that have arrived, as numbers. */
  | { readonly do: 'upload'; readonly path: string; readonly name: string; readonly tag?: string }
  /** null; the file is at `path`. */
  | { readonly do: 'download'; readonly id: string; readonly path: string }
  /** The webhook. Without `secrets` the client's own secret is used; `insecure` takes unsigned webhooks. */
  | {
      readonly do: 'unwrap';
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly secrets?: readonly string[];
      readonly insecure?: boolean;
      /** The form in which an untyped client gets them: the parsed body, or pairs of headers. */
      readonly as?: 'parsed' | 'pairs';
    };

/** What came of a task: a value or an error. */
export interface Outcome {
  readonly value?: unknown;
  readonly error?: Failure;
  /** Each progress that the client reported; empty without any. */
  readonly progress: readonly unknown[];
  /** The seconds of each wait. */
  readonly waits: readonly number[];
}

/** An error of a client. What it does not have is null. */
export interface Failure {
  /**
   * The class of the error: `problem` is an answer of the service, `no_answer` a call without one (and a `render` that
   * took too long), `usage` a mistake of the program, such as a missing secret.
   */
  readonly class: 'problem' | 'no_answer' | 'job_failed' | 'webhook_invalid' | 'interrupted' | 'usage' | 'other';
  /** `invalid_request`, `not_reached`, `timed_out`, the `error_code` of a job, `webhook_invalid`. */
  readonly code: string | null;
  readonly status: number | null;
  readonly request_id: string | null;
  /** Each broken rule. */
  readonly errors: readonly { readonly path: string; readonly message: string }[] | null;
  readonly retry_after_s: number | null;
  readonly docs_url: string | null;
  readonly diagnosis: object | null;
  readonly is_transient: boolean | null;
  readonly message: string;
}
