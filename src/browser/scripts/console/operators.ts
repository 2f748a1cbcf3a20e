import type { JSX } from 'preact';
import type { OperatorList, OperatorOnce } from '#client/operator-shapes.ts';
import { button, type Child, choice, field, form, h, table } from '../components.ts';
import { ask, withQuery } from './api.ts';
import { ago } from './format.ts';
import { pill } from './jobs.ts';
import type { Desk, View } from './view.ts';

/** Who may use this, beside whoever has the deployment's own token. */
export const operatorsView: View = async (desk, { query }) => {
  const { operators, next_cursor } = await ask<OperatorList>(withQuery('/admin/operators', Object.fromEntries(query)));
  return [
    h('h1', {}, 'Operators'),
    table('operators', operators, [
      { name: 'Name', cell: ({ name, operator_id }) => h('span', { title: operator_id }, name) },
      { name: 'May', cell: ({ role }) => role },
      { name: 'Made', cell: ({ created_at }) => ago(created_at) },
      { name: 'Actions', cell: (one) => (one.revoked_at === null ? revokeOf(desk, one) : pill('revoked')) },
    ]),
    next_cursor === null
      ? null
      : h('a', { class: 'button', href: withQuery('#/operators', { cursor: next_cursor }) }, 'More'),
    desk.may('admin') ? newOperator(desk) : null,
  ];
};

function revokeOf(desk: Desk, { operator_id, name }: OperatorList['operators'][number]): Child {
  if (!desk.may('admin')) return null;
  const revoke = () =>
    desk.sure(`Revoke the token of ${name}?`) &&
    desk.act(`${name} is let in no more.`, () => ask(`/admin/operators/${operator_id}`, 'DELETE'));
  return button('Revoke', revoke, { 'aria-label': `Revoke ${name}` });
}

function newOperator(desk: Desk): JSX.Element {
  return form(
    { class: 'filters', 'aria-label': 'New operator' },
    (values) =>
      desk.act('The operator is let in.', async () => {
        const { name, token } = await ask<OperatorOnce>('/admin/operators', 'POST', values);
        desk.reveal(`The token of ${name}`, token);
      }),
    field('Let somebody in', 'name', { required: true, maxlength: 100 }),
    choice('Who may', 'role', ['read', 'operate', 'admin'], 'read'),
    h('button', { type: 'submit' }, 'Make the token'),
  );
}
