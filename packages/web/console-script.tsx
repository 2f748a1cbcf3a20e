import { type ComponentChildren, render, type TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ConsoleSession, OPERATOR_ROUTES, type Overview } from '#client/operator-shapes.ts';
import { mayAct } from '#domain/operate/operator.ts';
import { pathOf } from '#protocol/lib/routes.ts';
import { accountsView, accountView } from './console/accounts.tsx';
import { arrivalsView } from './console/arrivals.tsx';
import { controlsView } from './console/controls.tsx';
import { deliveriesView } from './console/deliveries.tsx';
import { hostsView, hostView, registrationsView } from './console/hosts.tsx';
import { jobsView, jobView } from './console/jobs.tsx';
import { auditView, operatorsView } from './console/operators.tsx';
import { overviewView } from './console/overview.tsx';
import { searchView } from './console/search.tsx';
import { usageView } from './console/usage.tsx';
import { type ConsoleView, call, hashOf, operatorWith, readHash, type ViewTools } from './console/view.tsx';
import { Field, Form, Secret, type SecretText } from './parts/components.tsx';
import { isUnauthorized, messageOf, WrongValue } from './parts/format.ts';

const hostOrRegistrations: ConsoleView = (tools, route) =>
  (route.path[1] === 'registrations' ? registrationsView : hostView)(tools, route);

/** The sections by the first part of the hash: the name, the view, and the view of a path with a second part. */
const SECTIONS: Readonly<Record<string, readonly [name: string, view: ConsoleView, detail?: ConsoleView]>> = {
  '': ['Overview', overviewView],
  jobs: ['Jobs', jobsView, jobView],
  hosts: ['Hosts', hostsView, hostOrRegistrations],
  deliveries: ['Webhooks', deliveriesView],
  arrivals: ['Demos', arrivalsView],
  accounts: ['Accounts', accountsView, accountView],
  usage: ['Usage', usageView],
  controls: ['Maintenance', controlsView],
  audit: ['Audit log', auditView],
  operators: ['Operators', operatorsView],
  // Without a name, it is not in the navigation.
  search: ['', searchView],
};
/** The sections before which the navigation has a gap. */
const GROUPS = new Set(['accounts', 'controls']);
/** The sections that are reloaded with each event of the service. */
const LIVE = new Set(['', 'jobs', 'hosts', 'deliveries', 'arrivals', 'controls']);

/** Begins the message while a view that is shown cannot be loaded again. */
const STALE = 'This is not up to date';

/** Returns the operator's console: asks for an operator's token, then shows the view that the hash names. */
function Console() {
  /** Undefined until the service has answered, null without a session. */
  const [session, setSession] = useState<ConsoleSession | null>();
  const [message, setMessage] = useState('');
  const [shown, setShown] = useState<{ key: string; section: string; content: ComponentChildren } | null>(null);
  const [counts, setCounts] = useState<Readonly<Record<string, number | 'on'>>>({});
  const [secret, setSecret] = useState<SecretText | null>(null);
  const main = useRef<HTMLElement>(null);
  const loads = useRef(0);
  /** The key of the view that is shown. */
  const drawn = useRef('');
  /** What had the focus before the view was drawn, and its row. */
  const lost = useRef<{ focused: Element | null; row: Element | null }>({ focused: null, row: null });

  function changeSession(to: ConsoleSession | null, why = ''): void {
    // A load that has begun must not draw over this.
    loads.current++;
    drawn.current = '';
    setSession(to);
    setShown(null);
    setMessage(why);
  }

  async function signIn({ token = '' }: Record<string, string>): Promise<void> {
    const session = await operatorWith(token)
      .call('beginSession')
      .catch((error: unknown) => {
        throw isUnauthorized(error) ? new WrongValue('token', "is not an operator's token") : error;
      });
    changeSession(session);
  }

  function signOut(): void {
    changeSession(null);
    call('endSession').catch((error: unknown) => {
      if (!isUnauthorized(error)) setMessage(`The session goes on for up to an hour: ${messageOf(error)}`);
    });
  }

  function search(event: TargetedSubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const q = String(new FormData(event.currentTarget).get('q')).trim();
    tools.navigate(hashOf({ path: ['search'], query: { q } }));
  }

  const tools: ViewTools = {
    can: (role) => mayAct(session ?? { role: 'read' }, role),
    run: (done, work) => tools.send(done, work).catch((error) => setMessage(messageOf(error))) as Promise<void>,
    async send(done, work) {
      const result = await work();
      setMessage(done);
      await show();
      return result;
    },
    showSecret: (title, text) => setSecret({ title, text }),
    navigate(hash) {
      if (location.hash === hash) void show();
      else location.hash = hash;
    },
  };

  /** Ignores the result of a load if a later load has begun. */
  async function show(): Promise<void> {
    const turn = ++loads.current;
    const key = location.hash;
    const route = readHash();
    const [section = '', detail] = route.path;
    const [, view, detailView = view] = SECTIONS[section] ?? ['', overviewView];
    const draw = (content: ComponentChildren) => {
      if (turn !== loads.current) return;
      const focused = main.current?.contains(document.activeElement) ? document.activeElement : null;
      lost.current = { focused, row: focused?.closest('tr') ?? null };
      setShown({ key, section, content });
      drawn.current = key;
    };
    try {
      draw(await (detail ? detailView : view)(tools, route));
      setMessage((before) => (before.startsWith(STALE) ? '' : before));
    } catch (error) {
      if (turn === loads.current && isUnauthorized(error)) {
        return changeSession(null, 'Your session is over: sign in again.');
      }
      if (turn === loads.current && drawn.current === key) return setMessage(`${STALE}: ${messageOf(error)}`);
      draw([<h1 key="title">That cannot be shown</h1>, <p key="why">{messageOf(error)}</p>]);
    }
  }

  /** Updates the counts, and the view unless a dialog is open. */
  function refresh({ firing, maintenance, queue, webhooks, wrong_variables }: Overview): void {
    const waiting = queue.reduce((sum, one) => sum + one.waiting, 0);
    const wrong = firing.length + wrong_variables.length;
    const troubled = webhooks.failing + webhooks.exhausted;
    setCounts({ '': wrong, jobs: waiting, deliveries: troubled, controls: maintenance ? 'on' : 0 });
    const isBusy = document.querySelector('dialog[open]') !== null;
    if (LIVE.has(readHash().path[0] ?? '') && !isBusy && !document.hidden) void show();
  }

  useEffect(() => {
    call('getSession').then(setSession, () => setSession(null));
  }, []);
  useEffect(() => {
    if (!session) return;
    const onHashChange = () => {
      setMessage('');
      void show();
      window.scrollTo(0, 0);
    };
    addEventListener('hashchange', onHashChange);
    const events = new EventSource(pathOf(OPERATOR_ROUTES.watchOverview));
    events.onmessage = ({ data }) => refresh(JSON.parse(data));
    void show();
    return () => {
      removeEventListener('hashchange', onHashChange);
      events.close();
    };
  }, [session]);
  useEffect(() => {
    const heading = main.current?.querySelector('h1');
    const alarm = counts[''] ? `(${counts['']}) ` : '';
    document.title = `${alarm}${heading?.textContent ?? 'Console'} · Tickreel`;
  }, [session, shown, counts]);
  // Gives the focus to the row or the heading if what had it is gone.
  useEffect(() => {
    const { focused, row } = lost.current;
    if (!focused || focused.isConnected || document.activeElement !== document.body) return;
    const next = row?.isConnected ? row.querySelector<HTMLElement>('button, a') : null;
    const heading = main.current?.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    (next ?? heading)?.focus({ preventScroll: true });
  }, [shown]);

  return (
    <>
      <header>
        <a class="brand" href="/">
          Tick<b>reel</b>
        </a>
        {session && (
          <>
            <search>
              <form onSubmit={search}>
                <input type="search" name="q" aria-label="Search" placeholder="Id, clip page, key or name" required />
              </form>
            </search>
            <span class="who">{`${session.name} (${session.role})`}</span>
            <button type="button" onClick={signOut}>
              Sign out
            </button>
            <nav aria-label="Console">
              {Object.entries(SECTIONS).map(
                ([id, [name]]) =>
                  name && (
                    <a
                      key={id}
                      class={GROUPS.has(id) ? 'group' : undefined}
                      href={`#/${id}`}
                      aria-current={shown?.section === id ? 'page' : undefined}
                    >
                      {name} <span data-count={id}>{counts[id] || ''}</span>
                    </a>
                  ),
              )}
            </nav>
          </>
        )}
      </header>
      <main ref={main}>
        {session === null && (
          <div class="card sign-in">
            <h1>Tickreel console</h1>
            <Form submit="Sign in" isMain onSend={signIn}>
              {/* Password managers ask for a name. */}
              <input name="username" autocomplete="username" value="operator" hidden />
              <Field
                label="An operator's token"
                name="token"
                type="password"
                autocomplete="current-password"
                required
              />
            </Form>
          </div>
        )}
        <div key={shown?.key}>{shown?.content}</div>
      </main>
      <p role="status">{message}</p>
      {secret && <Secret {...secret} onClose={() => setSecret(null)} />}
    </>
  );
}

const root = document.querySelector('#console');
root?.replaceChildren();
if (root) render(<Console />, root);
