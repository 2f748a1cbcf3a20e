import { AskButton } from '../parts/ask.tsx';
import { short } from '../parts/format.ts';
import { OperationForm } from './forms.tsx';
import { type ConsoleView, call, List, Pill, Time } from './view.tsx';

/** Lists who may use the console, besides whoever has the deployment's own token. */
export const operatorsView: ConsoleView = async (tools, route) => {
  const { can, send } = tools;
  const { operators, next_cursor } = await call('listOperators', { query: route.query });
  const revoke = (id: string, name: string) =>
    send(`The token of ${name} is revoked.`, () => call('revokeOperator', { params: { id } }));
  return (
    <List
      title="Operators"
      {...{ route, label: 'operators', rows: operators, cursor: next_cursor }}
      columns={{
        Name: ({ name, operator_id }) => <span title={operator_id}>{name}</span>,
        Role: ({ role }) => role,
        Created: ({ created_at }) => <Time at={created_at} />,
        Actions({ operator_id, name, revoked_at }) {
          if (revoked_at !== null) return <Pill state="revoked" />;
          return (
            can('admin') && (
              <AskButton
                text="Revoke"
                label={`Revoke ${name}`}
                isDanger
                title={`Revoke the token of ${name}?`}
                what="It is refused from now on, and so are its sessions. This cannot be undone."
                name={name}
                onAct={() => revoke(operator_id, name)}
              />
            )
          );
        },
      }}
    >
      <OperationForm
        {...{ operation: 'createOperator', tools, label: 'New operator', submit: 'Create the token' }}
        done="The operator is registered."
      />
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
        When: ({ at }) => <Time at={at} />,
        Who: ({ operator }) => operator,
        Did: ({ action, status }) => (status === null ? `${action}, cut short` : action),
        To: ({ target, target_name }) => (
          <span title={Object.values(target).join(' ')}>
            {target_name ?? <code class="address">{Object.values(target).map(short).join(' ') || '–'}</code>}
          </span>
        ),
        With: ({ changes }) => <code class="address">{changes ?? '–'}</code>,
      }}
    />
  );
};
