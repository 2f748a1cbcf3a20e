import type { JSX } from 'preact';
import type { Host, HostChanges, HostDetail } from '#client/operator-shapes.ts';
import { span } from '#domain/lib/text.ts';
import { clockText } from '#protocol/lib/signed-message.ts';
import { AskButton } from '../parts/ask.tsx';
import { Button, Table } from '../parts/components.tsx';
import { ago, bytes, percent } from '../parts/format.ts';
import { OperationForm } from './forms.tsx';
import { type ConsoleView, call, Facts, List, NameLink, Pill, Time, type ViewTools } from './view.tsx';

/** The fleet, without revoked hosts. */
export const hostsView: ConsoleView = async (tools, route) => {
  const { hosts, next_cursor } = await call('listHosts', { query: route.query });
  return (
    <List
      title="Hosts"
      {...{ route, label: 'hosts', rows: hosts.filter(({ revoked_at }) => revoked_at === null), cursor: next_cursor }}
      idOf={({ host_id }) => host_id}
      intro={
        <p>
          <a href="#/hosts/registrations">Registrations: tokens with which machines become hosts</a>
        </p>
      }
      columns={{
        Name: ({ name, host_id }) => <NameLink to="hosts" id={host_id} name={name} />,
        State: (host) => [<Pill key="state" state={host.state} />, ' ', endOf(host)],
        'Last seen': ({ last_seen }) => <Time at={last_seen} />,
        Build: ({ renderer, game_build }) => [renderer, game_build].filter(Boolean).join(' ') || '–',
        Version: ({ agent_version }) => agent_version ?? '–',
        Jobs: ({ jobs }) => (jobs.length === 0 ? '–' : jobs.map(jobOf)),
        'Failed in 24 h': failuresOf,
        Note: ({ set_aside_reason, resting_reason, note, labels, clock_off_s: off }) =>
          [off && `its clock is ${clockText(off)} ours`, set_aside_reason, resting_reason, note, labels.join(' ')]
            .filter(Boolean)
            .join('; '),
        Actions: (host) => tools.can('operate') && <Actions host={host} tools={tools} />,
      }}
    >
      <OperationForm
        {...{ operation: 'createHost', tools, only: ['name'], label: 'New host', submit: 'Create the token' }}
        done="The host is registered."
      />
    </List>
  );
};

/** Returns when a hold or a rest ends, as text. */
function endOf({ state, held_until, set_aside_until, resting_until }: Host): string | null {
  const until = { 'set aside': set_aside_until, resting: resting_until }[state as string] ?? held_until;
  return until === null ? null : `ends ${ago(until)}`;
}

const jobOf = ({ job_id, progress }: Host['jobs'][number]): JSX.Element => (
  <div key={job_id} class="line">
    <NameLink to="jobs" id={job_id} /> {percent(progress)}
  </div>
);

function failuresOf({ failures_24h }: Host) {
  const counts = Object.entries(failures_24h).sort(([, a], [, b]) => b - a);
  return counts.length === 0 ? '–' : counts.map(([code, n]) => <div key={code} class="line">{`${n} ${code}`}</div>);
}

interface ActionsProps {
  readonly host: Host;
  readonly tools: ViewTools;
  /** Whether those that change its token are there too. */
  readonly hasToken?: boolean;
}

function Actions({ host, tools, hasToken }: ActionsProps): JSX.Element {
  const { host_id: id, name, state, set_aside_reason } = host;
  const { can, run, send, showSecret } = tools;
  const change = (done: string, body: HostChanges) => () =>
    run(`${name} ${done}.`, () => call('changeHost', { params: { id }, body }));
  const rotate = () =>
    run(`${name} has another token.`, async () =>
      showSecret(`The token of ${name}`, (await call('rotateHost', { params: { id } })).token),
    );
  const revoke = () => send(`${name} is revoked.`, () => call('revokeHost', { params: { id } }));
  const action = (text: string, onClick: () => unknown, label = `${text} ${name}`) => (
    <Button key={text} text={text} label={label} onClick={onClick} />
  );
  const isHeld = ['paused', 'draining', 'set aside', 'lost'].includes(state) || set_aside_reason !== null;
  return (
    <div class="actions">
      {isHeld && action('Resume', change('goes on', { hold: null, set_aside: false }))}
      {!isHeld && action('Pause', change('is paused', { hold: 'paused' }))}
      {!isHeld && action('Drain', change('is draining', { hold: 'draining' }))}
      {hasToken && can('admin') && action('New token', rotate, `New token for ${name}`)}
      {hasToken && can('admin') && (
        <AskButton
          text="Revoke"
          label={`Revoke ${name}`}
          isDanger
          what="Its token is refused from now on, and the jobs that it has go to other hosts. This cannot be undone."
          name={name}
          onAct={revoke}
        />
      )}
    </div>
  );
}

/** The tokens with which machines register themselves as hosts. */
export const registrationsView: ConsoleView = async (tools, route) => {
  const { can, send } = tools;
  const { registrations, next_cursor } = await call('listRegistrations', { query: route.query });
  const revoke = (id: string, name: string) =>
    send(`${name} makes no more hosts.`, () => call('revokeRegistration', { params: { id } }));
  return (
    <List
      title="Registrations of hosts"
      {...{ route, label: 'registrations', rows: registrations, cursor: next_cursor }}
      intro={<p class="hint">With such a token a machine becomes a host by itself, as often as the token allows.</p>}
      columns={{
        Name: ({ name, registration_id }) => <span title={registration_id}>{name}</span>,
        Hosts: ({ used, uses }) => `${used} of ${uses}`,
        Ends: ({ expires_at }) => <Time at={expires_at} />,
        Created: ({ created_at }) => <Time at={created_at} />,
        Actions({ registration_id, name, revoked_at, expires_at }) {
          if (revoked_at !== null) return <Pill state="revoked" />;
          if (Date.parse(expires_at) <= Date.now()) return <Pill state="ended" />;
          return (
            can('admin') && (
              <AskButton
                text="Revoke"
                label={`Revoke ${name}`}
                isDanger
                what="It makes no more hosts. Those that it made stay."
                onAct={() => revoke(registration_id, name)}
              />
            )
          );
        },
      }}
    >
      <OperationForm
        {...{ operation: 'createRegistration', tools, label: 'New registration', submit: 'Create the token' }}
        done="The registration is created."
      />
    </List>
  );
};

/** What a state means for the operator; null where there is nothing to do. docs/operate.md has the same advice. */
const HINTS: Readonly<Record<HostDetail['state'], string | null>> = {
  idle: null,
  busy: null,
  paused: 'It finishes the jobs that it has, and gets no more until it is resumed.',
  draining: 'It finishes the jobs that it has, and gets no more until it is resumed.',
  'set aside': 'It gets no jobs. Repair it, then resume it. Without that, faults are forgiven after a while.',
  resting: 'It did not take the last job that it was sent. Mend what its answer names. It is tried again by itself.',
  lost: 'It had a job and fell silent, and the job went on elsewhere. See whether the machine, its network and its program run. Resume it to end the alert, or revoke it.',
  gone: 'It asks for no work. Start it, or revoke it if it will not come back.',
};

/** One host: what it is and does, its latest attempts, and its faults of a day. */
export const hostView: ConsoleView = async (tools, { path: [, id = ''] }) => {
  const host = await call('getHost', { params: { id } });
  const { state, push, resting_reason, set_aside_reason } = host;
  const isRevoked = host.revoked_at !== null;
  const hint = isRevoked ? 'Its token is revoked.' : HINTS[state];
  return (
    <>
      <h1>{host.name}</h1>
      <p>
        <Pill state={isRevoked ? 'revoked' : state} />{' '}
        {[endOf(host), resting_reason, set_aside_reason, host.note].filter(Boolean).join('; ')}
      </p>
      {hint && <p class="hint">{hint}</p>}
      <Facts
        facts={{
          'Works on': host.jobs.length === 0 ? null : host.jobs.map(jobOf),
          'Last seen': <Time at={host.last_seen} />,
          Renderer: host.renderer,
          'Build of the game': host.game_build,
          GPU: host.gpu,
          Driver: host.driver,
          Encoder: host.encoder,
          Version: host.agent_version,
          Renders: host.max_resolution && `up to ${host.max_resolution}p at ${host.max_fps} frames a second`,
          'Jobs at a time': host.slots,
          'Free disk': host.free_bytes === null ? null : bytes(host.free_bytes),
          Clock: host.clock_off_s === null ? null : `${clockText(host.clock_off_s)} ours`,
          Labels: host.labels.join(' ') || null,
          'Sent to': push && <span class="address">{push.url}</span>,
          Id: <code>{host.host_id}</code>,
        }}
      />
      {tools.can('operate') && !isRevoked && <Actions host={host} tools={tools} hasToken />}
      <h2>Failed in 24 hours</h2>
      <Table
        label="failures"
        rows={host.faults}
        columns={{
          Code: ({ code }) => code,
          Count: ({ count }) => count,
          Last: ({ last_at }) => <Time at={last_at} />,
          'Latest jobs': ({ job_ids }) => job_ids.map((job) => [logLink(job, id), ' ']),
        }}
      />
      <h2>Latest attempts</h2>
      <p class="hint">
        The last 20, as far as the dispatcher has them: it keeps 2,000 of all hosts, and a restart may lose the last
        minute.
      </p>
      <Table
        label="attempts"
        rows={host.ended}
        columns={{
          Job: ({ job_id, code }) => (code === null ? <NameLink to="jobs" id={job_id} /> : logLink(job_id, id)),
          Outcome: ({ code }) => <Pill state={code === null ? 'done' : 'error'} />,
          Code: ({ code }) => code ?? '–',
          Ended: ({ ended_at }) => <Time at={ended_at} />,
          Took: ({ started_at, ended_at }) =>
            started_at === null ? '–' : span((Date.parse(ended_at) - Date.parse(started_at)) / 1000),
        }}
      />
    </>
  );
};

/** A link to the attempts of a job on one host, with its logs. */
const logLink = (job: string, host: string) => <NameLink key={job} to="jobs" id={job} query={{ host }} />;
