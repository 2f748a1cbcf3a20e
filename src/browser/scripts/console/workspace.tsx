import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConsoleSession, Overview } from '#client/operator-shapes.ts';
import { mayAct } from '#domain/operator.ts';
import { pathOf } from '#protocol/routes.ts';
import { OPERATE_ROUTES } from '#protocol/service-routes.ts';
import { Dialog } from '../components.tsx';
import { isUnauthorized, messageOf } from '../errors.ts';
import { accountsView, accountView } from './accounts.tsx';
import { deliveriesView } from './deliveries.tsx';
import { hostsView } from './hosts.tsx';
import { jobsView, jobView } from './jobs.tsx';
import { call } from './operator.ts';
import { auditView, operatorsView } from './operators.tsx';
import { overviewView } from './overview.tsx';
import { registrationsView } from './registrations.tsx';
import { readHash, type View, type ViewTools } from './view.tsx';

/** The sections by the first part of the hash: the name, the view, and the view of a path with a second part. */
const SECTIONS: Readonly<Record<string, readonly [name: string, view: View, detail?: View]>> = {
  '': ['Overview', overviewView],
  jobs: ['Jobs', jobsView, jobView],
  hosts: ['Hosts', hostsView, registrationsView],
  accounts: ['Accounts', accountsView, accountView],
  deliveries: ['Webhooks', deliveriesView],
  audit: ['Audit log', auditView],
  operators: ['Operators', operatorsView],
};
/** They are reloaded with each event of the service. */
const LIVE = new Set(['', 'jobs', 'hosts', 'deliveries']);

interface Props {
  readonly session: ConsoleSession;
  onMessage(text: string): void;
  /** The session is over. */
  onLeave(why: string): void;
}

/** What an operator sees after the sign-in: the links, and the view that the hash names. */
export function Workspace({ session, onMessage, onLeave }: Props): JSX.Element {
  const [shown, setShown] = useState<{ key: string; section: string; content: ComponentChildren } | null>(null);
  const [counts, setCounts] = useState<Readonly<Record<string, number>>>({});
  const [secret, setSecret] = useState<{ title: string; text: string } | null>(null);
  const main = useRef<HTMLElement>(null);
  const loads = useRef(0);
  /** Counts actions. After an action, the view is drawn anew, so that its forms are empty. */
  const actions = useRef(0);

  /** Ignores the result of a load if a later load has begun. */
  async function show(): Promise<void> {
    const turn = ++loads.current;
    const route = readHash();
    const [section = '', detail] = route.path;
    const [, view, detailView = view] = SECTIONS[section] ?? ['', overviewView];
    const draw = (content: ComponentChildren) => {
      if (turn === loads.current) setShown({ key: `${location.hash} ${actions.current}`, section, content });
    };
    try {
      draw(await (detail ? detailView : view)(tools, route));
    } catch (error) {
      if (turn === loads.current && isUnauthorized(error)) return onLeave('Your session is over: sign in again.');
      draw([<h1 key="title">That cannot be shown</h1>, <p key="why">{messageOf(error)}</p>]);
    }
  }

  const tools: ViewTools = {
    can: (role) => mayAct(session, role),
    async run(done, work) {
      try {
        await work();
      } catch (error) {
        return onMessage(messageOf(error));
      }
      onMessage(done);
      actions.current++;
      await show();
    },
    showSecret: (title, text) => setSecret({ title, text }),
    navigate(hash) {
      if (location.hash === hash) void show();
      else location.hash = hash;
    },
  };

  function signOut(): void {
    onLeave('');
    call('endSession').catch((error: unknown) => {
      if (!isUnauthorized(error)) onMessage(`The session goes on for up to an hour: ${messageOf(error)}`);
    });
  }

  /** Updates the counts, and the view unless somebody works in it. */
  function refresh({ queue, webhooks }: Overview): void {
    const waiting = queue.reduce((sum, one) => sum + one.waiting, 0);
    setCounts({ jobs: waiting, deliveries: webhooks.failing + webhooks.exhausted });
    const isBusy =
      main.current?.contains(document.activeElement) || document.querySelector('details[open], dialog[open]') !== null;
    if (LIVE.has(readHash().path[0] ?? '') && !isBusy && !document.hidden) void show();
  }

  useEffect(() => {
    const onHashChange = () => {
      onMessage('');
      void show();
      window.scrollTo(0, 0);
    };
    addEventListener('hashchange', onHashChange);
    const events = new EventSource(pathOf(OPERATE_ROUTES.watchOverview));
    events.onmessage = ({ data }) => refresh(JSON.parse(data));
    void show();
    return () => {
      loads.current++;
      removeEventListener('hashchange', onHashChange);
      events.close();
    };
  }, []);
  useEffect(() => {
    document.title = `${main.current?.querySelector('h1')?.textContent ?? 'Console'} · Tickreel`;
  }, [shown]);

  return (
    <>
      <header>
        <Brand />
        <nav aria-label="Console">
          {Object.entries(SECTIONS).map(([id, [name]]) => (
            <a key={id} href={`#/${id}`} aria-current={shown?.section === id ? 'page' : undefined}>
              {name} <span data-count={id}>{counts[id] || ''}</span>
            </a>
          ))}
          <span class="who">
            {session.name} ({session.role})
          </span>
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </nav>
      </header>
      <main ref={main}>
        <div key={shown?.key}>{shown?.content}</div>
      </main>
      {secret && (
        <Dialog label={secret.title} close="I have it" onClose={() => setSecret(null)}>
          <p>It is shown this once.</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what is copied */}
          <code class="secret" tabIndex={0}>
            {secret.text}
          </code>
        </Dialog>
      )}
    </>
  );
}

/** The wordmark, as on all pages. */
export const Brand = (): JSX.Element => (
  <a class="brand" href="/">
    Tick<b>reel</b>
  </a>
);
