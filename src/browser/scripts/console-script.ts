import { render } from 'preact';
import type { Overview } from '#client/operator-shapes.ts';
import { type Child, Dialog, field, form, h } from './components.ts';
import { accountsView, accountView, auditView } from './console/accounts.ts';
import { ask, Refused } from './console/api.ts';
import { hostsView } from './console/hosts.ts';
import { deliveriesView, jobsView, jobView } from './console/jobs.ts';
import { operatorsView } from './console/operators.ts';
import { overviewView } from './console/overview.ts';
import { registrationsView } from './console/registrations.ts';
import type { Desk, Place, Role, View } from './console/view.ts';

interface Session {
  readonly name: string;
  readonly role: Role;
}

const ROLES: readonly Role[] = ['read', 'operate', 'admin'];
const SESSION = '/console/session';
const main = document.querySelector('main') as HTMLElement;
const nav = document.querySelector('nav') as HTMLElement;
const status = document.querySelector('[role=status]') as HTMLElement;
const over = document.querySelector('#over') as HTMLElement;

/** What each first word behind `#/` shows; those that are shown anew while nobody types or points. */
const VIEWS: Readonly<Record<string, View>> = {
  '': overviewView,
  jobs: (desk, place) => (place.path[1] ? jobView : jobsView)(desk, place),
  hosts: (desk, place) => (place.path[1] ? registrationsView : hostsView)(desk, place),
  accounts: (desk, place) => (place.path[1] ? accountView : accountsView)(desk, place),
  deliveries: deliveriesView,
  audit: auditView,
  operators: operatorsView,
};
const LIVE = new Set(['', 'hosts', 'jobs', 'deliveries']);

let session: Session | null = null;
let events: EventSource | null = null;
let shown = 0;
/** Goes up where nothing of what was typed is to stay. */
let drawn = 0;

function place(): Place {
  const [path = '', query] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/'), query: new URLSearchParams(query) };
}

const desk: Desk = {
  may: (role) => ROLES.indexOf(session?.role ?? 'read') >= ROLES.indexOf(role),
  sure: (question) => window.confirm(question),
  typed: (question) => window.prompt(question),
  go(hash) {
    if (location.hash === hash) void show();
    else location.hash = hash;
  },
  act(said, work) {
    return work().then(
      async () => {
        tell(said);
        drawn++;
        await show();
      },
      (error: Error) => tell(error.message),
    );
  },
  reveal(title, secret) {
    const code = h('code', { class: 'secret', tabIndex: 0 }, secret);
    const onClose = () => render(null, over);
    render(h(Dialog, { label: title, close: 'I have it', onClose }, h('p', {}, 'It is shown this once.'), code), over);
  },
};

function tell(text: string): void {
  status.textContent = text;
}

/** Draws what the address names. One that is overtaken by another is not drawn. */
async function show(): Promise<void> {
  const at = place();
  const turn = ++shown;
  const view = VIEWS[at.path[0] ?? ''] ?? overviewView;
  try {
    const children = await view(desk, at);
    if (turn === shown) draw(at, children);
  } catch (error) {
    if (turn !== shown) return;
    if (error instanceof Refused && error.status === 401) return signIn('Your session is over: sign in again.');
    draw(at, [h('h1', {}, 'That cannot be shown'), h('p', {}, error instanceof Error ? error.message : String(error))]);
  }
}

function draw({ path }: Place, children: Child): void {
  render(h('div', { class: 'view', key: `${location.hash} ${drawn}` }, children), main);
  for (const link of nav.querySelectorAll('a')) {
    const isHere = link.hash.replace(/^#\//, '') === path[0];
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${main.querySelector('h1')?.textContent ?? 'Console'} · Tickreel`;
}

function signIn(why = ''): void {
  session = null;
  // Requests that are still open must not draw over this.
  shown++;
  events?.close();
  nav.hidden = true;
  tell(why);
  const send = async ({ token = '' }: Record<string, string>) => {
    const response = await fetch(SESSION, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
    if (!response.ok) {
      const { detail = 'That did not work.' } = await response.json().catch(() => ({}));
      return tell(response.status === 401 ? 'That is no token of an operator.' : detail);
    }
    tell('');
    begin(await response.json());
  };
  render(
    h(
      'div',
      { class: 'card sign-in', key: 'sign-in' },
      h('h1', {}, 'Tickreel console'),
      form(
        {},
        send,
        // For keepers of passwords, which ask for a name.
        h('input', { name: 'username', autocomplete: 'username', value: 'operator', hidden: true }),
        field("An operator's token", 'token', { type: 'password', autocomplete: 'current-password', required: true }),
        h('button', { type: 'submit', class: 'main' }, 'Sign in'),
      ),
    ),
    main,
  );
  document.title = 'Sign in · Tickreel';
}

function begin(who: Session): void {
  session = who;
  nav.hidden = false;
  const name = nav.querySelector('.who') as HTMLElement;
  name.textContent = `${who.name} (${who.role})`;
  events = new EventSource('/admin/events');
  events.onmessage = ({ data }) => refresh(JSON.parse(data));
  void show();
}

/** What is new: counts beside the links, and what is shown, where nobody is at work on it. */
function refresh({ queue, webhooks }: Overview): void {
  const waiting = queue.reduce((sum, one) => sum + one.waiting, 0);
  for (const [id, count] of Object.entries({ jobs: waiting, deliveries: webhooks.failing + webhooks.exhausted })) {
    const badge = nav.querySelector(`[data-count=${id}]`);
    if (badge) badge.textContent = count === 0 ? '' : String(count);
  }
  const isBusy =
    main.contains(document.activeElement) || document.querySelector('details[open], dialog[open]') !== null;
  if (LIVE.has(place().path[0] ?? '') && !isBusy && !document.hidden) void show();
}

nav.querySelector('button')?.addEventListener('click', () => {
  signIn();
  ask(SESSION, 'DELETE').catch((error: Error) => {
    const isOver = error instanceof Refused && error.status === 401;
    if (!isOver) tell(`The session goes on for up to an hour: ${error.message}`);
  });
});
addEventListener('hashchange', () => {
  if (!session) return;
  tell('');
  void show();
  window.scrollTo(0, 0);
});
ask<Session>(SESSION).then(begin, () => signIn());
