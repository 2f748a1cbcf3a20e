import type { JSX } from 'preact';
import type { Host, HostChanges, HostList, HostOnce } from '#client/operator-shapes.ts';
import { button, type Child, field, form, h, table } from '../components.ts';
import { ask, withQuery } from './api.ts';
import { ago, percent } from './format.ts';
import { jobLink, pill } from './jobs.ts';
import type { Desk, View } from './view.ts';

/** The fleet: those that are revoked are left out. */
export const hostsView: View = async (desk, { query }) => {
  const { hosts, next_cursor } = await ask<HostList>(withQuery('/admin/hosts', Object.fromEntries(query)));
  const live = hosts.filter(({ revoked_at }) => revoked_at === null);
  return [
    h('h1', {}, 'Hosts'),
    h('p', {}, h('a', { href: '#/hosts/registrations' }, 'Registrations: tokens with which machines become hosts')),
    table('hosts', live, [
      { name: 'Name', cell: ({ name, host_id }) => h('span', { title: host_id }, name) },
      { name: 'State', cell: (host) => [pill(host.state), untilOf(host)] },
      { name: 'Seen', cell: ({ last_seen }) => ago(last_seen) },
      { name: 'Build', cell: ({ renderer, game_build }) => [renderer, game_build].filter(Boolean).join(' ') || '–' },
      { name: 'Version', cell: ({ agent_version }) => agent_version ?? '–' },
      { name: 'Jobs', cell: jobsOf },
      { name: 'Failed in 24 h', cell: failuresOf },
      { name: 'Note', cell: ({ note, labels }) => [note ?? '', ' ', labels.join(' ')] },
      { name: 'Actions', cell: (host) => (desk.may('operate') ? actionsOf(desk, host) : null) },
    ]),
    next_cursor === null
      ? null
      : h('a', { class: 'button', href: withQuery('#/hosts', { cursor: next_cursor }) }, 'More'),
    desk.may('admin') ? newHost(desk) : null,
  ];
};

function untilOf({ state, held_until, set_aside_until }: Host): Child {
  const until = state === 'set aside' ? set_aside_until : held_until;
  return until === null ? null : ` ends ${ago(until)}`;
}

function jobsOf({ jobs }: Host): Child {
  return jobs.length === 0
    ? '–'
    : jobs.map(({ job_id, progress }) => h('div', {}, jobLink(job_id), ` ${percent(progress)}`));
}

function failuresOf({ failures_24h }: Host): Child {
  const counts = Object.entries(failures_24h).sort(([, a], [, b]) => b - a);
  return counts.length === 0 ? '–' : counts.map(([code, n]) => h('div', {}, `${n} ${code}`));
}

function actionsOf(desk: Desk, { host_id, name, state }: Host): Child {
  const change = (said: string, changes: HostChanges) => () =>
    desk.act(`${name} ${said}.`, () => ask(`/admin/hosts/${host_id}`, 'PATCH', changes));
  const label = (what: string) => ({ 'aria-label': `${what} ${name}` });
  const isHeld = state === 'paused' || state === 'draining' || state === 'set aside';
  const rotate = () =>
    desk.act(`${name} has another token.`, async () => {
      const { token } = await ask<HostOnce>(`/admin/hosts/${host_id}/rotate`, 'POST');
      desk.reveal(`The token of ${name}`, token);
    });
  const revoke = () =>
    desk.sure(`Revoke the token of ${name}?`) &&
    desk.act(`${name} is revoked.`, () => ask(`/admin/hosts/${host_id}`, 'DELETE'));
  return h(
    'div',
    { class: 'actions' },
    isHeld
      ? button('Resume', change('goes on', { hold: null, set_aside: false }), label('Resume'))
      : [
          button('Pause', change('is paused', { hold: 'paused' }), label('Pause')),
          button('Drain', change('is draining', { hold: 'draining' }), label('Drain')),
        ],
    desk.may('admin')
      ? [button('New token', rotate, label('New token for')), button('Revoke', revoke, label('Revoke'))]
      : null,
  );
}

function newHost(desk: Desk): JSX.Element {
  return form(
    { class: 'filters', 'aria-label': 'New host' },
    ({ name }) =>
      desk.act('The host is let in.', async () => {
        const { token } = await ask<HostOnce>('/admin/hosts', 'POST', { name });
        desk.reveal(`The token of ${name}`, token);
      }),
    field('Let a host in', 'name', { required: true, maxlength: 100 }),
    h('button', { type: 'submit' }, 'Make its token'),
  );
}
