import { Button, Field, Form } from '../components.tsx';
import { ago } from './format.ts';
import { call } from './operator.ts';
import { type ConsoleView, List, Pill } from './view.tsx';

/** Lists who may use the console, besides whoever has the deployment's own token. */
export const operatorsView: ConsoleView = async ({ can, run, showSecret }, route) => {
  const { operators, next_cursor } = await call('listOperators', { query: route.query });
  const create = (values: Record<string, string>) =>
    run('The operator is registered.', async () => {
      const { name, token } = await call('createOperator', { body: values as never });
      showSecret(`The token of ${name}`, token);
    });
  const revoke = (id: string, name: string) =>
    confirm(`Revoke the token of ${name}?`) &&
    run(`The token of ${name} is revoked.`, () => call('revokeOperator', { params: { id } }));
  return (
    <List
      title="Operators"
      {...{ route, label: 'operators', rows: operators, cursor: next_cursor }}
      columns={{
        Name: ({ name, operator_id }) => <span title={operator_id}>{name}</span>,
        Role: ({ role }) => role,
        Created: ({ created_at }) => ago(created_at),
        Actions({ operator_id, name, revoked_at }) {
          if (revoked_at !== null) return <Pill state="revoked" />;
          const action = () => revoke(operator_id, name);
          return can('admin') && <Button text="Revoke" label={`Revoke ${name}`} onClick={action} />;
        },
      }}
    >
      {can('admin') && (
        <Form label="New operator" submit="Create the token" onSend={create}>
          <Field label="Name of a new operator" name="name" required maxLength={100} />
          <Field label="Role" name="role" options={['read', 'operate', 'admin']} />
        </Form>
      )}
    </List>
  );
};

/** Lists the changes by operators. */
export const auditView: ConsoleView = async (_, route) => {
  const { entries, next_cursor } = await call('listAudit', { query: route.query });
  return (
    <List
      title="Audit log"
      {...{ route, label: 'changes', rows: entries, cursor: next_cursor }}
      columns={{
        When: ({ at }) => <time title={at}>{ago(at)}</time>,
        Who: ({ operator }) => operator,
        Did: ({ action, status }) => (status === null ? `${action}, cut short` : action),
        To: ({ target }) => <code class="address">{Object.values(target).join(' ') || '–'}</code>,
        With: ({ changes }) => <code class="address">{changes ?? '–'}</code>,
      }}
    />
  );
};
