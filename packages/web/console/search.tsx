import { Field, Form } from '../parts/components.tsx';
import { type ConsoleView, call, type HashRoute, hashOf, List, NameLink } from './view.tsx';

/** Shows what a text names, and goes there if it is one thing. */
export const searchView: ConsoleView = async ({ navigate }, route) => {
  const { q = '', ...more } = route.query;
  const search = (terms: HashRoute['query']) => call('searchAll', { query: { q, ...terms } });
  const { results, is_every_account, accounts_tried } = await search(more);
  const rows = results.map((one) => ({ ...one, to: one.job_id ? 'jobs' : `${one.kind}s`, at: one.job_id ?? one.id }));
  const [first] = rows;
  if (first && rows.every(({ at }) => at === first.at)) location.replace(`#/${first.to}/${first.at}`);
  const again = async (terms: HashRoute['query']) => {
    await search(terms);
    navigate(hashOf({ ...route, query: { q, ...terms } }));
  };
  return (
    <List
      title={`Found for “${q}”`}
      {...{ route, label: 'results', rows, cursor: null }}
      columns={{
        Kind: ({ kind }) => kind,
        Name: ({ to, at, name }) => <NameLink to={to} id={at} name={name} />,
        Id: ({ id }) => <code class="address">{id}</code>,
        Account: ({ account_id, account_name }) =>
          account_id ? <NameLink to="accounts" id={account_id} name={account_name} /> : '–',
      }}
    >
      {!is_every_account && (
        <Form label="One account" submit="Search its keys" onSend={again}>
          <Field
            {...{ label: 'Account', name: 'account', required: true }}
            hint={`Only the idempotency keys of the ${accounts_tried} oldest accounts were compared. Give another one's id.`}
          />
        </Form>
      )}
    </List>
  );
};
