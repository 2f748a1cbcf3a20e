import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Job, JobProgress, Tickreel } from '../../../client/index.ts';
import { sentenceOf } from './shapes.ts';

export interface RunningJob {
  readonly jobId: string;
  readonly label: string;
}

interface Props {
  readonly client: Tickreel;
  readonly jobs: readonly RunningJob[];
  /** A clip has been made. */
  onClip(): void;
}

/** The clips in the making. */
export function Renders({ client, jobs, onClip }: Props): JSX.Element | null {
  if (jobs.length === 0) return null;
  return (
    <section class="card" aria-labelledby="renders">
      <h2 id="renders">In the making</h2>
      <ul class="renders">
        {jobs.map((job) => (
          <Render key={job.jobId} client={client} job={job} onClip={onClip} />
        ))}
      </ul>
    </section>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  ...{ pending: 'waits for a host', prefetch: 'gets the demo', render: 'is drawn', retrying: 'will be tried again' },
  ...{ done: 'is ready' },
};

function Render({ client, job, onClip }: { client: Tickreel; job: RunningJob; onClip: () => void }) {
  const [now, setNow] = useState<Pick<JobProgress, 'status' | 'progress' | 'error_code'> | null>(null);
  const [trouble, setTrouble] = useState('');
  const [why, setWhy] = useState<Job['diagnosis']>(null);

  useEffect(() => {
    const gone = new AbortController();
    client.jobs
      .wait(job.jobId, { signal: gone.signal, onProgress: setNow })
      .then(async ({ status, error_code }) => {
        setNow({ status, error_code, progress: 1 });
        if (status === 'done') return onClip();
        setWhy((await client.jobs.get(job.jobId, { include: ['diagnosis'], signal: gone.signal })).diagnosis ?? null);
      })
      .catch((error: unknown) => {
        if (!gone.signal.aborted) setTrouble(sentenceOf(error));
      });
    return () => gone.abort();
  }, [client, job.jobId]);

  const id = `render-${job.jobId}`;
  const words = now?.status === 'error' ? `failed: ${now.error_code}` : (WORDS[now?.status ?? ''] ?? 'is queued');
  const isOver = now?.status === 'done' || now?.status === 'error';
  return (
    <li>
      <span id={id}>
        <bdi>{job.label}</bdi> <small role="status">{trouble || words}</small>
      </span>
      {!isOver &&
        trouble === '' &&
        (now?.progress == null ? (
          <progress aria-labelledby={id} />
        ) : (
          <progress aria-labelledby={id} max={1} value={now.progress} />
        ))}
      {!isOver && (
        <button
          type="button"
          aria-label={`Cancel ${job.label}`}
          onClick={() => void client.jobs.cancel(job.jobId).catch((error: unknown) => setTrouble(sentenceOf(error)))}
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
