import type { Account, ApiKey, OperatorOperations } from '#client/operator-shapes.ts';
import { Button, Field, Form } from '../components.tsx';
import { AskButton } from './ask.tsx';
import { call } from './operator.ts';
import { type ConsoleView, IdLink, List, Pill, Time, type ViewTools } from './view.tsx';

const LIMITS = [
  ...(['requests', 'submits', 'uploads', 'follows', 'jobs', 'jobs_a_day', 'jobs_kept'] as const),
  ...(['open_uploads', 'assets', 'asset_mib', 'frames', 'unbilled'] as const),
];

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
        Account: ({ account_id }) => <IdLink to="accounts" id={account_id} />,
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
  const [account, { keys, next_cursor }] = await Promise.all([
    call('getAccount', { params: { id } }),
    call('listKeys', { params: { id }, query: route.query }),
  ]);
  const canChange = tools.can('admin') && account.erasing_at === null;
  return (
    <>
      <h1>{account.name}</h1>
      <p>
        <Pill state={stateOf(account)} /> <code>{id}</code>
      </p>
      <p>
        <a href={`#/jobs?account=${id}`}>Its jobs</a> · <a href={`#/deliveries?account=${id}`}>its failing webhooks</a>
      </p>
      {canChange && <Changes account={account} tools={tools} />}
      <h2>Keys</h2>
      <List
        {...{ route, label: 'keys', rows: keys, cursor: next_cursor }}
        columns={{
          Key: ({ hint }) => <code>{hint}</code>,
          Name: ({ name }) => name ?? '–',
          Kind: ({ kind, scope }) => `${kind}, ${scope}`,
          'Last used': ({ last_used }) => <Time at={last_used} />,
          Expires: ({ expires_at }) => <Time at={expires_at} />,
          Actions: (key) => keyActions(tools, id, key),
        }}
      />
      {canChange && <NewKey account={id} tools={tools} />}
    </>
  );
};

function stateOf({ suspended_at, erasing_at }: Account): string {
  if (erasing_at !== null) return 'being erased';
  return suspended_at === null ? 'active' : 'suspended';
}

function Changes({ account, tools: { run, send } }: { readonly account: Account; readonly tools: ViewTools }) {
  const { account_id: id, name, suspended_at, limits } = account;
  const change = (body: OperatorOperations['changeAccount']['body']) => call('changeAccount', { params: { id }, body });
  const suspend = () => send(`${name} is suspended.`, () => change({ suspended: true }));
  const resume = () => run(`${name} is active.`, () => change({ suspended: false }));
  const erase = () => send(`${name} is being erased.`, () => call('eraseAccount', { params: { id }, body: { name } }));
  const changeLimits = ({ slots, ...own }: Record<string, string>) =>
    send('The limits are changed.', () =>
      change({
        provisioned_slots: slots === undefined ? null : Number(slots),
        limits: Object.fromEntries(Object.entries(own).map(([limit, value]) => [limit, Number(value)])),
      }),
    );
  return (
    <>
      <h2>Limits</h2>
      <p class="hint">An empty field means the limit of all accounts.</p>
      <Form label="Limits" submit="Change" isReset onSend={changeLimits}>
        {limitField('slots', account.provisioned_slots)}
        {LIMITS.map((limit) => limitField(limit, limits[limit] ?? null))}
      </Form>
      <div class="row danger-zone">
        {suspended_at ? (
          <Button text="Resume it" onClick={resume} />
        ) : (
          <AskButton
            text="Suspend it"
            isDanger
            title={`Suspend ${name}?`}
            what="It may read, and change nothing. Its queued jobs wait; those that run are finished."
            onAct={suspend}
          />
        )}
        <AskButton
          text="Erase it"
          isDanger
          title={`Erase ${name}?`}
          what="All of its jobs, clips, demos and keys are erased. This cannot be undone."
          name={name}
          onAct={erase}
        />
      </div>
    </>
  );
}

const limitField = (name: string, value: number | null) => (
  <Field key={name} label={name.replaceAll('_', ' ')} name={name} type="number" min={0} value={value ?? ''} />
);

function keyActions(tools: ViewTools, id: string, { key_id: key, hint, revoked_at }: ApiKey) {
  if (revoked_at !== null) return <Pill state="revoked" />;
  if (!tools.can('admin')) return null;
  const params = { id, key };
  const rotate = () =>
    tools.run('The successor is created; revoke the old key when it is no longer used.', async () =>
      tools.showSecret('The new key', (await call('rotateKey', { params })).key),
    );
  const revoke = () => tools.send('The key is revoked.', () => call('revokeKey', { params }));
  return (
    <div class="actions">
      <Button text="Successor" label={`Successor of ${hint}`} onClick={rotate} />
      <AskButton
        text="Revoke"
        label={`Revoke ${hint}`}
        isDanger
        title={`Revoke the key ${hint}?`}
        what="Whatever uses it is refused within seconds. This cannot be undone."
        onAct={revoke}
      />
    </div>
  );
}

function NewKey({ account, tools: { send, showSecret } }: { readonly account: string; readonly tools: ViewTools }) {
  const create = ({ expires_at, ...terms }: Record<string, string>) =>
    send('The key is created.', async () => {
      const body = { ...terms, ...(expires_at ? { expires_at: `${expires_at}T00:00:00Z` } : {}) };
      showSecret('The new key', (await call('createKey', { params: { id: account }, body: body as never })).key);
    });
  return (
    <Form label="New key" submit="Create it" isReset onSend={create}>
      <Field label="Name of a new key" name="name" maxLength={100} />
      <Field label="Kind" name="kind" options={['metered', 'reserved']} />
      <Field label="Scope" name="scope" options={['manage', 'submit', 'read']} />
      <Field label="Expires" name="expires_at" type="date" />
    </Form>
  );
}
