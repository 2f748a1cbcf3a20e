import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { createTickreel, type Tickreel } from '#client/index.ts';
import { Gallery } from './gallery.tsx';
import { Moments } from './moments.tsx';
import { PickDemo } from './pick-demo.tsx';
import { Renders, type RunningJob } from './renders.tsx';
import type { Demo } from './shapes.ts';
import { SignIn } from './sign-in.tsx';

/** The key stays in this tab, and is gone with it. */
const STORED_KEY = 'tickreel-key';

const clientOf = (apiKey: string): Tickreel => createTickreel({ baseUrl: location.origin, apiKey });

/** Make clips in the browser: sign in with a key, give a demo, tick what to clip, and see it made. */
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
  const leave = () => {
    sessionStorage.removeItem(STORED_KEY);
    setClient(null);
  };
  return <Desk client={client} onLeave={leave} />;
}

function Desk({ client, onLeave }: { client: Tickreel; onLeave: () => void }) {
  const [demo, setDemo] = useState<Demo | null>(null);
  const [jobs, setJobs] = useState<readonly RunningJob[]>([]);
  const [clipsMade, setClipsMade] = useState(0);
  const [left] = useState(() => new AbortController());
  useEffect(() => () => left.abort(), []);
  return (
    <>
      <div class="bar">
        <h1>Studio</h1>
        <button type="button" onClick={onLeave}>
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
