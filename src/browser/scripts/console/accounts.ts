import type { JSX } from 'preact';
import type { Account, AccountList, ApiKey, AuditList, KeyList, KeyOnce } from '#client/operator-shapes.ts';
import { button, type Child, choice, field, form, h, table } from '../components.ts';
import { ask, withQuery } from './api.ts';
import { ago } from './format.ts';
import { accountLink, pill } from './jobs.ts';
import type { Desk, View } from './view.ts';

const LIMITS = [
  ...(['requests', 'submits', 'uploads', 'follows', 'jobs', 'jobs_a_day', 'jobs_kept'] as const),
  ...(['open_uploads', 'assets', 'asset_mib', 'frames', 'unbilled'] as const),
] as const;

export const accountsView: View = async (desk, { query }) => {
  const { accounts, next_cursor } = await ask<AccountList>(withQuery('/admin/accounts', Object.fromEntries(query)));
  return [
    h('h1', {}, 'Accounts'),
    table('accounts', accounts, [
      { name: 'Name', cell: ({ name, account_id }) => h('a', { href: `#/accounts/${account_id}` }, name) },
      { name: 'Account', cell: ({ account_id }) => accountLink(account_id) },
      { name: 'State', cell: (account) => pill(stateOf(account)) },
      { name: 'Slots', cell: ({ provisioned_slots }) => provisioned_slots ?? 'no limit' },
      { name: 'Made', cell: ({ created_at }) => ago(created_at) },
    ]),
    next_cursor === null
      ? null
      : h('a', { class: 'button', href: withQuery('#/accounts', { cursor: next_cursor }) }, 'More'),
    desk.may('admin')
      ? form(
          { class: 'filters', 'aria-label': 'New account' },
          ({ name }) => desk.act('The account is made.', () => ask('/admin/accounts', 'POST', { name })),
          field('New account', 'name', { required: true, maxlength: 100 }),
          h('button', { type: 'submit' }, 'Make it'),
        )
      : null,
  ];
};

export const accountView: View = async (desk, { path: [, id = ''], query }) => {
  const [account, { keys, next_cursor }] = await Promise.all([
    ask<Account>(`/admin/accounts/${id}`),
    ask<KeyList>(withQuery(`/admin/accounts/${id}/keys`, Object.fromEntries(query))),
  ]);
  const { name, suspended_at, limits } = account;
  const change = (said: string, changes: object) =>
    desk.act(said, () => ask(`/admin/accounts/${id}`, 'PATCH', changes));
  const suspend = () =>
    desk.sure(`Suspend ${name}? It may read, and change nothing.`) &&
    change(`${name} is suspended.`, { suspended: true });
  return [
    h('h1', {}, name),
    h('p', {}, pill(stateOf(account)), ' ', h('code', {}, id)),
    h(
      'p',
      {},
      h('a', { href: `#/jobs?account=${id}` }, 'Its jobs'),
      ' · ',
      h('a', { href: `#/deliveries?account=${id}` }, 'its failing webhooks'),
    ),
    desk.may('admin') && account.erasing_at === null
      ? [
          suspended_at
            ? button('Suspend it no longer', () => change(`${name} goes on.`, { suspended: false }))
            : button('Suspend it', suspend),
          ' ',
          button('Erase it', () => erase(desk, account)),
          h('h2', {}, 'Limits'),
          h('p', { class: 'hint' }, 'What is left empty is as for all accounts.'),
          form(
            { class: 'filters', 'aria-label': 'Limits' },
            ({ slots, ...own }) =>
              change('The limits are changed.', {
                provisioned_slots: slots === undefined ? null : Number(slots),
                limits: Object.fromEntries(Object.entries(own).map(([limit, value]) => [limit, Number(value)])),
              }),
            numberField('slots', account.provisioned_slots),
            LIMITS.map((limit) => numberField(limit, limits[limit] ?? null)),
            h('button', { type: 'submit' }, 'Change'),
          ),
        ]
      : null,
    h('h2', {}, 'Keys'),
    table('keys', keys, [
      { name: 'Key', cell: ({ hint }) => h('code', {}, hint) },
      { name: 'Name', cell: (key) => key.name ?? '–' },
      { name: 'Kind', cell: ({ kind, scope }) => `${kind}, ${scope}` },
      { name: 'Used', cell: ({ last_used }) => ago(last_used) },
      { name: 'Until', cell: ({ expires_at }) => (expires_at ? ago(expires_at) : 'for good') },
      { name: 'Actions', cell: (key) => keyActions(desk, id, key) },
    ]),
    next_cursor === null ? null : h('a', { class: 'button', href: `#/accounts/${id}?cursor=${next_cursor}` }, 'More'),
    desk.may('admin') && account.erasing_at === null ? newKey(desk, id) : null,
  ];
};

function stateOf({ suspended_at, erasing_at }: Account): string {
  if (erasing_at !== null) return 'being erased';
  return suspended_at === null ? 'active' : 'suspended';
}

async function erase(desk: Desk, { account_id, name }: Account): Promise<void> {
  const typed = desk.typed(
    `Erase ${name} with all of its jobs, clips, demos and keys? This cannot be undone. Type its name:`,
  );
  if (typed === null) return;
  await desk.act(`${name} is being erased.`, () => ask(`/admin/accounts/${account_id}/erase`, 'POST', { name: typed }));
}

function numberField(name: string, value: number | null): JSX.Element {
  return field(name.replace('_', ' '), name, { type: 'number', min: 0, value: value ?? '' });
}

function keyActions(desk: Desk, id: string, { key_id, hint, revoked_at }: ApiKey): Child {
  if (revoked_at !== null) return pill('revoked');
  if (!desk.may('admin')) return null;
  const path = `/admin/accounts/${id}/keys/${key_id}`;
  const rotate = () =>
    desk.act('The successor is made; revoke the old key when it is no longer used.', async () =>
      desk.reveal('The new key', (await ask<KeyOnce>(`${path}/rotate`, 'POST')).key),
    );
  const revoke = () => desk.sure(`Revoke ${hint}?`) && desk.act('The key is revoked.', () => ask(path, 'DELETE'));
  return h(
    'div',
    { class: 'actions' },
    button('Successor', rotate, { 'aria-label': `Successor of ${hint}` }),
    button('Revoke', revoke, { 'aria-label': `Revoke ${hint}` }),
  );
}

function newKey(desk: Desk, id: string): JSX.Element {
  return form(
    { class: 'filters', 'aria-label': 'New key' },
    ({ until, ...terms }) =>
      desk.act('The key is made.', async () => {
        const body = { ...terms, ...(until ? { expires_at: `${until}T00:00:00Z` } : {}) };
        desk.reveal('The new key', (await ask<KeyOnce>(`/admin/accounts/${id}/keys`, 'POST', body)).key);
      }),
    field('Name of a new key', 'name', { maxlength: 100 }),
    choice('Kind', 'kind', ['metered', 'reserved'], 'metered'),
    choice('Scope', 'scope', ['manage', 'submit', 'read'], 'manage'),
    field('Good until', 'until', { type: 'date' }),
    h('button', { type: 'submit' }, 'Make it'),
  );
}

export const auditView: View = async (_, { query }) => {
  const { entries, next_cursor } = await ask<AuditList>(withQuery('/admin/audit', Object.fromEntries(query)));
  return [
    h('h1', {}, 'Audit log'),
    table('changes', entries, [
      { name: 'When', cell: ({ at }) => h('time', { datetime: at, title: at }, ago(at)) },
      { name: 'Who', cell: ({ operator }) => operator },
      { name: 'Did', cell: ({ action, status }) => (status === null ? `${action}, cut short` : action) },
      { name: 'To', cell: ({ target }) => h('code', { class: 'address' }, Object.values(target).join(' ') || '–') },
      { name: 'With', cell: ({ changes }) => h('code', { class: 'address' }, changes ?? '–') },
    ]),
    next_cursor === null
      ? null
      : h('a', { class: 'button', href: withQuery('#/audit', { cursor: next_cursor }) }, 'Older'),
  ];
};
