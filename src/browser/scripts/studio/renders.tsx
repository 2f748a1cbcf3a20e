import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job, JobProgress, Tickreel } from '#client/index.ts';
import { messageOf } from '../errors.ts';

export interface RunningJob {
  readonly jobId: string;
  readonly label: string;
}

interface Props {
  readonly client: Tickreel;
  /** The newest first. */
  readonly jobs: readonly RunningJob[];
  /** Called when a clip is rendered. */
  onClip(): void;
}

/** The known state of a job. `trouble`: why its state cannot be loaded any more. */
type State = Pick<JobProgress, 'status' | 'progress' | 'error_code'> & { readonly trouble?: string };

const isOver = (state?: State) => state?.status === 'done' || state?.status === 'error';
const isWorking = (state?: State) => state?.status === 'prefetch' || state?.status === 'render';

/**
 * Shows the clips in the making. One stream follows a job with its progress: the oldest job that a host works on, or
 * else the oldest. Another stream has the account's changes, for all other jobs. Over plain http a browser opens at most
 * six connections to an origin, so the page uses at most two streams.
 */
export function Renders({ client, jobs, onClip }: Props): JSX.Element | null {
  const [states, setStates] = useState<ReadonlyMap<string, State>>(new Map());
  const open = jobs.filter(({ jobId }) => !isOver(states.get(jobId)) && !states.get(jobId)?.trouble);
  const followed = (open.findLast(({ jobId }) => isWorking(states.get(jobId))) ?? open.at(-1))?.jobId;
  const hasMore = open.length > 1;
  const others = useRef(new Set<string>());
  others.current = new Set(open.map(({ jobId }) => jobId).filter((id) => id !== followed));
  const setState = (jobId: string, state: State) => setStates((before) => new Map(before).set(jobId, state));

  useEffect(() => {
    if (followed === undefined) return;
    const watch = async (signal: AbortSignal) => {
      for await (const state of client.jobs.watch(followed, { signal })) setState(followed, state);
    };
    return during(watch, (error) => {
      setState(followed, { status: 'pending', progress: null, error_code: null, trouble: messageOf(error) });
    });
  }, [client, followed]);

  useEffect(() => {
    if (!hasMore) return;
    const listen = async (signal: AbortSignal) => {
      for await (const { job } of client.events({ signal })) {
        if (others.current.has(job.id)) setState(job.id, { ...job, progress: null });
      }
    };
    // Without this stream, the first stream follows the jobs one after the other.
    return during(listen, () => {});
  }, [client, hasMore]);

  if (jobs.length === 0) return null;
  return (
    <section class="card" aria-labelledby="renders">
      <h2 id="renders">In the making</h2>
      <ul class="renders">
        {jobs.map((job) => (
          <Render key={job.jobId} client={client} job={job} now={states.get(job.jobId)} onClip={onClip} />
        ))}
      </ul>
    </section>
  );
}

/** Starts some work, and returns a function that stops it. */
function during(work: (signal: AbortSignal) => Promise<void>, onError: (error: unknown) => void): () => void {
  const gone = new AbortController();
  work(gone.signal).catch((error: unknown) => {
    if (!gone.signal.aborted) onError(error);
  });
  return () => gone.abort();
}

const WORDS: Readonly<Record<string, string>> = {
  ...{ pending: 'waits for a host', prefetch: 'gets the demo', render: 'is drawn', retrying: 'will be tried again' },
  ...{ done: 'is ready' },
};

interface RenderProps extends Pick<Props, 'client' | 'onClip'> {
  readonly job: RunningJob;
  readonly now: State | undefined;
}

function Render({ client, job, now, onClip }: RenderProps) {
  const [refusal, setRefusal] = useState('');
  const [why, setWhy] = useState<Job['diagnosis']>(null);

  useEffect(() => {
    if (now?.status === 'done') onClip();
    if (now?.status !== 'error') return;
    const ask = async (signal: AbortSignal) =>
      setWhy((await client.jobs.get(job.jobId, { include: ['diagnosis'], signal })).diagnosis ?? null);
    return during(ask, (error) => setRefusal(messageOf(error)));
  }, [now?.status]);

  const id = `render-${job.jobId}`;
  const words = now?.status === 'error' ? `failed: ${now.error_code}` : (WORDS[now?.status ?? ''] ?? 'is queued');
  const trouble = refusal || now?.trouble;
  return (
    <li>
      <span id={id}>
        <bdi>{job.label}</bdi> <small role="status">{trouble || words}</small>
      </span>
      {!isOver(now) &&
        !trouble &&
        (now?.progress == null ? (
          <progress aria-labelledby={id} />
        ) : (
          <progress aria-labelledby={id} max={1} value={now.progress} />
        ))}
      {!isOver(now) && (
        <button
          type="button"
          aria-label={`Cancel ${job.label}`}
          onClick={() => void client.jobs.cancel(job.jobId).catch((error: unknown) => setRefusal(messageOf(error)))}
        >
          Cancel
        </button>
      )}
      {why && (
        <p class="hint">
          {why.summary} <a href={why.docs_url}>More on {why.error_code}</a>
        </p>
      )}
    </li>
  );
}
