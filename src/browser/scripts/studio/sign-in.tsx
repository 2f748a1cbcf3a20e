import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Tickreel } from '#client/index.ts';
import { Trouble } from './trouble.tsx';

interface Props {
  clientOf(key: string): Tickreel;
  /** Why the user has to sign in again; null at first. */
  readonly refusal: unknown;
  onSignedIn(key: string): void;
}

export function SignIn({ clientOf, refusal, onSignedIn }: Props): JSX.Element {
  const [trouble, setTrouble] = useState(refusal);
  const [isBusy, setBusy] = useState(false);

  async function signIn(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget as HTMLFormElement).get('key') ?? '').trim();
    setBusy(true);
    try {
      await clientOf(key).clips.list({ limit: 1 }).page();
      onSignedIn(key);
    } catch (error) {
      setTrouble(error);
      setBusy(false);
    }
  }

  return (
    <form class="card sign-in" onSubmit={(event) => void signIn(event)}>
      <h1>Studio</h1>
      <p>Open a demo, tick moments, get clips to share.</p>
      <label for="key">Your API key</label>
      <div class="row">
        <input
          id="key"
          name="key"
          type="password"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="tr_met_…"
          aria-describedby="key-help"
        />
        <button class="main" type="submit" disabled={isBusy}>
          Sign in
        </button>
      </div>
      <p id="key-help" class="hint">
        It is kept in this tab only, until you close it. The operator of the service gives you one.
      </p>
      <Trouble error={trouble} />
    </form>
  );
}
