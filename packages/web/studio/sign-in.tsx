import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { createTickreel } from '#client/index.ts';
import { Field, Form } from '../parts/components.tsx';
import { Trouble } from './trouble.tsx';

interface Props {
  /** Why the user has to sign in again; null at first. */
  readonly refusal: unknown;
  onSignedIn(apiKey: string): void;
}

export function SignIn({ refusal, onSignedIn }: Props): JSX.Element {
  const [trouble, setTrouble] = useState(refusal);

  async function signIn({ key: apiKey = '' }: Record<string, string>): Promise<void> {
    const client = createTickreel({ baseUrl: location.origin, apiKey });
    await client.clips
      .list({ limit: 1 })
      .page()
      .then(() => onSignedIn(apiKey), setTrouble);
  }

  return (
    <section class="card sign-in">
      <h1>Studio</h1>
      <p>Open a demo, tick moments, get clips to share.</p>
      <Form submit="Sign in" isMain onSend={signIn}>
        <Field
          {...{ label: 'Your API key', name: 'key', type: 'password', required: true, placeholder: 'tr_met_…' }}
          autocomplete="off"
          aria-describedby="key-help"
        />
      </Form>
      <p id="key-help" class="hint">
        It stays in this tab until you close it. The operator of the service gives you one.
      </p>
      <Trouble error={trouble} />
    </section>
  );
}
