import type { Account, ApiKey } from '#client/operator-shapes.ts';
import { ruleState, ruleText } from '#client/rule-text.ts';
import { AskButton } from '../ask.tsx';
import { Button, Field, Form, Table } from '../components.tsx';
import { gameServerLines } from '../game-server-lines.ts';
import { amount, short } from './format.ts';
import { call } from './operator.ts';
import { type ConsoleView, Copy, List, Pill, Time, type ViewTools } from './view.tsx';

const LIMITS: Readonly<Record<keyof Account['limits'], string>> = {
  requests: 'Requests a minute',
  submits: 'Submits a minute',
  uploads: 'Images uploaded a minute',
  follows: 'Event streams opened a minute',
  jobs: 'Jobs not finished',
  jobs_a_day: 'New jobs a day',
  agent_seconds_a_day: 'Seconds of clip rendered by agents a day',
  jobs_kept: 'Jobs kept',
  open_uploads: 'Demo uploads open',
  assets: 'Assets stored',
  asset_mib: 'Assets stored, MiB',
  frames: 'Frames of a clip',
  unbilled: 'Minutes a day for runs without a clip',
  fallback: 'Minutes before a fallback',
};

export const accountsView: ConsoleView = async ({ can, send }, route) => {
  const { accounts, next_cursor } = await call('listAccounts', { query: route.query });
  const create = ({ name = '' }: Record<string, string>) =>
    send('The account is created.', () => call('createAccount', { body: { name } }));
  return (
    <List
      title="Accounts"
      {...{ route, label: 'accounts', rows: accounts, cursor: next_cursor }}
      columns={{
        Name: ({ name, account_id }) => <a href={`#/accounts/${account_id}`}>{name}</a>,
        State: (account) => <Pill state={stateOf(account)} />,
        Slots: ({ provisioned_slots }) => provisioned_slots ?? 'no limit',
        Created: ({ created_at }) => <Time at={created_at} />,
      }}
    >
      {can('admin') && (
        <Form label="New account" submit="Create it" isReset onSend={create}>
          <Field label="Name of a new account" name="name" required maxLength={100} />
        </Form>
      )}
    </List>
  );
};

export const accountView: ConsoleView = async (tools, route) => {
  const [, id = ''] = route.path;
  const [account, { keys, next_cursor }, { rules }] = await Promise.all([
    call('getAccount', { params: { id } }),
    call('listKeys', { params: { id }, query: route.query }),
    call('listAccountRules', { params: { id } }),
  ]);
  const canChange = tools.can('admin') && account.erasing_at === null;
  return (
    <>
      <h1>{account.name}</h1>
      <p>
        <Pill state={stateOf(account)} /> <code>{id}</code> <Copy text={id} />{' '}
        {account.clips_hidden && 'Its clips are hidden.'}
      </p>
      <p>
        <a href={`#/jobs?account=${id}`}>Its jobs</a> · <a href={`#/deliveries?account=${id}`}>its failing webhooks</a>{' '}
        · <a href={`#/usage?account=${id}`}>its usage</a>
      </p>
      {canChange && <Limits account={account} tools={tools} />}
      <h2>Keys</h2>
      <List
        {...{ route, label: 'keys', rows: keys, cursor: next_cursor }}
        columns={{
          Key: ({ hint }) => <code>{hint}</code>,
          Name: ({ name }) => name ?? '–',
          Kind: ({ kind, scope, ingest_limits: most }) =>
            [kind, scope, ...Object.entries(most ?? {}).map(([of, n]) => `${amount(n ?? 0)} ${of} a day`)].join(', '),
          'Last used': ({ last_used }) => <Time at={last_used} />,
          Expires: ({ expires_at }) => <Time at={expires_at} />,
          Actions: (key) => keyActions(tools, id, key),
        }}
      />
      {canChange && <NewKey account={id} tools={tools} />}
      <h2>Rules</h2>
      <Table
        label="rules"
        rows={rules}
        columns={{
          Name: ({ name }) => name,
          State: ruleState,
          Renders: ruleText,
          'Sends to': ({ send }) => <span class="address">{Object.values(send).join(' ') || '–'}</span>,
          Key: ({ made_by: by }) => by.name ?? <code title={by.key_id}>{short(by.key_id)}</code>,
          'Last run': ({ last_run: last }) =>
            last ? [<Time key="at" at={last.created_at} />, ` ${last.state} ${last.detail ?? ''}`] : 'never',
        }}
      />
      {canChange && <Ends account={account} tools={tools} />}
    </>
  );
};

function stateOf({ suspended_at, erasing_at }: Account): string {
  if (erasing_at !== null) return 'being erased';
  return suspended_at === null ? 'active' : 'suspended';
}

interface AccountProps {
  readonly account: Account;
  readonly tools: ViewTools;
}

function Limits({ account, tools: { send } }: AccountProps) {
  const { account_id: id, provisioned_slots, limits, default_limits } = account;
  const change = ({ provisioned_slots: slots, ...own }: Record<string, string>) => {
    const given = Object.entries(own).map(([name, value]) => [name.replace('limits.', ''), Number(value)]);
    const body = { provisioned_slots: slots === undefined ? null : Number(slots), limits: Object.fromEntries(given) };
    return send('The limits are changed.', () => call('changeAccount', { params: { id }, body }));
  };
  const field = (label: string, name: string, own: number | null | undefined, usual: string) => {
    const hint = own == null ? `${usual} (default)` : `${amount(own)}, its own; default ${usual}`;
    return <Field key={name} {...{ label, name, hint }} type="number" min={0} value={own ?? ''} />;
  };
  return (
    <section class="limits">
      <h2>Limits</h2>
      <p class="hint">Below each field is what is in force. An empty field means the default of this deployment.</p>
      <Form label="Limits" submit="Change the limits" isReset onSend={change}>
        {field('Reserved jobs ahead of others', 'provisioned_slots', provisioned_slots, 'all')}
        {(Object.keys(LIMITS) as (keyof typeof LIMITS)[]).map((limit) =>
          field(LIMITS[limit], `limits.${limit}`, limits[limit], amount(default_limits[limit] ?? 0)),
        )}
      </Form>
    </section>
  );
}

/** What ends the account's work. */
function Ends({ account: { account_id: id, name, suspended_at }, tools: { run, send } }: AccountProps) {
  const suspend = (suspended: boolean, hide_clips?: boolean) =>
    call('changeAccount', { params: { id }, body: { suspended, hide_clips } });
  return (
    <section class="danger-zone">
      <h2>Suspend or erase</h2>
      <div class="row">
        {suspended_at ? (
          <Button text="Resume it" onClick={() => run(`${name} is active.`, () => suspend(false))} />
        ) : (
          <AskButton
            text="Suspend it"
            isDanger
            title={`Suspend ${name}?`}
            what="It may read, and change nothing. Its queued jobs wait; those that run are finished."
            name={name}
            onAct={({ hide }) => send(`${name} is suspended.`, () => suspend(true, hide !== undefined))}
          >
            <Field label="Hide its clips until it is resumed" name="hide" type="checkbox" />
          </AskButton>
        )}
        <AskButton
          text="Erase it"
          isDanger
          title={`Erase ${name}?`}
          what="All of its jobs, clips, demos and keys are erased. Its usage stays for invoices, without its name. This cannot be undone."
          name={name}
          onAct={() => send(`${name} is being erased.`, () => call('eraseAccount', { params: { id }, body: { name } }))}
        />
      </div>
    </section>
  );
}

function keyActions(tools: ViewTools, id: string, { key_id: key, name, hint, revoked_at }: ApiKey) {
  if (revoked_at !== null) return <Pill state="revoked" />;
  if (!tools.can('admin')) return null;
  const params = { id, key };
  const rotate = () =>
    tools.run('The successor is created; revoke the old key when it is no longer used.', async () =>
      tools.showSecret('The new key', (await call('rotateKey', { params })).key),
    );
  const revoke = ({ keep }: Record<string, string>) =>
    tools.send('The key is revoked.', () => call('revokeKey', { params, query: keep ? { keep_made: 'true' } : {} }));
  return (
    <div class="actions">
      <Button text="Successor" label={`Successor of ${hint}`} onClick={rotate} />
      <AskButton
        text="Revoke"
        label={`Revoke ${hint}`}
        isDanger
        title={`Revoke the key ${hint}?`}
        what="Whatever uses it, or a key that it has made, is refused within 30 seconds. This cannot be undone."
        name={name ?? hint.slice(-4)}
        onAct={revoke}
      >
        <Field label="Keep the keys that it has made" name="keep" type="checkbox" />
      </AskButton>
    </div>
  );
}

function NewKey({ account, tools: { send, showSecret } }: { readonly account: string; readonly tools: ViewTools }) {
  const create = ({ expires_at, ingest_limits = '', ...terms }: Record<string, string>) =>
    send('The key is created.', async () => {
      const limits = ingest_limits.split(/\s+/).map((one) => one.split('='));
      const own = { ingest_limits: Object.fromEntries(limits.map(([name, most]) => [name, Number(most)])) };
      const body = {
        ...terms,
        ...(ingest_limits ? own : {}),
        ...(expires_at ? { expires_at: `${expires_at}T00:00:00Z` } : {}),
      };
      const { key, scope } = await call('createKey', { params: { id: account }, body: body as never });
      const isOfServer = scope === 'ingest';
      showSecret(
        isOfServer ? 'The new key, in the lines for MatchZy' : 'The new key',
        isOfServer ? gameServerLines(key) : key,
      );
    });
  return (
    <Form label="New key" submit="Create it" isReset onSend={create}>
      <Field label="Name of a new key" name="name" maxLength={100} />
      <Field label="Kind" name="kind" options={['metered', 'reserved', 'test']} />
      <Field label="Scope" name="scope" options={['manage', 'submit', 'read', 'ingest']} />
      <Field label="Expires" name="expires_at" type="date" />
      <Field label="Limits of a day" name="ingest_limits" hint="Of scope ingest: demos=40 mib=4096 clips=80" />
    </Form>
  );
}
