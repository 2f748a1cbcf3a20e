import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TickreelError } from '#client/errors.ts';
import { createTickreel } from '#client/index.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { Field, Form } from '../parts/components.tsx';
import { isUnauthorized, messageOf } from '../parts/format.ts';

/** Returns the error of a demo that cannot be used. `code`: as of a job. */
export function unfitDemo(code: string, message: string): TickreelError {
  return new TickreelError(code, message, { docsUrl: href(PUBLIC_ROUTES.errorDocs, { code }) });
}

/** Shows what went wrong, with a link to the page that explains it; nothing for null. */
export function Trouble({ error }: { readonly error: unknown }): JSX.Element {
  // The detail of a refused key is for programs.
  const text = isUnauthorized(error) && error.problem ? `${error.problem.title}.` : messageOf(error);
  return (
    <p role="alert" class="trouble">
      {error !== null && text}
      {error instanceof TickreelError && error.docsUrl && (
        <>
          {' '}
          <a href={error.docsUrl}>More on {error.code}</a>
        </>
      )}
    </p>
  );
}

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
