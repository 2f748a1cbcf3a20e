import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job, JobProgress, JobSummary, Tickreel } from '#client/index.ts';
import { allows, type Scope } from '#domain/account/account.ts';
import { Button, Progress } from '../parts/components.tsx';
import { messageOf } from '../parts/format.ts';
import { type ClipChoice, labelOf } from './clip-choice.ts';

/** A job as it was listed or submitted. */
export interface RunningJob extends Pick<JobSummary, 'id' | 'status' | 'error_code' | 'created_at'> {
  /** Given for jobs that this page has submitted. */
  readonly label?: string;
}

interface Props {
  readonly client: Tickreel;
  /** The newest first. */
  readonly jobs: readonly RunningJob[];
  /** Those of the open demo, which name the listed jobs. */
  readonly moments: ReadonlyMap<string, ClipChoice>;
  /** Called when a clip is rendered. */
  onClip(): void;
}

/** The known state of a job. `trouble`: why its state cannot be loaded any more. */
type State = Pick<JobProgress, 'status' | 'error_code'> & {
  readonly progress?: number | null;
  readonly trouble?: string;
};

const isOver = ({ status }: State) => status === 'done' || status === 'error';
const isWorking = ({ status }: State) => status === 'prefetch' || status === 'render';

/**
 * Shows the renders. One stream follows a job with its progress: the oldest job that a host works on, or else the
 * oldest. Another stream has the account's changes, for all other jobs. Over plain http a browser opens at most six
 * connections to an origin, so the page uses at most two streams.
 */
export function Renders({ client, jobs, moments, onClip }: Props): JSX.Element | null {
  const [states, setStates] = useState<ReadonlyMap<string, State>>(new Map());
  const stateOf = (job: RunningJob): State => states.get(job.id) ?? job;
  const open = jobs.filter((job) => !isOver(stateOf(job)) && !stateOf(job).trouble);
  const followed = (open.findLast((job) => isWorking(stateOf(job))) ?? open.at(-1))?.id;
  const hasMore = open.length > 1;
  const others = useRef(new Set<string>());
  others.current = new Set(open.map(({ id }) => id).filter((id) => id !== followed));
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

  // A submitted job is shown to the user, who may have pressed the button far from here.
  const section = useRef<HTMLElement>(null);
  const submitted = jobs.filter(({ label }) => label !== undefined).length;
  useEffect(() => {
    if (submitted === 0) return;
    section.current?.scrollIntoView();
    section.current?.focus({ preventScroll: true });
  }, [submitted]);

  if (jobs.length === 0) return null;
  return (
    <section class="card" aria-labelledby="renders" tabIndex={-1} ref={section}>
      <h2 id="renders">Renders</h2>
      <ul class="renders">
        {jobs.map((job) => (
          <Render key={job.id} client={client} job={job} state={stateOf(job)} moments={moments} onClip={onClip} />
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
  pending: 'Queued',
  prefetch: 'Downloading the demo',
  render: 'Rendering',
  retrying: 'Waiting for a retry',
  done: 'Done',
  error: 'Failed',
};

interface RenderProps extends Pick<Props, 'client' | 'moments' | 'onClip'> {
  readonly job: RunningJob;
  readonly state: State;
}

function Render({ client, job, state, moments, onClip }: RenderProps) {
  const [refusal, setRefusal] = useState('');
  /** The whole job, which names a listed job's clip and has the outcome of an ended one. */
  const [details, setDetails] = useState<Job | null>(null);
  const isEnded = isOver(state);

  useEffect(() => {
    if (!isEnded && job.label !== undefined) return;
    const ask = async (signal: AbortSignal) => {
      setDetails(await client.jobs.get(job.id, { include: ['diagnosis'], signal, maxRetries: Infinity }));
      // This answer waits until the list has the clip. A notice of the job does not.
      if (state.status === 'done') onClip();
    };
    return during(ask, (error) => setRefusal(messageOf(error)));
  }, [isEnded]);

  const id = `render-${job.id}`;
  const label = job.label ?? (details ? labelOf(details.payload, moments.values()) : 'A clip');
  const trouble = isEnded ? '' : refusal || state.trouble;
  const words = state.error_code === 'canceled' ? 'Canceled' : (WORDS[state.status] ?? state.status);
  const percent = isEnded || state.progress == null ? '' : ` ${Math.floor(state.progress * 100)} %`;
  const why = state.status === 'error' ? details?.diagnosis : null;
  return (
    <li>
      <span id={id}>
        <bdi>{label}</bdi>{' '}
        <small>
          <span role="status">{trouble || words}</span>
          {percent}
        </small>
      </span>
      {!isEnded && !trouble && <Progress label={id} value={state.progress ?? null} />}
      {!isEnded && (
        <Button
          text="Cancel"
          label={`Cancel ${label}`}
          onClick={() => client.jobs.cancel(job.id).catch((error: unknown) => setRefusal(messageOf(error)))}
        />
      )}
      {state.status === 'done' && details?.clip_id && (
        <a href={client.clips.urls(details.clip_id).page} aria-label={`Open the clip: ${label}`}>
          Open the clip
        </a>
      )}
      {why && (
        <p class="hint">
          {why.summary} <a href={why.docs_url}>More on {why.error_code}</a>
        </p>
      )}
    </li>
  );
}

interface NeedsProps {
  readonly needed: Scope;
  /** The scope of the user's key. */
  readonly scope: Scope;
  readonly children: ComponentChildren;
}

/** Disables the controls in it if the user's key may not do what they do, and says which key may. */
export function Needs({ needed, scope, children }: NeedsProps): JSX.Element {
  const isAllowed = allows(scope, needed);
  return (
    <fieldset class="needs" disabled={!isAllowed}>
      {!isAllowed && (
        <p class="hint">
          Changes here take a key of scope {needed}. Yours is of scope {scope}.
        </p>
      )}
      {children}
    </fieldset>
  );
}
