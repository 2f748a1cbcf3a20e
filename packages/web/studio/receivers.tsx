import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Tickreel, WebhookSecretList } from '#client/index.ts';
import type { Scope } from '#domain/account/account.ts';
import { AskButton } from '../parts/ask.tsx';
import { Button, Field, Secret, type SecretText } from '../parts/components.tsx';
import { timeText } from './gallery.tsx';
import { Needs } from './renders.tsx';
import { Trouble } from './sign-in.tsx';

/** Shows the secrets that sign the account's webhooks, and tests a receiver. */
export function Receivers({ client, scope }: { readonly client: Tickreel; readonly scope: Scope }): JSX.Element {
  const { secrets: own } = client.webhooks;
  const [list, setList] = useState<WebhookSecretList | null>(null);
  const [secret, setSecret] = useState<SecretText | null>(null);
  const [trouble, setTrouble] = useState<unknown>(null);
  const load = () => own.list().then(setList);
  const attempt = (work: () => Promise<unknown>) => work().then(() => setTrouble(null), setTrouble);
  useEffect(() => {
    void attempt(load);
  }, []);
  const create = async () => {
    // A limit of secrets does not end by waiting.
    const made = own.create({ maxRetries: 0 });
    await made.then(({ secret: text }) => setSecret({ title: 'The new webhook secret', text })).finally(load);
  };
  const test = async ({ webhook_url = '', webhook_auth_header, event }: Record<string, string>) => {
    const tested = await client.webhooks.test({ webhook_url, webhook_auth_header, event: event as 'job.completed' });
    const { delivered, http_status, error, duration_ms, signatures } = tested;
    const answer = http_status === null ? 'no answer' : `HTTP ${http_status}`;
    return `${delivered ? 'Delivered' : 'Not delivered'}: ${answer} after ${duration_ms} ms, ${error ?? `signatures: ${signatures}`}.`;
  };
  return (
    <section class="card" aria-labelledby="webhook-secrets">
      <h2 id="webhook-secrets">Webhook secrets</h2>
      <p class="hint">
        Your receivers check with a secret that a webhook comes from here. Two may exist, so that you can replace one.
        {list?.secrets.length === 0 && ' Without one, webhooks are not signed.'}
      </p>
      <Needs needed="manage" scope={scope}>
        <ul class="renders rules keys">
          {list?.secrets.map(({ id, hint, created_at }) => (
            <li key={id}>
              <code>{hint}</code>
              <small>Made {timeText(created_at)}</small>
              <AskButton
                text="Delete"
                label={`Delete the secret ${hint}`}
                isDanger
                what="Within 30 seconds it signs nothing: receivers that have no other secret refuse your webhooks."
                submit="Delete the secret"
                onAct={() => own.delete(id).finally(load)}
              />
            </li>
          ))}
        </ul>
        <div class="row">
          <Button text="New secret" onClick={() => attempt(create)} />
          <AskButton
            text="Test a receiver"
            title="Test a receiver"
            what="The service posts an example there, signed under your secrets, and shows the answer."
            submit="Send the example"
            onAct={test}
          >
            <Field label="Address" name="webhook_url" type="url" required autocomplete="off" />
            <Field label="Authorization header, if it wants one" name="webhook_auth_header" autocomplete="off" />
            <Field label="Event" name="event" options={['job.completed', 'job.failed']} />
          </AskButton>
        </div>
      </Needs>
      <Trouble error={trouble} />
      {secret && <Secret {...secret} onClose={() => setSecret(null)} />}
    </section>
  );
}
