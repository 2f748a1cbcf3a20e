import type { Account, ApiKey } from '#client/operator-shapes.ts';
import { ruleState, ruleText } from '#client/rule-text.ts';
import { AskButton } from '../parts/ask.tsx';
import { Button, Copy, Field, Table } from '../parts/components.tsx';
import { amount, newKeyTexts, short } from '../parts/format.ts';
import { OperationForm } from './forms.tsx';
import { type ConsoleView, call, List, Pill, Time, type ViewTools } from './view.tsx';

export const accountsView: ConsoleView = async (tools, route) => {
  const { accounts, next_cursor } = await call('listAccounts', { query: route.query });
  return (
    <List
      title="Accounts"
      {...{ route, label: 'accounts', rows: accounts, cursor: next_cursor }}
      columns={{
        Name: ({ name, account_id }) => <a href={`#/accounts/${account_id}`}>{name}</a>,
        State: (account) => <Pill state={stateOf(account)} />,
        Slots: ({ provisioned_slots }) => provisioned_slots ?? 'no limit',
        Renderer: ({ renderer }) => renderer ?? 'default',
        Drawn: ({ drawn_share }) => (drawn_share === null ? '–' : `${Math.round(100 * drawn_share)} %`),
        Created: ({ created_at }) => <Time at={created_at} />,
      }}
    >
      <OperationForm
        {...{ operation: 'createAccount', tools, label: 'New account', submit: 'Create it' }}
        done="The account is created."
      />
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
        · <a href={`#/arrivals?account=${id}`}>its demos</a> · <a href={`#/usage?account=${id}`}>its usage</a>
      </p>
      {canChange && <Settings account={account} tools={tools} />}
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
      {canChange && (
        <OperationForm
          {...{ operation: 'createKey', tools, params: { id }, label: 'New key', submit: 'Create it' }}
          done="The key is created."
          onDone={(made) => tools.showSecret(...newKeyTexts(made))}
        />
      )}
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

function Settings({ account, tools }: AccountProps) {
  const { account_id: id, limits, default_limits } = account;
  const hints = Object.entries(default_limits).map(([name, usual = 0]) => {
    const own = limits[name as keyof typeof limits];
    const text = own == null ? `${amount(usual)} (default)` : `${amount(own)}, its own; default ${amount(usual)}`;
    return [`limits.${name}`, text];
  });
  return (
    <section class="limits">
      <h2>Settings and limits</h2>
      <p class="hint">
        Without provisioned slots there is no limit of them. Below each other limit is what is in force: an empty field
        means the default of this deployment.
      </p>
      <OperationForm
        {...{ operation: 'changeAccount', tools, params: { id }, label: 'Settings', submit: 'Change them' }}
        only={['name', 'provisioned_slots', 'renderer', 'labels', 'limits']}
        values={account}
        hints={Object.fromEntries(hints)}
        done="The settings are changed."
      />
      <OperationForm
        {...{ operation: 'changeAccount', tools, params: { id }, label: 'Brand', submit: 'Change the brand' }}
        only={['brand']}
        values={account}
        done="The brand is changed. Pages of its clips change within minutes."
      />
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
