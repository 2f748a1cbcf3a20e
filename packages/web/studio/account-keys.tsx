import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { NewKey, OwnKey, Tickreel } from '#client/index.ts';
import { AskButton } from '../parts/ask.tsx';
import { Field, Form, Secret, type SecretText } from '../parts/components.tsx';
import { newKeyTexts } from '../parts/format.ts';
import { timeText } from './gallery.tsx';
import { Needs } from './renders.tsx';

interface Props {
  readonly client: Tickreel;
  readonly keys: readonly OwnKey[];
  /** The key that the user has. */
  readonly own: OwnKey;
  onChange(): Promise<void>;
}

/** Lists the account's keys, and makes and revokes them. */
export function AccountKeys({ client, keys, own, onChange }: Props): JSX.Element {
  const [secret, setSecret] = useState<SecretText | null>(null);
  const create = async ({ expires_at: day, ...terms }: Record<string, string>) => {
    const expires_at = day && `${day}T00:00:00Z`;
    const made = client.keys.create({ ...(terms as unknown as NewKey), expires_at }).then((key) => {
      const [title, text] = newKeyTexts(key);
      setSecret({ title, text });
    });
    // The list also shows a key whose answer was lost.
    await made.finally(onChange);
  };
  const item = (key: OwnKey) => (
    <li key={key.key_id}>
      <b>
        <bdi>{nameOf(key)}</bdi>{' '}
        <small>{`${key.kind}, ${key.scope}${key.is_this ? ', the key of this tab' : ''}`}</small>
      </b>
      {key.name !== null && <code>{key.hint}</code>}
      <small>{factsOf(key, keys)}</small>
      {isLive(key) && <RevokeKey {...{ client, keys, onChange }} revoked={key} />}
    </li>
  );
  const [live, ended] = [keys.filter(isLive), keys.filter((key) => !isLive(key))];
  return (
    <section class="card" aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <Needs needed="manage" scope={own.scope}>
        <ul class="renders rules keys">{live.map(item)}</ul>
        {ended.length > 0 && (
          <details>
            <summary>Revoked or expired: {ended.length}</summary>
            <ul class="renders rules keys">{ended.map(item)}</ul>
          </details>
        )}
        <details>
          <summary>New key</summary>
          <Form label="New key" submit="Create the key" isMain isReset onSend={create}>
            <Field label="Name of the key" name="name" maxLength={100} />
            <Field label="Kind" name="kind" options={[...new Set([own.kind, 'test'])]} />
            <Field label="Scope" name="scope" options={['submit', 'read', 'ingest', 'manage']} />
            <Field label="Expires" name="expires_at" type="date" hint="When that day begins (UTC)." />
            <p class="hint">
              A key of scope ingest sends demos and reads nothing, for a game server; read reads; submit makes clips;
              manage does everything, such as making keys. When your key is revoked, the new one is revoked too. If no
              answer comes, look for the new key in the list, and revoke it.
            </p>
          </Form>
        </details>
      </Needs>
      {secret && <Secret {...secret} onClose={() => setSecret(null)} />}
    </section>
  );
}

function RevokeKey({ client, keys, onChange, revoked }: Omit<Props, 'own'> & { readonly revoked: OwnKey }) {
  const { key_id, hint, is_this } = revoked;
  const made = madeBy(key_id, keys).filter(isLive);
  return (
    <AskButton
      text="Revoke"
      label={`Revoke ${nameOf(revoked)}, ${hint}`}
      isDanger
      title={`Revoke ${nameOf(revoked)}?`}
      what={
        <>
          <p>What uses the key {hint} is refused within 30 seconds, and its rules pause. This cannot be undone.</p>
          {is_this && <p>You use this key here: you have to sign in with another one.</p>}
          {made.length > 0 && (
            <>
              <p>These keys come from it, and are revoked with it:</p>
              <ul>
                {made.map((key) => (
                  <li key={key.key_id}>
                    <bdi>{nameOf(key)}</bdi> ({key.scope}, {key.hint})
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      }
      submit="Revoke the key"
      onAct={({ keep }) => client.keys.revoke(key_id, { keepMade: keep !== undefined }).finally(onChange)}
    >
      {made.length > 0 && <Field label="Keep these keys" name="keep" type="checkbox" />}
    </AskButton>
  );
}

/** Returns the keys that a key has made, and those that these have made. */
function madeBy(maker: string, keys: readonly OwnKey[]): OwnKey[] {
  return keys.filter(({ made_by }) => made_by === maker).flatMap((key) => [key, ...madeBy(key.key_id, keys)]);
}

const isLive = ({ revoked_at, expires_at }: OwnKey): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());

const nameOf = ({ name, hint }: OwnKey): string => name ?? hint;

function factsOf(key: OwnKey, keys: readonly OwnKey[]): string {
  const maker = keys.find(({ key_id }) => key_id === key.made_by);
  // A test key does not list the live key that made it.
  const by = maker ? nameOf(maker) : key.made_by === null ? 'the operator' : 'a live key';
  const most = Object.entries(key.ingest_limits ?? {}).map(([of, n]) => `${n} ${of === 'mib' ? 'MiB' : of}`);
  return [
    `Made ${timeText(key.created_at)} by ${by}`,
    key.last_used === null ? 'never used' : `last used ${timeText(key.last_used)}`,
    key.expires_at === null ? [] : `expires ${timeText(key.expires_at)}`,
    key.revoked_at === null ? [] : `revoked ${timeText(key.revoked_at)}`,
    most.length === 0 ? [] : `at most ${most.join(', ')} a day`,
  ]
    .flat()
    .join(' · ');
}
