import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OwnKey, Tickreel, UploadSummary } from '#client/index.ts';
import { AccountKeys } from './account-keys.tsx';
import { AccountUsage } from './account-usage.tsx';
import { Receivers } from './receivers.tsx';
import { Rules } from './rules.tsx';
import { Trouble } from './trouble.tsx';

interface Props {
  readonly client: Tickreel;
  readonly uploads: readonly UploadSummary[];
}

/** Shows the account's keys, rules, webhook secrets and usage. What the scope of the user's key forbids is disabled. */
export function Account({ client, uploads }: Props): JSX.Element {
  const [keys, setKeys] = useState<readonly OwnKey[]>([]);
  const [trouble, setTrouble] = useState<unknown>(null);
  const load = async () => {
    const all: OwnKey[] = [];
    for await (const key of client.keys.list({ limit: 200 })) all.push(key);
    setKeys(all);
  };
  useEffect(() => {
    load().catch(setTrouble);
  }, []);
  const own = keys.find(({ is_this }) => is_this);
  if (!own) return <Trouble error={trouble} />;
  return (
    <>
      <AccountKeys {...{ client, keys, own }} onChange={load} />
      <Rules {...{ client, uploads }} scope={own.scope} />
      <Receivers {...{ client }} scope={own.scope} />
      <AccountUsage client={client} />
    </>
  );
}
