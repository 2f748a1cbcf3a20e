import type { JSX } from 'preact';
import type { HostRegistrationList, HostRegistrationOnce } from '#client/operator-shapes.ts';
import { button, type Child, field, form, h, table } from '../components.ts';
import { ask, withQuery } from './api.ts';
import { ago } from './format.ts';
import { pill } from './jobs.ts';
import type { Desk, View } from './view.ts';

type Registration = HostRegistrationList['registrations'][number];

/** Tokens with which machines become hosts by themselves. */
export const registrationsView: View = async (desk, { query }) => {
  const asked = withQuery('/admin/host-registrations', Object.fromEntries(query));
  const { registrations, next_cursor } = await ask<HostRegistrationList>(asked);
  return [
    h('h1', {}, 'Registrations of hosts'),
    h('p', { class: 'hint' }, 'With such a token a machine becomes a host by itself, as often as the token allows.'),
    table('registrations', registrations, [
      { name: 'Name', cell: ({ name, registration_id }) => h('span', { title: registration_id }, name) },
      { name: 'Hosts', cell: ({ used, uses }) => `${used} of ${uses}` },
      { name: 'Ends', cell: ({ expires_at }) => ago(expires_at) },
      { name: 'Made', cell: ({ created_at }) => ago(created_at) },
      { name: 'Actions', cell: (one) => revokeOf(desk, one) },
    ]),
    next_cursor === null
      ? null
      : h('a', { class: 'button', href: withQuery('#/hosts/registrations', { cursor: next_cursor }) }, 'More'),
    desk.may('admin') ? newRegistration(desk) : null,
  ];
};

function revokeOf(desk: Desk, { registration_id, name, revoked_at, expires_at }: Registration): Child {
  if (revoked_at !== null) return pill('revoked');
  if (Date.parse(expires_at) <= Date.now()) return pill('ended');
  if (!desk.may('admin')) return null;
  const revoke = () =>
    desk.sure(`Revoke ${name}? The hosts that it made stay.`) &&
    desk.act(`${name} makes no more hosts.`, () => ask(`/admin/host-registrations/${registration_id}`, 'DELETE'));
  return button('Revoke', revoke, { 'aria-label': `Revoke ${name}` });
}

function newRegistration(desk: Desk): JSX.Element {
  return form(
    { class: 'filters', 'aria-label': 'New registration' },
    ({ name, uses, hours }) =>
      desk.act('The registration is made.', async () => {
        const body = { name, uses: Number(uses), expires_in_hours: Number(hours) };
        const { token } = await ask<HostRegistrationOnce>('/admin/host-registrations', 'POST', body);
        desk.reveal(`The token of ${name}`, token);
      }),
    field('Name of a new one', 'name', { required: true, maxlength: 100 }),
    field('Hosts', 'uses', { type: 'number', min: 1, max: 10000, value: 1, required: true }),
    field('Good for hours', 'hours', { type: 'number', min: 1, max: 8784, value: 24, required: true }),
    h('button', { type: 'submit' }, 'Make its token'),
  );
}
