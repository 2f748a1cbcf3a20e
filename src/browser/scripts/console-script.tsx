import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ConsoleSession } from '#client/operator-shapes.ts';
import { Field, Form } from './components.tsx';
import { call, operatorWith } from './console/operator.ts';
import { Brand, Workspace } from './console/workspace.tsx';
import { isUnauthorized, messageOf } from './errors.ts';

/** The operator's console: asks for an operator's token, then shows the views. */
function Console() {
  /** Undefined until the service has answered, null without a session. */
  const [session, setSession] = useState<ConsoleSession | null>();
  const [message, setMessage] = useState('');
  useEffect(() => {
    call('getSession').then(setSession, () => setSession(null));
  }, []);
  const change = (to: ConsoleSession | null, why: string) => {
    setSession(to);
    setMessage(why);
  };
  return (
    <>
      {session && <Workspace session={session} onMessage={setMessage} onLeave={(why) => change(null, why)} />}
      {session === null && <SignIn onMessage={setMessage} onSession={(begun) => change(begun, '')} />}
      <p role="status">{message}</p>
    </>
  );
}

interface SignInProps {
  onMessage(text: string): void;
  onSession(session: ConsoleSession): void;
}

function SignIn({ onMessage, onSession }: SignInProps) {
  useEffect(() => {
    document.title = 'Sign in · Tickreel';
  }, []);
  const signIn = ({ token = '' }: Record<string, string>) =>
    operatorWith(token)
      .call('beginSession')
      .then(onSession, (error: unknown) =>
        onMessage(isUnauthorized(error) ? "That is not an operator's token." : messageOf(error)),
      );
  return (
    <>
      <header>
        <Brand />
      </header>
      <main>
        <div class="card sign-in">
          <h1>Tickreel console</h1>
          <Form submit="Sign in" isMain onSend={signIn}>
            {/* Password managers ask for a name. */}
            <input name="username" autocomplete="username" value="operator" hidden />
            <Field label="An operator's token" name="token" type="password" autocomplete="current-password" required />
          </Form>
        </div>
      </main>
    </>
  );
}

const root = document.querySelector('#console');
root?.replaceChildren();
if (root) render(<Console />, root);
