import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { createTickreel, type Demo, type Tickreel } from '#client/index.ts';
import { Gallery } from './gallery.tsx';
import { Moments } from './moments.tsx';
import { PickDemo } from './pick-demo.tsx';
import { Renders, type RunningJob } from './renders.tsx';
import { SignIn } from './sign-in.tsx';

/** The name of the key in `sessionStorage`, which is deleted with its tab. */
const STORED_KEY = 'tickreel-key';

const clientOf = (apiKey: string): Tickreel => createTickreel({ baseUrl: location.origin, apiKey });

/** Makes clips in the browser: users enter a key and a demo, tick moments, and see the clips rendered. */
export function Studio(): JSX.Element {
  const [client, setClient] = useState(() => {
    const key = sessionStorage.getItem(STORED_KEY);
    return key === null ? null : clientOf(key);
  });
  if (client === null) {
    return (
      <SignIn
        clientOf={clientOf}
        onSignedIn={(key, signedIn) => {
          sessionStorage.setItem(STORED_KEY, key);
          setClient(signedIn);
        }}
      />
    );
  }
  const forget = () => {
    sessionStorage.removeItem(STORED_KEY);
    setClient(null);
  };
  return <Workspace client={client} onForget={forget} />;
}

function Workspace({ client, onForget }: { client: Tickreel; onForget: () => void }) {
  const [demo, setDemo] = useState<Demo | null>(null);
  const [jobs, setJobs] = useState<readonly RunningJob[]>([]);
  const [clipsMade, setClipsMade] = useState(0);
  const [left] = useState(() => new AbortController());
  useEffect(() => () => left.abort(), []);
  return (
    <>
      <div class="bar">
        <h1>Studio</h1>
        <button type="button" onClick={onForget}>
          Forget the key
        </button>
      </div>
      <PickDemo client={client} signal={left.signal} onDemo={setDemo} />
      {demo?.match && (
        <Moments
          key={demo.id}
          client={client}
          signal={left.signal}
          demoUrl={demo.demo_url}
          match={demo.match}
          onSubmitted={(more) => setJobs((before) => [...more, ...before])}
        />
      )}
      <Renders client={client} jobs={jobs} onClip={() => setClipsMade((count) => count + 1)} />
      <Gallery client={client} version={clipsMade} />
    </>
  );
}
