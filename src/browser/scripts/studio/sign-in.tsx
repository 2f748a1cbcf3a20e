import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Tickreel } from '#client/index.ts';
import { isUnauthorized, messageOf } from '../errors.ts';

interface Props {
  clientOf(key: string): Tickreel;
  onSignedIn(key: string, client: Tickreel): void;
}

export function SignIn({ clientOf, onSignedIn }: Props): JSX.Element {
  const [trouble, setTrouble] = useState('');
  const [isBusy, setBusy] = useState(false);

  async function signIn(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget as HTMLFormElement).get('key') ?? '').trim();
    setBusy(true);
    try {
      const client = clientOf(key);
      await client.clips.list({ limit: 1 }).page();
      onSignedIn(key, client);
    } catch (error) {
      setTrouble(isUnauthorized(error) ? 'The service does not know this key.' : messageOf(error));
      setBusy(false);
    }
  }

  return (
    <form class="card sign-in" onSubmit={(event) => void signIn(event)}>
      <h1>Studio</h1>
      <p>Drop a demo, tick the moments you want, get clips to share.</p>
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
          Begin
        </button>
      </div>
      <p id="key-help" class="hint">
        It stays in this tab, and is forgotten when you close it. You get one from whoever operates this service.
      </p>
      <p role="alert" class="trouble">
        {trouble}
      </p>
    </form>
  );
}
