import { type FollowOptions, followJob, isFinished, type JobProgress } from './follow.ts';
import type { CallOperation, Methods } from './operations.ts';
import type { AccountMethods, AccountOperations, Job } from './shapes.ts';
import type { Transport } from './transport.ts';

export interface WaitOptions extends FollowOptions {
  /** Called at each change of the job. */
  readonly onProgress?: ((progress: JobProgress) => void) | undefined;
}

export interface Jobs extends Methods<AccountMethods['jobs']> {
  /** Follows a job: yields its present state, then each change, until its outcome. */
  watch(jobId: string, options?: FollowOptions): AsyncGenerator<JobProgress>;
  /**
   * Follows a job and resolves with its outcome, whichever it is, and its diagnosis. Retries during outages; rejects
   * when the service refuses.
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
}

export function createJobs(
  transport: Transport,
  call: CallOperation<AccountOperations>,
  methods: Methods<AccountMethods['jobs']>,
): Jobs {
  return {
    ...methods,
    watch: (id, options) => followJob(transport, call, id, options),

    async wait(id, { onProgress, ...options } = {}) {
      const { signal } = options;
      for (;;) {
        for await (const progress of followJob(transport, call, id, options)) onProgress?.(progress);
        const job = await methods.get(id, { include: ['diagnosis'], signal, maxRetries: Infinity });
        // Another client may have queued it again meanwhile.
        if (isFinished(job)) return job;
      }
    },
  };
}
