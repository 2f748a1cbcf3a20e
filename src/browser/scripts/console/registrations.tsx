import { Button, Field, Form } from '../components.tsx';
import { ago } from './format.ts';
import { call } from './operator.ts';
import { type ConsoleView, List, Pill } from './view.tsx';

/** The tokens with which machines register themselves as hosts. */
export const registrationsView: ConsoleView = async ({ can, run, showSecret }, route) => {
  const { registrations, next_cursor } = await call('listRegistrations', { query: route.query });
  const create = ({ name = '', uses, hours }: Record<string, string>) =>
    run('The registration is created.', async () => {
      const body = { name, uses: Number(uses), expires_in_hours: Number(hours) };
      showSecret(`The token of ${name}`, (await call('createRegistration', { body })).token);
    });
  const revoke = (id: string, name: string) =>
    confirm(`Revoke ${name}? The hosts that it made stay.`) &&
    run(`${name} makes no more hosts.`, () => call('revokeRegistration', { params: { id } }));
  return (
    <List
      title="Registrations of hosts"
      {...{ route, label: 'registrations', rows: registrations, cursor: next_cursor }}
      intro={<p class="hint">With such a token a machine becomes a host by itself, as often as the token allows.</p>}
      columns={{
        Name: ({ name, registration_id }) => <span title={registration_id}>{name}</span>,
        Hosts: ({ used, uses }) => `${used} of ${uses}`,
        Ends: ({ expires_at }) => ago(expires_at),
        Created: ({ created_at }) => ago(created_at),
        Actions({ registration_id, name, revoked_at, expires_at }) {
          if (revoked_at !== null) return <Pill state="revoked" />;
          if (Date.parse(expires_at) <= Date.now()) return <Pill state="ended" />;
          const action = () => revoke(registration_id, name);
          return can('admin') && <Button text="Revoke" label={`Revoke ${name}`} onClick={action} />;
        },
      }}
    >
      {can('admin') && (
        <Form label="New registration" submit="Create the token" onSend={create}>
          <Field label="Name of a new registration" name="name" required maxLength={100} />
          <Field label="Hosts" name="uses" type="number" min={1} max={10000} value={1} required />
          <Field label="Hours until it ends" name="hours" type="number" min={1} max={8784} value={24} required />
        </Form>
      )}
    </List>
  );
};
