import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Demo, Tickreel, UploadSummary } from '#client/index.ts';
import { Button } from '../parts/components.tsx';
import { Account } from './account.tsx';
import { clipChoices } from './clip-choice.ts';
import { connect, writePlace } from './connect.ts';
import { Gallery } from './gallery.tsx';
import { Moments } from './moments.tsx';
import { PickDemo } from './pick-demo.tsx';
import { Renders, type RunningJob } from './renders.tsx';
import { SignIn } from './sign-in.tsx';

/** The name of the key in `sessionStorage`, which is deleted with its tab. */
const STORED_KEY = 'studio-key';

/** Makes clips in the browser: users enter a key and a demo, tick moments, and see the clips rendered. */
export function Studio(): JSX.Element {
  const [key, setKey] = useState(() => sessionStorage.getItem(STORED_KEY));
  const [refusal, setRefusal] = useState<unknown>(null);
  const signOut = (why: unknown) => {
    sessionStorage.clear();
    setRefusal(why);
    setKey(null);
  };
  if (key !== null) return <Workspace apiKey={key} onSignOut={signOut} />;
  const signIn = (accepted: string) => {
    sessionStorage.setItem(STORED_KEY, accepted);
    setKey(accepted);
  };
  return <SignIn refusal={refusal} onSignedIn={signIn} />;
}

const TABS = ['Clips', 'Account'] as const;

interface WorkspaceProps {
  readonly apiKey: string;
  /** Gets the error if the service refused the key, else null. */
  onSignOut(why: unknown): void;
}

function Workspace({ apiKey, onSignOut }: WorkspaceProps) {
  const [demo, setDemo] = useState<Demo | null>(null);
  const [jobs, setJobs] = useState<readonly RunningJob[]>([]);
  const [uploads, setUploads] = useState<readonly UploadSummary[]>([]);
  /** A new version loads the list of clips again. */
  const [version, setVersion] = useState(0);
  const [isReached, setReached] = useState(true);
  const [tab, setTab] = useState<(typeof TABS)[number]>('Clips');
  const moments = useMemo(() => (demo ? clipChoices(demo) : new Map()), [demo]);
  const [left] = useState(() => new AbortController());
  const [client] = useState(() => connect(apiKey, (error) => left.signal.aborted || onSignOut(error), setReached));

  function signOut(): void {
    writePlace({ demoId: null, ticks: [] });
    onSignOut(null);
  }
  function listAll(): void {
    const query = { signal: left.signal, maxRetries: Infinity };
    const newest = client.uploads.list({ limit: MOST_LISTED }, query).page();
    newest.then((page) => setUploads(page.uploads)).catch(() => {});
    unfinishedJobs(client, left.signal).then(
      (listed) => setJobs((before) => byAge([...before, ...listed])),
      () => {},
    );
  }
  // During an outage, the retries of this call detect its end. After it, the list may have changed.
  useEffect(listAll, [isReached]);
  useEffect(() => {
    const signal = left.signal;
    document.addEventListener('visibilitychange', () => document.hidden || listAll(), { signal });
    addEventListener('hashchange', () => location.reload(), { signal });
    return () => left.abort();
  }, []);

  return (
    <>
      <div class="bar">
        <h1>Studio</h1>
        <p role="status" class="notice">
          {!isReached && 'The service cannot be reached. Your work continues when it is back.'}
        </p>
        <nav aria-label="Parts of the studio">
          {TABS.map((name) => (
            <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
              {name}
            </button>
          ))}
        </nav>
        <Button text="Sign out" onClick={signOut} />
      </div>
      {tab === 'Account' && <Account client={client} uploads={uploads} />}
      {/* Hidden, so that uploads and lists go on. */}
      <div class="tab" hidden={tab !== 'Clips'}>
        <PickDemo
          {...{ client, uploads, signal: left.signal, isOpen: demo !== null }}
          onDemo={setDemo}
          onEnd={listAll}
        />
        {demo?.match && (
          <Moments
            key={demo.id}
            client={client}
            signal={left.signal}
            demo={demo}
            match={demo.match}
            moments={moments}
            onSubmitted={(job) => setJobs((before) => byAge([job, ...before]))}
          />
        )}
        <Renders client={client} jobs={jobs} moments={moments} onClip={() => setVersion((before) => before + 1)} />
        <Gallery client={client} isReached={isReached} version={version} />
      </div>
    </>
  );
}

/** The most jobs and demos that are listed, and the newest jobs that are searched for them. */
const MOST_LISTED = 20;
const MOST_SEARCHED = 200;
/** How long a failed job is listed, in milliseconds. */
const FAILED_SHOWN_MS = 24 * 60 * 60_000;

/** Returns the newest jobs that are unfinished or have failed lately. */
async function unfinishedJobs(client: Tickreel, signal: AbortSignal): Promise<readonly RunningJob[]> {
  const { jobs } = await client.jobs.list({ limit: MOST_SEARCHED }, { signal, maxRetries: Infinity }).page();
  const isShown = ({ status, error_code, created_at }: RunningJob) =>
    status === 'error'
      ? error_code !== 'canceled' && Date.parse(created_at) > Date.now() - FAILED_SHOWN_MS
      : status !== 'done';
  return jobs.filter(isShown).slice(0, MOST_LISTED);
}

/** Returns each job once, the newest first. Of two entries of a job, the first one counts. */
function byAge(jobs: readonly RunningJob[]): readonly RunningJob[] {
  const once = jobs.filter(({ id }, index) => jobs.findIndex((other) => other.id === id) === index);
  return once.sort((a, b) => b.created_at.localeCompare(a.created_at));
}
