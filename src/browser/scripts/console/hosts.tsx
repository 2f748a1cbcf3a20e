import type { JSX } from 'preact';
import type { Host, HostChanges } from '#client/operator-shapes.ts';
import { clockText } from '#protocol/signed-message.ts';
import { AskButton } from '../ask.tsx';
import { Button, Field, Form } from '../components.tsx';
import { ago, percent } from './format.ts';
import { call } from './operator.ts';
import { type ConsoleView, List, NameLink, Pill, Time, type ViewTools } from './view.tsx';

/** The fleet, without revoked hosts. */
export const hostsView: ConsoleView = async (tools, route) => {
  const { hosts, next_cursor } = await call('listHosts', { query: route.query });
  const { can, send, showSecret } = tools;
  const create = ({ name = '' }: Record<string, string>) =>
    send('The host is registered.', async () =>
      showSecret(`The token of ${name}`, (await call('createHost', { body: { name } })).token),
    );
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
        Actions: (host) => can('operate') && <Actions host={host} tools={tools} />,
      }}
    >
      {can('admin') && (
        <Form label="New host" submit="Create the token" isReset onSend={create}>
          <Field label="Name of a new host" name="name" required maxLength={100} />
        </Form>
      )}
    </List>
  );
};

/** Returns when a hold or a rest ends, as text. */
export function endOf({ state, held_until, set_aside_until, resting_until }: Host): string | null {
  const until = { 'set aside': set_aside_until, resting: resting_until }[state as string] ?? held_until;
  return until === null ? null : `ends ${ago(until)}`;
}

export const jobOf = ({ job_id, progress }: Host['jobs'][number]): JSX.Element => (
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

export function Actions({ host, tools, hasToken }: ActionsProps): JSX.Element {
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
          title={`Revoke ${name}?`}
          what="Its token is refused from now on, and the jobs that it has go to other hosts. This cannot be undone."
          name={name}
          onAct={revoke}
        />
      )}
    </div>
  );
}

/** The tokens with which machines register themselves as hosts. */
export const registrationsView: ConsoleView = async ({ can, send, showSecret }, route) => {
  const { registrations, next_cursor } = await call('listRegistrations', { query: route.query });
  const create = ({ name = '', uses, expires_in_hours }: Record<string, string>) =>
    send('The registration is created.', async () => {
      const body = { name, uses: Number(uses), expires_in_hours: Number(expires_in_hours) };
      showSecret(`The token of ${name}`, (await call('createRegistration', { body })).token);
    });
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
                title={`Revoke ${name}?`}
                what="It makes no more hosts. Those that it made stay."
                onAct={() => revoke(registration_id, name)}
              />
            )
          );
        },
      }}
    >
      {can('admin') && (
        <Form label="New registration" submit="Create the token" isReset onSend={create}>
          <Field label="Name of a new registration" name="name" required maxLength={100} />
          <Field label="Hosts" name="uses" type="number" min={1} max={10000} value={1} required />
          <Field
            label="Hours until it ends"
            name="expires_in_hours"
            type="number"
            min={1}
            max={8784}
            value={24}
            required
          />
        </Form>
      )}
    </List>
  );
};
