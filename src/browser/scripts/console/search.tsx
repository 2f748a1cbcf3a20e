import { Field, Form } from '../components.tsx';
import { call } from './operator.ts';
import { type ConsoleView, hashOf, List, NameLink } from './view.tsx';

/** What a text of the header's field names: goes there at once if it is one thing. */
export const searchView: ConsoleView = async ({ navigate }, route) => {
  const { q = '', account } = route.query;
  const found = await call('searchAll', { query: { q, ...(account && { account }) } });
  const rows = found.results.map((one) => {
    const { kind, id, job_id } = one;
    return { ...one, place: kind === 'job' || kind === 'clip' ? `jobs/${job_id}` : `${kind}s/${id}` };
  });
  const places = new Set(rows.map(({ place }) => place));
  if (places.size === 1) location.replace(`#/${[...places]}`);
  const again = (values: Record<string, string>) => navigate(hashOf({ ...route, query: { q, ...values } }));
  return (
    <List
      title={`Found for “${q}”`}
      {...{ route, label: 'results', rows, cursor: null }}
      columns={{
        Kind: ({ kind }) => kind,
        Name: ({ place, name, id }) => (
          <NameLink to={place.split('/')[0] ?? ''} id={place.split('/')[1] ?? id} name={name} />
        ),
        Id: ({ id }) => <code class="address">{id}</code>,
        Account: ({ account_id, account_name }) =>
          account_id ? <NameLink to="accounts" id={account_id} name={account_name ?? account_id} /> : '–',
      }}
    >
      {!found.is_every_account && (
        <Form label="One account" submit="Search its keys" onSend={again}>
          <Field
            label="Account"
            name="account"
            required
            hint={`The text was compared with the idempotency keys of the ${found.accounts_tried} oldest accounts. Give the id of another.`}
          />
        </Form>
      )}
    </List>
  );
};
